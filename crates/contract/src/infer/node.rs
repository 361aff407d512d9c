//! Statistics of the values at one place.

use std::collections::HashMap;

use accord_json::Meter;
use serde_json::{Map, Value, json};

use super::Openness;
use super::string::{Company, Formats, StringFacts};

/// What it costs to take one value into account.
const STEPS_A_VALUE: u64 = 10;

/// How many values the schema of one place consists of, its members aside.
const VALUES_A_SCHEMA: u64 = 4;

/// Counts by kind, and statistics of strings, objects and items.
#[derive(Debug, Clone, Default)]
pub(super) struct Node {
    nulls: u64,
    booleans: u64,
    /// Numbers written without a fraction and without an exponent.
    integers: u64,
    fractions: u64,
    arrays: u64,
    strings: StringFacts,
    objects: ObjectFacts,
    items: Option<Box<Node>>,
    /// Values too deep to look into were seen here.
    unknown: u64,
}

impl Node {
    pub(super) fn total(&self) -> u64 {
        self.nulls
            + self.booleans
            + self.integers
            + self.fractions
            + self.arrays
            + self.strings.count()
            + self.objects.count()
            + self.unknown
    }

    pub(super) fn observe(&mut self, value: &Value, formats: &Formats, depth: usize, meter: &Meter) {
        if meter.steps(STEPS_A_VALUE).is_err() {
            return;
        }
        if depth == 0 {
            self.unknown += 1;
            return;
        }
        match value {
            Value::Null => self.nulls += 1,
            Value::Bool(_) => self.booleans += 1,
            Value::Number(number) if number.as_str().contains(['.', 'e', 'E']) => self.fractions += 1,
            Value::Number(_) => self.integers += 1,
            Value::String(text) => {
                // Each format is tried.
                if meter.steps(text.len() as u64).is_ok() {
                    self.strings.observe(text, formats);
                }
            }
            Value::Array(values) => {
                self.arrays += 1;
                for item in values {
                    self.items.get_or_insert_default().observe(item, formats, depth - 1, meter);
                }
            }
            Value::Object(members) => self.objects.observe(members, formats, depth - 1, meter),
        }
    }

    /// Adds what is known of another place, as if its values had been seen here.
    pub(super) fn absorb(&mut self, other: Self) {
        self.nulls += other.nulls;
        self.booleans += other.booleans;
        self.integers += other.integers;
        self.fractions += other.fractions;
        self.arrays += other.arrays;
        self.unknown += other.unknown;
        self.strings.absorb(other.strings);
        self.objects.absorb(other.objects);
        if let Some(items) = other.items {
            self.items.get_or_insert_default().absorb(*items);
        }
    }

    /// Writes the keywords that hold for all values seen here.
    pub(super) fn describe(
        &self,
        formats: &Formats,
        openness: Openness,
        schema: &mut Map<String, Value>,
        meter: &Meter,
    ) {
        if self.unknown > 0 || meter.values(VALUES_A_SCHEMA).is_err() {
            return;
        }
        let types = self.types();
        match types.as_slice() {
            [] => return,
            [single] => schema.insert("type".to_owned(), json!(single)),
            several => schema.insert("type".to_owned(), json!(several)),
        };
        let company = match self.total() - self.strings.count() {
            0 => Company::None,
            others if others == self.nulls => Company::Nulls,
            _ => Company::Others,
        };
        self.strings.describe(formats, company, schema);
        self.objects.describe(formats, openness, schema, meter);
        if let Some(items) = &self.items {
            schema.insert("items".to_owned(), items.to_schema(formats, openness, meter));
        }
    }

    pub(super) fn to_schema(&self, formats: &Formats, openness: Openness, meter: &Meter) -> Value {
        let mut schema = Map::new();
        self.describe(formats, openness, &mut schema, meter);
        Value::Object(schema)
    }

    fn types(&self) -> Vec<&'static str> {
        let numeric = if self.fractions > 0 { "number" } else { "integer" };
        [
            ("object", self.objects.count()),
            ("array", self.arrays),
            ("string", self.strings.count()),
            (numeric, self.integers + self.fractions),
            ("boolean", self.booleans),
            ("null", self.nulls),
        ]
        .into_iter()
        .filter(|(_, count)| *count > 0)
        .map(|(name, _)| name)
        .collect()
    }
}

/// With more names than this, an object is treated as a map: no hand-written record has this many
/// properties, and a schema that lists them all would grow with the examples.
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

    pub(super) fn observe(
        &mut self,
        object: &Map<String, Value>,
        formats: &Formats,
        depth: usize,
        meter: &Meter,
    ) {
        self.count += 1;
        for (name, value) in object {
            self.shape.node_of(name, 1).observe(value, formats, depth, meter);
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

    pub(super) fn describe(
        &self,
        formats: &Formats,
        openness: Openness,
        schema: &mut Map<String, Value>,
        meter: &Meter,
    ) {
        if self.count == 0 {
            return;
        }
        match &self.shape {
            Shape::Map(values) => {
                schema.insert("additionalProperties".to_owned(), values.to_schema(formats, openness, meter));
            }
            Shape::Record { members, .. } => {
                let properties: Map<String, Value> = members
                    .iter()
                    .map(|member| (member.name.clone(), member.node.to_schema(formats, openness, meter)))
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
