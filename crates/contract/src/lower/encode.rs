//! From a conforming value to its lowered form: the inverse of lifting. Examples in a prompt have to be shown
//! to the model in the form that it is asked for.

use std::collections::HashMap;

use accord_json::{Exceeded, Meter};
use jsonschema::{Draft, PatternOptions, Registry, Validator};
use serde_json::{Map, Value, json};

use super::fields::{REST_ITEMS, tag};
use super::graph::{Branch, Guard, Member, NodeId, Presence, Rest, Shape};
use super::kinds::{Kinds, same};
use super::lift::{Inner, Lift};
use super::profile::{Maps, Tuples};
use super::text;
use crate::json_path::JsonPath;
use crate::schema::{Dialect, Schema};

/// Validators for the branches of unions, by place in the source.
pub(super) type Guards = HashMap<JsonPath, Validator>;

/// How many branches one encoding tries before it takes the first that will do.
const MAX_TRIALS: usize = 10_000;

impl Lift {
    /// Turns a value that conforms to the source into its lowered form. What the lowered schema has no room
    /// for is kept as it is.
    pub fn encode(&self, value: &Value, meter: &Meter) -> Result<Value, Exceeded> {
        let mut encoder = Encoder { inner: &self.inner, trials: 0, meter };
        let encoded = encoder.value(self.inner.graph.root(), value);
        meter.check()?;
        Ok(if self.inner.wrapped { json!({ "value": encoded }) } else { encoded })
    }
}

struct Encoder<'l> {
    inner: &'l Inner,
    trials: usize,
    meter: &'l Meter,
}

impl Encoder<'_> {
    fn value(&mut self, id: NodeId, value: &Value) -> Value {
        let inner = self.inner;
        if self.meter.steps(1).is_err() || inner.facts.transparent(id) {
            return value.clone();
        }
        match (&inner.graph.get(id).shape, value) {
            (Shape::Any, value) => text::write(value),
            (Shape::Literals { values }, value) => {
                text::write(values.iter().find(|each| same(each, value)).unwrap_or(value))
            }
            (Shape::List { items }, Value::Array(values)) => {
                values.iter().map(|value| self.value(*items, value)).collect()
            }
            (Shape::Map { rest }, Value::Object(values)) => match inner.profile.maps {
                Maps::Pairs => values.iter().map(|(name, value)| self.pair(rest, name, value)).collect(),
                Maps::Keep => values
                    .iter()
                    .map(|(name, value)| (name.clone(), self.rest(rest, name, value)))
                    .collect::<Map<_, _>>()
                    .into(),
            },
            (Shape::Object { members, rest }, Value::Object(values)) => {
                self.object(members, rest.as_ref(), values)
            }
            (Shape::Tuple { members, rest }, Value::Array(values)) => match inner.profile.tuples {
                Tuples::Object => self.tuple(members, *rest, values),
                Tuples::Items => Value::Array(values.clone()),
            },
            (Shape::Union { branches, tagged, .. }, value) => self.union(branches, *tagged, value),
            (_, value) => value.clone(),
        }
    }

    fn object(&mut self, members: &[Member], rest: Option<&Rest>, values: &Map<String, Value>) -> Value {
        let mut encoded = Map::new();
        for member in members {
            if let Some(value) = self.member(member, values.get(&member.name)) {
                encoded.insert(member.wire.clone(), value);
            }
        }
        let known: std::collections::HashSet<&str> =
            members.iter().map(|member| member.name.as_str()).collect();
        let others = values.iter().filter(|(name, _)| !known.contains(name.as_str()));
        match rest {
            Some(rest) if self.inner.profile.maps == Maps::Pairs => {
                let pairs = others.map(|(name, value)| self.pair(rest, name, value)).collect();
                encoded.insert(rest.wire.clone(), pairs);
            }
            Some(rest) => {
                encoded.extend(others.map(|(name, value)| (name.clone(), self.rest(rest, name, value))));
            }
            None => encoded.extend(others.map(|(name, value)| (name.clone(), value.clone()))),
        }
        Value::Object(encoded)
    }

    fn member(&mut self, member: &Member, value: Option<&Value>) -> Option<Value> {
        match (value, member.presence) {
            (None, _) if member.required => None,
            (None, Presence::Plain) => None,
            (None, Presence::Nullable | Presence::Boxed) => Some(Value::Null),
            (None, Presence::MarkedByObject) => Some(json!({ "absent": true })),
            (None, Presence::MarkedByText) => Some(Value::from("absent")),
            (Some(value), Presence::Boxed) => Some(json!({ "value": self.value(member.node, value) })),
            (Some(value), _) => Some(self.value(member.node, value)),
        }
    }

    fn pair(&mut self, rest: &Rest, name: &str, value: &Value) -> Value {
        json!({ "key": name, "value": self.rest(rest, name, value) })
    }

    fn rest(&mut self, rest: &Rest, name: &str, value: &Value) -> Value {
        rest.node_of(name).map_or_else(|| value.clone(), |node| self.value(node, value))
    }

    fn tuple(&mut self, members: &[Member], rest: Option<NodeId>, values: &[Value]) -> Value {
        let mut encoded = Map::new();
        for (index, member) in members.iter().enumerate() {
            if let Some(value) = self.member(member, values.get(index)) {
                encoded.insert(member.wire.clone(), value);
            }
        }
        let more = values.get(members.len()..).unwrap_or_default();
        match rest {
            Some(rest) => {
                let more = self.value(rest, &Value::Array(more.to_vec()));
                encoded.insert(REST_ITEMS.to_owned(), more);
            }
            None => {
                let positions = members.len()..;
                encoded.extend(positions.zip(more).map(|(index, value)| (index.to_string(), value.clone())));
            }
        }
        Value::Object(encoded)
    }

    /// The first branch that the value conforms to and whose lowered form it takes.
    fn union(&mut self, branches: &[Branch], tagged: bool, value: &Value) -> Value {
        let mut second_best = None;
        for (index, branch) in branches.iter().enumerate() {
            if !self.inner.belongs(branch, value) {
                continue;
            }
            let encoded = self.value(branch.node, value);
            self.trials += 1;
            let fits = self.inner.fits_deeply(branch.node, &encoded, self.meter);
            let encoded = if tagged { json!({ tag(index): encoded }) } else { encoded };
            if fits || self.trials > MAX_TRIALS {
                return encoded;
            }
            second_best.get_or_insert(encoded);
        }
        second_best.unwrap_or_else(|| value.clone())
    }
}

impl Inner {
    fn belongs(&self, branch: &Branch, value: &Value) -> bool {
        match &branch.guard {
            Guard::Otherwise => true,
            Guard::Kinds(kinds) => kinds.meets(Kinds::of(value)),
            Guard::Schemas(places) => {
                let guards = self.guards.get_or_init(|| self.compile_guards());
                places.iter().all(|place| guards.get(place).is_none_or(|guard| guard.is_valid(value)))
            }
        }
    }

    /// Validators for every branch that has to be chosen.
    fn compile_guards(&self) -> Guards {
        let places = self.graph.ids().flat_map(|id| match &self.graph.get(id).shape {
            Shape::Union { branches, .. } if !self.facts.transparent(id) => branches
                .iter()
                .flat_map(|branch| match &branch.guard {
                    Guard::Schemas(places) => places.clone(),
                    Guard::Kinds(_) | Guard::Otherwise => Vec::new(),
                })
                .collect(),
            _ => Vec::new(),
        });
        compile(&self.source, places.collect()).unwrap_or_default()
    }
}

const ADDRESS: &str = "accord:source";

fn compile(source: &Schema, places: Vec<JsonPath>) -> Option<Guards> {
    let draft = match source.dialect() {
        Dialect::Draft7 => Draft::Draft7,
        Dialect::Draft201909 => Draft::Draft201909,
        Dialect::Draft202012 => Draft::Draft202012,
    };
    let resource = draft.create_resource(source.document().clone());
    let registry = Registry::new().draft(draft).add(ADDRESS, resource).ok()?.prepare().ok()?;
    let options = jsonschema::options()
        .with_draft(draft)
        .with_registry(&registry)
        .with_pattern_options(PatternOptions::regex())
        .should_validate_formats(true)
        .should_ignore_unknown_formats(true)
        .offline();
    let mut guards = Guards::new();
    for place in places {
        let reference = json!({ "$ref": format!("{ADDRESS}#{}", escape(&place.pointer())) });
        if let Ok(validator) = options.build(&reference) {
            guards.insert(place, validator);
        }
    }
    Some(guards)
}

/// A pointer as the fragment of an address.
fn escape(pointer: &str) -> String {
    use std::fmt::Write as _;
    let mut text = String::new();
    for byte in pointer.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/$".contains(&byte) {
            text.push(char::from(byte));
        } else {
            let _ = write!(text, "%{byte:02X}");
        }
    }
    text
}
