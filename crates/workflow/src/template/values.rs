//! JSON in templates: objects keep the order of their members and numbers keep their digits.
//!
//! Everything is made ready once, so that looking something up copies nothing. Each look is paid for.

use std::collections::HashMap;
use std::sync::Arc;

use minijinja::value::{Enumerator, Object, ObjectRepr, ValueKind};
use minijinja::{Error, Value as Rendered};
use serde_json::{Map, Number, Value};

use super::Variables;
use super::rendering::{Exact, NAME, Rendering};

/// The deepest value that comes out of a template: what JSON is read to.
const DEEPEST: usize = 128;

/// A list or an object that templates may look into and that can be had back as it was.
#[derive(Debug)]
struct Json {
    parts: Parts,
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
    fn list(items: &[Value], rendering: &Arc<Rendering>) -> Self {
        let items = items.iter().map(|item| part(item, rendering)).collect();
        Self { parts: Parts::List(items), rendering: Arc::clone(rendering) }
    }

    fn object(members: &Map<String, Value>, rendering: &Arc<Rendering>) -> Self {
        let names = members.keys().map(|name| Rendered::from(name.as_str())).collect();
        let members = members.iter().map(|(name, member)| (name.clone(), part(member, rendering))).collect();
        Self { parts: Parts::Members { names, members }, rendering: Arc::clone(rendering) }
    }

    fn get(&self, key: &Rendered) -> Option<Rendered> {
        let found = match &self.parts {
            Parts::List(items) => items.get(key.as_usize()?),
            Parts::Members { members, .. } => members.get(key.as_str()?),
        }?;
        Some(match (self.rendering.spend(1), found) {
            (Err(error), _) => Rendered::from(error),
            (Ok(()), Part::Number(number)) => self.rendering.number(number),
            (Ok(()), Part::Other(value)) => value.clone(),
        })
    }

    fn value(&self, depth: usize) -> Result<Value, String> {
        let value = |part: &Part| match part {
            Part::Number(number) => {
                self.rendering.spend(1).map_err(|error| super::said(&error))?;
                Ok(Value::Number(number.clone()))
            }
            Part::Other(value) => at_depth(value, &self.rendering, depth + 1),
        };
        match &self.parts {
            Parts::List(items) => items.iter().map(value).collect::<Result<_, _>>().map(Value::Array),
            Parts::Members { names, members } => {
                let members = names.iter().filter_map(|name| members.get_key_value(name.as_str()?));
                let members = members.map(|(name, member)| Ok((name.clone(), value(member)?)));
                members.collect::<Result<_, String>>().map(Value::Object)
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

/// The variables as templates see them.
pub(super) fn context(variables: &Variables, rendering: &Arc<Rendering>) -> Rendered {
    Rendered::from_object(Root(Json::object(variables, rendering)))
}

fn part(value: &Value, rendering: &Arc<Rendering>) -> Part {
    Part::Other(match value {
        Value::Null => Rendered::from(()),
        Value::Bool(truth) => Rendered::from(*truth),
        Value::String(text) => Rendered::from(text.as_str()),
        Value::Number(number) => return Part::Number(number.clone()),
        Value::Array(items) => Rendered::from_object(Json::list(items, rendering)),
        Value::Object(members) => Rendered::from_object(Json::object(members, rendering)),
    })
}

/// JSON from what a template made.
pub(super) fn to_json(value: &Rendered, rendering: &Rendering) -> Result<Value, String> {
    at_depth(value, rendering, 0)
}

fn at_depth(value: &Rendered, rendering: &Rendering, depth: usize) -> Result<Value, String> {
    if depth > DEEPEST {
        return Err(format!("it gives something that is nested deeper than {DEEPEST} levels"));
    }
    let text = value.as_str().unwrap_or_default();
    rendering.spend_bytes(text.len()).map_err(|error| super::said(&error))?;
    if let Some(json) = value.downcast_object_ref::<Json>() {
        return json.value(depth);
    }
    if let Some(Exact(number)) = value.downcast_object_ref() {
        return Ok(Value::Number(number.clone()));
    }
    let unusable = || format!("it gives something that is no JSON: {}", value.kind());
    match value.kind() {
        ValueKind::Undefined | ValueKind::None => Ok(Value::Null),
        ValueKind::Bool => Ok(Value::Bool(value.is_true())),
        ValueKind::String => Ok(Value::from(text)),
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
            members.collect::<Result<Map<_, _>, String>>().map(Value::Object)
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
        Ok(value) => Ok(serde_json::to_string_pretty(&value).unwrap_or_default()),
        Err(fault) => {
            // One that is too dear must not be written another way.
            rendering.spend(1)?;
            Err(Error::new(minijinja::ErrorKind::InvalidOperation, fault))
        }
    }
}
