//! From an answer in lowered form to an answer to the source. Only what lowering certainly made is undone: a
//! part that does not have the lowered shape is left as it is, and the full schema judges it.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use accord_json::reserved::PREFIX as RESERVED_KEYS;
use accord_json::{Exceeded, Meter};
use serde_json::{Map, Value};
use thiserror::Error;

use super::encode::Guards;
use super::facts::Facts;
use super::fields::{LiftContext, REST_ITEMS, choice, pair};
use super::graph::{Graph, Member, NodeId, Presence, Rest, Shape};
use super::kinds::{Kinds, same};
use super::profile::{Maps, Profile, Tuples};
use super::text;
use crate::json_path::JsonPath;
use crate::schema::Schema;

/// The way back from lowered answers. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Lift {
    pub(super) inner: Arc<Inner>,
    /// Whether the answer came the way that the lowered schema was sent.
    through_channel: bool,
}

#[derive(Debug)]
pub(super) struct Inner {
    pub(super) source: Schema,
    pub(super) graph: Graph,
    pub(super) facts: Facts,
    pub(super) profile: Profile,
    pub(super) wrapped: bool,
    pub(super) guards: OnceLock<Guards>,
}

/// An answer in lowered form that cannot be converted to a single value.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{path}: {message}")]
pub struct LiftError {
    /// The place in the answer as people write it.
    pub path: String,
    /// The place in the answer as RFC 6901 writes it.
    pub pointer: String,
    /// What is wrong.
    pub message: String,
}

impl LiftError {
    fn new(place: &JsonPath, message: String) -> Self {
        Self { path: place.path(), pointer: place.pointer(), message }
    }
}

impl Lift {
    pub(super) fn new(schema: &Schema, graph: Graph, facts: Facts, profile: &Profile, wrapped: bool) -> Self {
        let (source, profile, guards) = (schema.clone(), profile.clone(), OnceLock::new());
        let inner = Arc::new(Inner { source, graph, facts, profile, wrapped, guards });
        Self { inner, through_channel: true }
    }

    /// The conversion for an answer outside of the channel of the lowered schema, such as a text in the
    /// place of a tool call. A wrapper around it is still removed, and reported as a repair.
    #[must_use]
    pub fn beside_channel(self) -> Self {
        Self { through_channel: false, ..self }
    }

    pub(crate) fn is_through_channel(&self) -> bool {
        self.through_channel
    }

    /// Whether lifting takes an answer out of the wrapper that lowering made around the root. Content of another type than was
    /// sent shows that the provider ignored the form, so the wrapper is the model's own.
    pub(crate) fn unwraps(&self, answer: &Value) -> bool {
        let kinds = self.inner.facts.kinds(self.inner.graph.root());
        self.inner.wrapped && boxed(answer).is_some_and(|content| kinds.meets(Kinds::of(content)))
    }

    /// Whether lifting changes nothing.
    pub fn is_identity(&self) -> bool {
        !self.inner.wrapped && self.inner.facts.transparent(self.inner.graph.root())
    }

    /// Whether the lowered form writes values otherwise than the source: not only nulls for what is absent, but texts, lists
    /// or wrappers with another meaning.
    pub fn reshapes(&self) -> bool {
        self.inner.wrapped || self.inner.facts.reshaped()
    }

    /// Turns an answer in lowered form into an answer to the source.
    pub fn lift(&self, answer: Value, meter: &Meter) -> Result<Value, LiftError> {
        let mut place = JsonPath::root();
        let mut answer = answer;
        if self.inner.wrapped {
            if !self.unwraps(&answer) {
                return Ok(answer);
            }
            answer = answer.get_mut("value").map(Value::take).unwrap_or_default();
            place = place.key("value");
        }
        let lifted = Lifting { inner: &self.inner, meter }.value(self.inner.graph.root(), answer, &place)?;
        meter.check().map_err(|exceeded| LiftError::new(&JsonPath::root(), too_much(exceeded)))?;
        Ok(lifted)
    }
}

/// The error for an answer that takes too much to convert.
fn too_much(exceeded: Exceeded) -> String {
    format!("the answer cannot be converted to the schema: {exceeded}; make the answer or the schema smaller")
}

/// One lift, with what it may cost.
struct Lifting<'l> {
    inner: &'l Inner,
    meter: &'l Meter,
}

impl std::ops::Deref for Lifting<'_> {
    type Target = Inner;

    fn deref(&self) -> &Inner {
        self.inner
    }
}

impl Inner {
    pub(super) fn context(&self) -> LiftContext<'_> {
        LiftContext { graph: &self.graph, facts: &self.facts, profile: &self.profile }
    }
}

impl Lifting<'_> {
    fn value(&self, id: NodeId, answer: Value, place: &JsonPath) -> Result<Value, LiftError> {
        self.meter.steps(1).map_err(|exceeded| LiftError::new(place, too_much(exceeded)))?;
        if self.facts.transparent(id) {
            return Ok(answer);
        }
        match (&self.graph.get(id).shape, answer) {
            (Shape::Any, Value::String(text)) => Ok(read(&text, place)?.unwrap_or(Value::String(text))),
            (Shape::Literals { values }, Value::String(text)) => {
                let known = read(&text, place)?.filter(|read| values.iter().any(|value| same(value, read)));
                Ok(known.unwrap_or(Value::String(text)))
            }
            (Shape::List { items }, Value::Array(answers)) => {
                let lifted = answers.into_iter().enumerate();
                lifted.map(|(index, answer)| self.value(*items, answer, &place.index(index))).collect()
            }
            (Shape::Map { rest }, Value::Array(items)) if self.profile.maps == Maps::Pairs => {
                let mut folded = Map::new();
                match self.fold(rest, items, place, &mut folded)? {
                    Some(items) => Ok(Value::Array(items)),
                    None => Ok(Value::Object(folded)),
                }
            }
            (Shape::Map { rest }, Value::Object(answers)) if self.profile.maps == Maps::Keep => {
                self.kept(rest, answers, place)
            }
            (Shape::Object { members, rest }, Value::Object(answers)) => {
                self.object(members, rest.as_ref(), answers, place)
            }
            (Shape::Tuple { members, rest }, Value::Object(answers))
                if self.profile.tuples == Tuples::Object =>
            {
                self.tuple(members, *rest, answers, place)
            }
            (Shape::Union { branches, tagged: true, .. }, Value::Object(answers)) => {
                let answer = Value::Object(answers);
                let Some(branch) = choice(&answer, branches.len()).and_then(|index| branches.get(index))
                else {
                    return Ok(answer);
                };
                match only(answer) {
                    Ok((name, inner)) => self.value(branch.node, inner, &place.key(&name)),
                    Err(answer) => Ok(answer),
                }
            }
            (Shape::Union { branches, tagged: false, .. }, answer) => {
                // An answer with more members than its branch has goes to the branch that leaves the fewest over.
                let context = self.context();
                let fitting = branches
                    .iter()
                    .filter_map(|branch| Some((context.surplus(branch.node, &answer, self.meter)?, branch)))
                    .min_by_key(|(surplus, _)| *surplus)
                    .map(|(_, branch)| branch);
                match fitting {
                    Some(branch) => self.value(branch.node, answer, place),
                    None => Ok(answer),
                }
            }
            (_, answer) => Ok(answer),
        }
    }

    fn object(
        &self,
        members: &[Member],
        rest: Option<&Rest>,
        answers: Map<String, Value>,
        place: &JsonPath,
    ) -> Result<Value, LiftError> {
        let known: HashMap<&str, &Member> =
            members.iter().map(|member| (member.wire.as_str(), member)).collect();
        let mut lifted = Map::new();
        let mut pairs = None;
        for (wire, answer) in answers {
            let inner = place.key(&wire);
            match known.get(wire.as_str()) {
                Some(member) => {
                    if let Some(value) = self.member(member, answer, &inner)? {
                        insert(&mut lifted, member.name.clone(), value, &inner)?;
                    }
                }
                None => match rest {
                    Some(rest) if self.profile.maps == Maps::Pairs && rest.wire == wire => {
                        pairs = Some((rest, answer, inner));
                    }
                    Some(rest) if self.profile.maps == Maps::Keep => {
                        let node = rest.node_of(&wire);
                        let value =
                            node.map_or(Ok(answer.clone()), |node| self.value(node, answer, &inner))?;
                        insert(&mut lifted, wire, value, &inner)?;
                    }
                    _ => insert(&mut lifted, wire, answer, &inner)?,
                },
            }
        }
        // Last, so that a name among the pairs that an own member has already is seen.
        if let Some((rest, answer, inner)) = pairs {
            let left = match answer {
                Value::Array(items) => self.fold(rest, items, &inner, &mut lifted)?.map(Value::Array),
                other => Some(other),
            };
            if let Some(left) = left {
                insert(&mut lifted, rest.wire.clone(), left, &inner)?;
            }
        }
        Ok(Value::Object(lifted))
    }

    /// The value of a member; `None` if the answer says that it is absent.
    fn member(&self, member: &Member, answer: Value, place: &JsonPath) -> Result<Option<Value>, LiftError> {
        let absent = match member.presence {
            Presence::Plain => false,
            Presence::Nullable | Presence::Boxed => answer.is_null(),
            Presence::MarkedByObject => answer
                .as_object()
                .is_some_and(|mark| mark.len() == 1 && mark.get("absent") == Some(&Value::Bool(true))),
            Presence::MarkedByText => answer == "absent",
        };
        if absent {
            return Ok(None);
        }
        if member.presence == Presence::Boxed {
            return match unbox(answer) {
                Ok(value) => self.value(member.node, value, &place.key("value")).map(Some),
                Err(answer) => Ok(Some(answer)),
            };
        }
        self.value(member.node, answer, place).map(Some)
    }

    /// Folds pairs into an object, or gives them back when they are not all pairs.
    fn fold(
        &self,
        rest: &Rest,
        items: Vec<Value>,
        place: &JsonPath,
        folded: &mut Map<String, Value>,
    ) -> Result<Option<Vec<Value>>, LiftError> {
        if !items.iter().all(|item| pair(item).is_some()) {
            return Ok(Some(items));
        }
        for (index, mut item) in items.into_iter().enumerate() {
            let place = place.index(index);
            let name = item.get("key").and_then(Value::as_str).unwrap_or_default().to_owned();
            let answer = item.get_mut("value").map(Value::take).unwrap_or_default();
            let value = match rest.node_of(&name) {
                Some(node) => self.value(node, answer, &place.key("value"))?,
                None => answer,
            };
            insert(folded, name, value, &place.key("key"))?;
        }
        Ok(None)
    }

    fn kept(&self, rest: &Rest, answers: Map<String, Value>, place: &JsonPath) -> Result<Value, LiftError> {
        let mut lifted = Map::new();
        for (name, answer) in answers {
            let value = match rest.node_of(&name) {
                Some(node) => self.value(node, answer, &place.key(&name))?,
                None => answer,
            };
            lifted.insert(name, value);
        }
        Ok(Value::Object(lifted))
    }

    fn tuple(
        &self,
        members: &[Member],
        rest: Option<NodeId>,
        answers: Map<String, Value>,
        place: &JsonPath,
    ) -> Result<Value, LiftError> {
        let more = answers.get(REST_ITEMS).and_then(Value::as_array).filter(|_| rest.is_some());
        let positions = answers.len() - usize::from(more.is_some());
        let whole = rest.is_some() == more.is_some()
            && (0..positions).all(|index| answers.contains_key(&index.to_string()))
            && members.iter().skip(positions).all(|member| !member.always_there());
        if !whole {
            return Ok(Value::Object(answers));
        }
        let mut lifted = Vec::new();
        let mut ended = false;
        for index in 0..positions {
            let name = index.to_string();
            let answer = answers.get(&name).cloned().unwrap_or_default();
            let value = match members.get(index) {
                Some(member) => self.member(member, answer, &place.key(&name))?,
                None => Some(answer),
            };
            match value {
                Some(_) if ended => return Ok(Value::Object(answers)),
                Some(value) => lifted.push(value),
                None => ended = true,
            }
        }
        if let (Some(rest), Some(more)) = (rest, more) {
            if ended && !more.is_empty() {
                return Ok(Value::Object(answers));
            }
            match self.value(rest, Value::Array(more.clone()), &place.key(REST_ITEMS))? {
                Value::Array(items) => lifted.extend(items),
                _ => return Ok(Value::Object(answers)),
            }
        }
        Ok(Value::Array(lifted))
    }
}

fn insert(
    lifted: &mut Map<String, Value>,
    name: String,
    value: Value,
    place: &JsonPath,
) -> Result<(), LiftError> {
    if name.starts_with(RESERVED_KEYS) {
        let message = format!("the key {} is reserved; use another name", Value::from(name));
        return Err(LiftError::new(place, message));
    }
    if lifted.contains_key(&name) {
        let message = format!("duplicate key {}", Value::from(name));
        return Err(LiftError::new(place, message));
    }
    lifted.insert(name, value);
    Ok(())
}

fn read(text: &str, place: &JsonPath) -> Result<Option<Value>, LiftError> {
    text::read(text).map_err(|fault| {
        LiftError::new(place, format!("the string does not contain valid JSON: {}", fault.message()))
    })
}

/// The value in `{"value": …}`, or the answer back.
fn unbox(answer: Value) -> Result<Value, Value> {
    match boxed(&answer) {
        Some(_) => only(answer).map(|(_, value)| value),
        None => Err(answer),
    }
}

fn boxed(answer: &Value) -> Option<&Value> {
    answer.as_object().filter(|members| members.len() == 1)?.get("value")
}

/// The one member of an object, or the answer back.
fn only(answer: Value) -> Result<(String, Value), Value> {
    match answer {
        Value::Object(members) if members.len() == 1 => {
            members.into_iter().next().ok_or_else(|| Value::Object(Map::new()))
        }
        other => Err(other),
    }
}
