//! What is known of the objects at one place: a record with named members, or a map from keys to values.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use super::Openness;
use super::node::Node;
use super::string::Formats;

/// With more names than this an object is a map from keys to values of one kind: nobody writes a record of so
/// many members by hand, and a schema that lists them all would grow with the examples.
const MAX_RECORD_MEMBERS: usize = 256;

#[derive(Debug, Clone, Default)]
pub(super) struct ObjectFacts {
    count: u64,
    shape: Shape,
}

#[derive(Debug, Clone)]
enum Shape {
    /// Members in the order of their first appearance.
    Record { members: Vec<Member>, positions: HashMap<String, usize> },
    /// All values together.
    Map(Box<Node>),
}

#[derive(Debug, Clone)]
struct Member {
    name: String,
    present: u64,
    node: Node,
}

impl Default for Shape {
    fn default() -> Self {
        Self::Record { members: Vec::new(), positions: HashMap::new() }
    }
}

impl ObjectFacts {
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    pub(super) fn observe(&mut self, object: &Map<String, Value>, formats: &Formats, depth: usize) {
        self.count += 1;
        for (name, value) in object {
            self.shape.node_of(name, 1).observe(value, formats, depth);
            self.shape.become_map_if_large();
        }
    }

    pub(super) fn absorb(&mut self, other: Self) {
        self.count += other.count;
        match other.shape {
            Shape::Record { members, .. } => {
                for member in members {
                    self.shape.node_of(&member.name, member.present).absorb(member.node);
                    self.shape.become_map_if_large();
                }
            }
            Shape::Map(values) => {
                self.shape.become_map();
                if let Shape::Map(all) = &mut self.shape {
                    all.absorb(*values);
                }
            }
        }
    }

    pub(super) fn describe(&self, formats: &Formats, openness: Openness, schema: &mut Map<String, Value>) {
        if self.count == 0 {
            return;
        }
        match &self.shape {
            Shape::Map(values) => {
                schema.insert("additionalProperties".to_owned(), values.to_schema(formats, openness));
            }
            Shape::Record { members, .. } => {
                let properties: Map<String, Value> = members
                    .iter()
                    .map(|member| (member.name.clone(), member.node.to_schema(formats, openness)))
                    .collect();
                let required: Vec<&str> = members
                    .iter()
                    .filter(|member| member.present == self.count)
                    .map(|member| member.name.as_str())
                    .collect();
                if !properties.is_empty() {
                    schema.insert("properties".to_owned(), Value::Object(properties));
                }
                if !required.is_empty() {
                    schema.insert("required".to_owned(), json!(required));
                }
                if openness == Openness::Closed {
                    schema.insert("additionalProperties".to_owned(), json!(false));
                }
            }
        }
    }
}

impl Shape {
    /// The node of a member, made when it is new; its appearances are counted.
    fn node_of(&mut self, name: &str, appearances: u64) -> &mut Node {
        match self {
            Self::Map(values) => values,
            Self::Record { members, positions } => {
                let position = positions.get(name).copied().unwrap_or(members.len());
                if position == members.len() {
                    positions.insert(name.to_owned(), position);
                    members.push(Member { name: name.to_owned(), present: 0, node: Node::default() });
                }
                #[expect(clippy::indexing_slicing, reason = "the position was found or made just above")]
                let member = &mut members[position];
                member.present += appearances;
                &mut member.node
            }
        }
    }

    fn become_map_if_large(&mut self) {
        if matches!(self, Self::Record { members, .. } if members.len() > MAX_RECORD_MEMBERS) {
            self.become_map();
        }
    }

    fn become_map(&mut self) {
        if let Self::Record { members, .. } = self {
            let mut all = Node::default();
            for member in std::mem::take(members) {
                all.absorb(member.node);
            }
            *self = Self::Map(Box::new(all));
        }
    }
}
