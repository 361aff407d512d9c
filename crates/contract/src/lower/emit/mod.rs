//! From the graph to the lowered schema. Only keywords that the profile accepts are written; the others become
//! sentences in the description, and losses.

mod composite;
mod definitions;
mod describe;

use std::collections::HashSet;

use accord_json::{Exceeded, Meter};
use serde_json::{Map, Value, json};

use super::facts::Facts;
use super::fields::{LiftContext, tag};
use super::graph::{Branch, Graph, Node, NodeId, Shape};
use super::loss::{EnforcedBy, Loss};
use super::plan::is_exclusive;
use super::profile::{Anything, Profile, References, Root, Tuples};
use super::text;
use crate::json_path::JsonPath;
use crate::limits::{MAX_COMPARED_PARTS, MAX_LOWERED_DEPTH, MAX_LOWERED_PARTS};
use definitions::Definitions;

pub(super) struct Emitted {
    pub(super) schema: Value,
    pub(super) losses: Vec<Loss>,
    /// The root is in `{"value": …}`.
    pub(super) wrapped: bool,
    /// A part was left as any value because it lies too deep.
    pub(super) too_deep: bool,
}

/// The lowered schema. It is not whole if the meter has refused something.
pub(super) fn emit(graph: &Graph, facts: &Facts, profile: &Profile, meter: &Meter) -> Emitted {
    let context = LiftContext { graph, facts, profile };
    let mut emitter = Emitter {
        context,
        definitions: Definitions::of(graph),
        path: HashSet::new(),
        written: 0,
        losses: Vec::new(),
        too_deep: false,
        meter,
    };
    let root = graph.root();
    let is_object = match &graph.get(root).shape {
        Shape::Object { .. } => true,
        Shape::Tuple { .. } => profile.tuples == Tuples::Object,
        _ => false,
    };
    let wrapped = profile.root == Root::Object && !is_object;
    let mut schema = if wrapped {
        composite::object([("value", emitter.schema(root, 3))], &["value"])
    } else {
        emitter.body(root, 1)
    };
    let mut definitions = Map::new();
    while let Some((id, name)) = emitter.definitions.next() {
        definitions.insert(name, emitter.body(id, 3));
    }
    if let Some(schema) = schema.as_object_mut().filter(|_| !definitions.is_empty()) {
        schema.insert("$defs".to_owned(), Value::Object(definitions));
    }
    Emitted { schema, losses: emitter.losses, wrapped, too_deep: emitter.too_deep }
}

struct Emitter<'g> {
    context: LiftContext<'g>,
    definitions: Definitions,
    /// The nodes that are being written, to see recursion where references are inlined.
    path: HashSet<NodeId>,
    written: usize,
    losses: Vec<Loss>,
    too_deep: bool,
    meter: &'g Meter,
}

impl<'g> Emitter<'g> {
    fn profile(&self) -> &'g Profile {
        self.context.profile
    }

    /// The schema of a node, by reference where it has a definition. `depth` is its depth in the document.
    fn schema(&mut self, id: NodeId, depth: usize) -> Value {
        if self.profile().references == References::Keep
            && let Some(name) = self.definitions.name(id)
        {
            return json!({ "$ref": format!("#/$defs/{name}") });
        }
        self.body(id, depth)
    }

    fn body(&mut self, id: NodeId, depth: usize) -> Value {
        self.written += 1;
        let node = self.context.graph.get(id);
        if self.charge(node).is_err() {
            return self.anything();
        }
        if depth > MAX_LOWERED_DEPTH || self.written > MAX_LOWERED_PARTS {
            self.too_deep = true;
            self.lose(&node.place, "$ref", "too deep or too large: any value is accepted from here on");
            return self.anything();
        }
        if !self.path.insert(id) {
            self.lose(&node.place, "$ref", "the schema is recursive: any value is accepted from here on");
            return self.anything();
        }
        let schema = self.shape(node, depth);
        self.path.remove(&id);
        self.describe(node, schema)
    }

    /// Where references are inlined, an enum is written as often as it is used.
    fn charge(&self, node: &Node) -> Result<(), Exceeded> {
        self.meter.steps(1)?;
        self.meter.bytes(node.description.as_ref().map_or(0, String::len))?;
        let written = |value: &Value| match value {
            Value::String(text) => text.len(),
            value => value.to_string().len(),
        };
        let (Shape::Scalar { values: Some(values), .. } | Shape::Literals { values }) = &node.shape else {
            return Ok(());
        };
        values.iter().try_for_each(|value| {
            self.meter.values(1)?;
            self.meter.bytes(written(value))
        })
    }

    fn shape(&mut self, node: &'g Node, depth: usize) -> Map<String, Value> {
        match &node.shape {
            Shape::Never => {
                self.lose(&node.place, "false", "no value conforms here");
                as_map(json!({ "type": "null" }))
            }
            Shape::Any => as_map(self.anything()),
            Shape::Scalar { types, values } => self.scalar(types, values.as_deref()),
            Shape::Literals { values } => {
                let texts: Vec<Value> = values.iter().map(text::write).collect();
                with([("type", "string".into()), ("enum", texts.into())])
            }
            Shape::List { items } => {
                let items = self.schema(*items, depth + 1);
                with([("type", "array".into()), ("items", items)])
            }
            Shape::Object { members, rest } => self.object(node, members, rest.as_ref(), depth),
            Shape::Map { rest } => self.map(node, rest, depth),
            Shape::Tuple { members, rest } => self.tuple(node, members, *rest, depth),
            Shape::Union { branches, tagged, exactly_one } => {
                self.union(node, branches, *tagged, *exactly_one, depth)
            }
        }
    }

    fn anything(&self) -> Value {
        match self.profile().anything {
            Anything::Text => {
                json!({ "type": "string", "description": "A JSON value, written as JSON text." })
            }
            Anything::Keep => json!({}),
        }
    }

    fn scalar(&self, types: &[&'static str], values: Option<&[Value]>) -> Map<String, Value> {
        let mut schema = Map::new();
        let composite = types.iter().any(|name| matches!(*name, "array" | "object"));
        if !composite {
            schema.insert("type".to_owned(), type_value(types));
        }
        if let Some(values) = values {
            schema.insert("enum".to_owned(), Value::Array(values.to_vec()));
        }
        schema
    }

    fn union(
        &mut self,
        node: &'g Node,
        branches: &[Branch],
        tagged: bool,
        exactly_one: bool,
        depth: usize,
    ) -> Map<String, Value> {
        let nodes: Vec<NodeId> = branches.iter().map(|branch| branch.node).collect();
        if exactly_one && !is_exclusive(self.context, &nodes, self.meter) {
            self.lose(&node.place, "oneOf", "sent as 'anyOf': more than one branch may match");
        }
        as_map(self.any_of(nodes.into_iter().enumerate(), |emitter, (index, id)| {
            let name = tag(index);
            Some(match tagged {
                true => composite::object([(name.as_str(), emitter.schema(id, depth + 4))], &[&name]),
                false => emitter.schema(id, depth + 2),
            })
        }))
    }

    /// Alternatives without repetitions; an only one stands by itself. Large ones are not compared, because that would read them
    /// again at every level.
    fn any_of<T>(
        &mut self,
        items: impl IntoIterator<Item = T>,
        mut write: impl FnMut(&mut Self, T) -> Option<Value>,
    ) -> Value {
        let (mut schemas, mut seen) = (Vec::new(), HashSet::new());
        for item in items {
            let before = self.parts();
            let Some(schema) = write(self, item) else { continue };
            if self.parts() - before > MAX_COMPARED_PARTS || seen.insert(schema.clone()) {
                schemas.push(schema);
            }
        }
        match schemas.pop() {
            Some(only) if schemas.is_empty() => only,
            last => {
                schemas.extend(last);
                Value::Object(with([("anyOf", schemas.into())]))
            }
        }
    }

    /// How many parts and values of enums were written so far.
    fn parts(&self) -> u64 {
        self.written as u64 + self.meter.spent().values
    }

    fn lose(&mut self, place: &JsonPath, keyword: &str, detail: &str) {
        self.losses.push(Loss {
            pointer: place.pointer(),
            keyword: keyword.to_owned(),
            enforced_by: EnforcedBy::Validator,
            detail: Some(detail.to_owned()),
        });
    }
}

fn type_value(types: &[&str]) -> Value {
    match types {
        [only] => Value::from(*only),
        several => Value::from(several.to_vec()),
    }
}

/// A schema of these keywords. Values are moved in: `json!` would copy whole subtrees at each level.
fn with<const COUNT: usize>(keywords: [(&str, Value); COUNT]) -> Map<String, Value> {
    keywords.into_iter().map(|(keyword, value)| (keyword.to_owned(), value)).collect()
}

fn as_map(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}
