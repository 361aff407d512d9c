//! JSON in templates: objects keep the order of their fields and numbers keep their digits.
//!
//! Lists and objects know how large and how deep they are once they are written out, because one that holds itself twice, in
//! a list that is held twice, is short to make and endless to look at. So whatever works on a value can be charged for
//! it before it begins, see [`super::guard`].

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use minijinja::value::{Enumerator, Object, ObjectRepr, ValueKind};
use minijinja::{Error, ErrorKind, Value as Rendered};
use serde_json::{Map, Number, Value};

use super::rendering::{Exact, NAME, Rendering};
use super::{INPUT, TemplateError, Variables, too_deep};
use crate::limits::{MAX_TEMPLATE_DEPTH, TEMPLATE_WORK};

/// How large a value is, written out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Measure {
    /// What it costs to look at all of it, in units of the rendering's budget.
    pub(super) units: u64,
    /// How many lists and objects nest in it.
    pub(super) depth: usize,
}

impl Measure {
    fn of_text(bytes: usize) -> Self {
        Self { units: Rendering::units_of(bytes), depth: 0 }
    }

    /// A list or object of parts with these measures.
    fn around(parts: impl Iterator<Item = Self>) -> Self {
        let whole = parts.fold(Self { units: 1, depth: 0 }, |whole, part| Self {
            units: whole.units.saturating_add(part.units),
            depth: whole.depth.max(part.depth),
        });
        Self { depth: whole.depth + 1, ..whole }
    }

    /// Refuses what no template may make.
    fn check(self) -> Result<Self, Error> {
        let message = match self {
            Self { depth, .. } if depth > MAX_TEMPLATE_DEPTH => {
                format!("it creates a value nested deeper than {MAX_TEMPLATE_DEPTH} levels")
            }
            Self { units, .. } if units > TEMPLATE_WORK => {
                format!("it creates more than {TEMPLATE_WORK} values")
            }
            small => return Ok(small),
        };
        Err(Error::new(ErrorKind::InvalidOperation, message))
    }
}

/// A list or an object that templates may look into and that can be had back as it was.
#[derive(Debug)]
pub(super) struct Json {
    parts: Parts,
    measure: Measure,
    rendering: Arc<Rendering>,
}

#[derive(Debug)]
enum Parts {
    List(Vec<Part>),
    Members { names: Vec<Rendered>, members: HashMap<String, Part> },
}

#[derive(Debug)]
enum Part {
    Number(Number),
    Other(Rendered),
}

impl Json {
    fn of_list(items: &[Value], trust: Trust, rendering: &Arc<Rendering>) -> Self {
        let (parts, measures): (Vec<_>, Vec<_>) =
            items.iter().map(|item| part(item, trust, rendering)).unzip();
        let measure = Measure::around(measures.into_iter());
        Self { parts: Parts::List(parts), measure, rendering: Arc::clone(rendering) }
    }

    fn of_object(
        members: &Map<String, Value>,
        trust: impl Fn(&str) -> Trust,
        rendering: &Arc<Rendering>,
    ) -> Self {
        let mut measures = Vec::with_capacity(members.len());
        let parts = members.iter().map(|(name, member)| {
            let (part, measure) = part(member, trust(name), rendering);
            measures.extend([measure, Measure::of_text(name.len())]);
            (name.clone(), part)
        });
        let members_by_name = parts.collect();
        let names = members.keys().map(|name| Rendered::from(name.as_str())).collect();
        let parts = Parts::Members { names, members: members_by_name };
        Self { parts, measure: Measure::around(measures.into_iter()), rendering: Arc::clone(rendering) }
    }

    fn get(&self, key: &Rendered) -> Option<Rendered> {
        let found = match &self.parts {
            Parts::List(items) => items.get(key.as_usize()?),
            Parts::Members { members, .. } => members.get(name_of(key)?.as_ref()),
        }?;
        Some(match found {
            Part::Number(number) => self.rendering.number(number),
            Part::Other(value) => value.clone(),
        })
    }

    fn value(&self, depth: usize) -> Result<Value, TemplateError> {
        let value = |part: &Part| match part {
            Part::Number(number) => Ok(Value::Number(number.clone())),
            Part::Other(value) => at_depth(value, &self.rendering, depth + 1),
        };
        match &self.parts {
            Parts::List(items) => items.iter().map(value).collect::<Result<_, _>>().map(Value::Array),
            Parts::Members { names, members } => {
                let members = names.iter().filter_map(|name| members.get_key_value(name.as_str()?));
                let members = members.map(|(name, member)| Ok((name.clone(), value(member)?)));
                members.collect::<Result<_, TemplateError>>().map(Value::Object)
            }
        }
    }
}

impl Object for Json {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        match self.parts {
            Parts::List(_) => ObjectRepr::Seq,
            Parts::Members { .. } => ObjectRepr::Map,
        }
    }

    fn get_value(self: &Arc<Self>, key: &Rendered) -> Option<Rendered> {
        self.get(key)
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        match &self.parts {
            Parts::List(items) => Enumerator::Seq(items.len()),
            Parts::Members { names, .. } => Enumerator::Values(names.clone()),
        }
    }
}

/// The name of a field: keys that are not strings are written as in JSON.
fn name_of(key: &Rendered) -> Option<Cow<'_, str>> {
    match key.kind() {
        ValueKind::String => key.as_str().map(Cow::Borrowed),
        ValueKind::Number | ValueKind::Bool => Some(Cow::Owned(key.to_string())),
        _ => None,
    }
}

/// A list that a template makes. Its items are paid for.
pub(super) fn list(items: Vec<Rendered>, rendering: &Arc<Rendering>) -> Result<Rendered, Error> {
    rendering.spend(1 + items.len() as u64)?;
    let measures = items.iter().map(|item| measure(item, rendering)).collect::<Result<Vec<_>, _>>()?;
    let measure = Measure::around(measures.into_iter()).check()?;
    let parts = Parts::List(items.into_iter().map(Part::Other).collect());
    Ok(Rendered::from_object(Json { parts, measure, rendering: Arc::clone(rendering) }))
}

/// An object that a template makes. Its fields are paid for.
pub(super) fn object(
    fields: impl Iterator<Item = (Rendered, Rendered)>,
    rendering: &Arc<Rendering>,
) -> Result<Rendered, Error> {
    let (mut names, mut members, mut measures) = (Vec::new(), HashMap::new(), Vec::new());
    for (key, member) in fields {
        rendering.spend(2)?;
        measures.extend([measure(&key, rendering)?, measure(&member, rendering)?]);
        let Some(name) = name_of(&key) else {
            let message = format!("expected a string as the name of a field, got {}", key.kind());
            return Err(Error::new(ErrorKind::InvalidOperation, message));
        };
        if members.insert(name.clone().into_owned(), Part::Other(member)).is_none() {
            names.push(Rendered::from(name.as_ref()));
        }
    }
    let measure = Measure::around(measures.into_iter()).check()?;
    let parts = Parts::Members { names, members };
    Ok(Rendered::from_object(Json { parts, measure, rendering: Arc::clone(rendering) }))
}

/// How large a value is. Ours know it; what the library made is looked through, and that is paid for.
pub(super) fn measure(value: &Rendered, rendering: &Rendering) -> Result<Measure, Error> {
    measure_at(value, rendering, 0)
}

fn measure_at(value: &Rendered, rendering: &Rendering, depth: usize) -> Result<Measure, Error> {
    if let Some(text) = value.as_str() {
        return Ok(Measure::of_text(text.len()));
    }
    if let Some(json) = value.downcast_object_ref::<Json>() {
        return Ok(json.measure);
    }
    if !matches!(value.kind(), ValueKind::Seq | ValueKind::Iterable | ValueKind::Map) {
        return Ok(Measure::of_text(0));
    }
    Measure { units: 1, depth }.check()?;
    let mut parts = Vec::new();
    for item in value.try_iter()? {
        rendering.spend(1)?;
        if value.kind() == ValueKind::Map {
            parts.push(measure_at(&value.get_item(&item)?, rendering, depth + 1)?);
        }
        parts.push(measure_at(&item, rendering, depth + 1)?);
    }
    Measure::around(parts.into_iter()).check()
}

/// What an operator or a filter made, as a value that knows its size. What the library does only when it is asked for an item
/// is done here, once.
pub(super) fn settled(value: Rendered, rendering: &Arc<Rendering>) -> Result<Rendered, Error> {
    if let Some(text) = value.as_str() {
        rendering.spend_bytes(text.len())?;
        return Ok(value);
    }
    if value.downcast_object_ref::<Json>().is_some() || value.is_kwargs() {
        return Ok(value);
    }
    match value.kind() {
        ValueKind::Seq | ValueKind::Iterable => {
            let mut items = Vec::new();
            for item in value.try_iter()? {
                rendering.spend(1)?;
                items.push(item);
            }
            list(items, rendering)
        }
        ValueKind::Map => {
            let names = value.try_iter()?;
            object(names.map(|name| (name.clone(), value.get_item(&name).unwrap_or_default())), rendering)
        }
        _ => Ok(value),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trust {
    /// The author of the workflow, or the caller of the run.
    Caller,
    Agent,
}

/// What a template knows by name, and the rendering itself.
#[derive(Debug)]
struct Root(Json);

impl Object for Root {
    fn get_value(self: &Arc<Self>, key: &Rendered) -> Option<Rendered> {
        match key.as_str() == Some(NAME) {
            true => Some(Rendered::from_dyn_object(Arc::clone(&self.0.rendering))),
            false => self.0.get(key),
        }
    }
}

pub(super) fn context(variables: &Variables, rendering: &Arc<Rendering>) -> Rendered {
    let trust = |name: &str| if name == INPUT { Trust::Caller } else { Trust::Agent };
    Rendered::from_object(Root(Json::of_object(variables, trust, rendering)))
}

fn part(value: &Value, trust: Trust, rendering: &Arc<Rendering>) -> (Part, Measure) {
    let json = |json: Json| {
        let measure = json.measure;
        (Part::Other(Rendered::from_object(json)), measure)
    };
    match value {
        Value::Null => (Part::Other(Rendered::from(())), Measure::of_text(0)),
        Value::Bool(truth) => (Part::Other(Rendered::from(*truth)), Measure::of_text(0)),
        Value::String(text) => {
            let string = match trust {
                Trust::Caller => Rendered::from_safe_string(text.clone()),
                Trust::Agent => Rendered::from(text.as_str()),
            };
            (Part::Other(string), Measure::of_text(text.len()))
        }
        Value::Number(number) => (Part::Number(number.clone()), Measure::of_text(number.as_str().len())),
        Value::Array(items) => json(Json::of_list(items, trust, rendering)),
        Value::Object(members) => json(Json::of_object(members, |_| trust, rendering)),
    }
}

/// What a JSON value costs to copy, in units of the rendering's budget.
pub(super) fn units_of(value: &Value) -> u64 {
    match value {
        Value::String(text) => Rendering::units_of(text.len()),
        Value::Array(items) => 1 + items.iter().map(units_of).sum::<u64>(),
        Value::Object(members) => {
            let fields =
                members.iter().map(|(name, member)| Rendering::units_of(name.len()) + units_of(member));
            1 + fields.sum::<u64>()
        }
        _ => 1,
    }
}

pub(super) fn depth_of(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(depth_of).max().unwrap_or_default(),
        Value::Object(members) => 1 + members.values().map(depth_of).max().unwrap_or_default(),
        _ => 0,
    }
}

/// JSON from what a template made. All of it is paid for first.
pub(super) fn to_json(value: &Rendered, rendering: &Rendering) -> Result<Value, TemplateError> {
    measure(value, rendering).and_then(|measure| rendering.spend(measure.units))?;
    at_depth(value, rendering, 0)
}

fn at_depth(value: &Rendered, rendering: &Rendering, depth: usize) -> Result<Value, TemplateError> {
    if depth > MAX_TEMPLATE_DEPTH {
        return Err(too_deep());
    }
    if let Some(json) = value.downcast_object_ref::<Json>() {
        return json.value(depth);
    }
    if let Some(Exact(number)) = value.downcast_object_ref() {
        return Ok(Value::Number(number.clone()));
    }
    let unusable =
        || TemplateError::new(format!("it evaluates to a value that is not JSON: {}", value.kind()));
    match value.kind() {
        ValueKind::Undefined | ValueKind::None => Ok(Value::Null),
        ValueKind::Bool => Ok(Value::Bool(value.is_true())),
        ValueKind::String => Ok(Value::from(value.as_str().unwrap_or_default())),
        ValueKind::Number => match rendering.written(value) {
            Some(number) => Ok(Value::Number(number)),
            None => serde_json::from_str(&value.to_string()).map_err(|_| unusable()),
        },
        ValueKind::Seq | ValueKind::Iterable => {
            let items = value.try_iter().map_err(|_| unusable())?;
            let items = items.map(|item| at_depth(&item, rendering, depth + 1));
            items.collect::<Result<Vec<_>, _>>().map(Value::Array)
        }
        ValueKind::Map => {
            let names = value.try_iter().map_err(|_| unusable())?;
            let members = names.map(|name| {
                let member = value.get_item(&name).map_err(|_| unusable())?;
                let name = name.as_str().map_or_else(|| name.to_string(), str::to_owned);
                Ok((name, at_depth(&member, rendering, depth + 1)?))
            });
            members.collect::<Result<Map<_, _>, TemplateError>>().map(Value::Object)
        }
        _ => Err(unusable()),
    }
}

/// Whether a value is written as JSON and not as text.
pub(super) fn is_structured(value: &Rendered) -> bool {
    matches!(
        value.kind(),
        ValueKind::Seq | ValueKind::Map | ValueKind::Iterable | ValueKind::None | ValueKind::Bool
    )
}

/// A value as JSON for people and models.
pub(super) fn pretty(value: &Rendered, rendering: &Rendering) -> Result<String, Error> {
    match to_json(value, rendering) {
        Ok(value) => Ok(format!("{value:#}")),
        Err(error) => {
            // A value that exceeds the budget must not be written another way.
            rendering.spend(1)?;
            Err(Error::new(ErrorKind::InvalidOperation, error.to_string()))
        }
    }
}
