//! JSON in templates: objects keep the order of their members and numbers keep their digits.

use std::sync::Arc;

use minijinja::Value as Rendered;
use minijinja::value::{Enumerator, Object, ObjectRepr, ValueKind};
use serde_json::{Map, Number, Value};

/// A list, an object or a number that templates may look into and that can be had back as it was.
#[derive(Debug)]
struct Json(Value);

impl Object for Json {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        if self.0.is_array() { ObjectRepr::Seq } else { ObjectRepr::Map }
    }

    fn get_value(self: &Arc<Self>, key: &Rendered) -> Option<Rendered> {
        let found = match &self.0 {
            Value::Array(items) => items.get(key.as_usize()?),
            value => value.get(key.as_str()?),
        };
        found.map(from_json)
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        match &self.0 {
            Value::Array(items) => Enumerator::Seq(items.len()),
            Value::Object(members) => {
                Enumerator::Values(members.keys().map(|name| Rendered::from(name.as_str())).collect())
            }
            _ => Enumerator::Empty,
        }
    }
}

/// A number that would change on the way: it stands in a text as it was written.
fn number(number: &Number) -> Rendered {
    if let Some(whole) = number.as_i64() {
        return Rendered::from(whole);
    }
    if let Some(whole) = number.as_u64() {
        return Rendered::from(whole);
    }
    let text = number.to_string();
    match text.parse::<f64>() {
        Ok(float) if float.to_string() == text => Rendered::from(float),
        _ => Rendered::from_object(Exact(number.clone())),
    }
}

/// A number that a float cannot hold as it was written.
#[derive(Debug)]
struct Exact(Number);

impl Object for Exact {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Plain
    }

    fn render(self: &Arc<Self>, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}", self.0)
    }
}

/// JSON as templates see it.
pub(super) fn from_json(value: &Value) -> Rendered {
    match value {
        Value::Null => Rendered::from(()),
        Value::Bool(truth) => Rendered::from(*truth),
        Value::String(text) => Rendered::from(text.as_str()),
        Value::Number(each) => number(each),
        Value::Array(_) | Value::Object(_) => Rendered::from_object(Json(value.clone())),
    }
}

/// JSON from what a template made.
pub(super) fn to_json(value: &Rendered) -> Result<Value, String> {
    if let Some(Json(value)) = value.downcast_object_ref() {
        return Ok(value.clone());
    }
    if let Some(Exact(number)) = value.downcast_object_ref() {
        return Ok(Value::Number(number.clone()));
    }
    let unusable = || format!("it gives something that is no JSON: {}", value.kind());
    match value.kind() {
        ValueKind::Undefined | ValueKind::None => Ok(Value::Null),
        ValueKind::Bool => Ok(Value::Bool(value.is_true())),
        ValueKind::String => Ok(Value::from(value.as_str().unwrap_or_default())),
        ValueKind::Number => serde_json::from_str(&value.to_string()).map_err(|_| unusable()),
        ValueKind::Seq | ValueKind::Iterable => {
            let items = value.try_iter().map_err(|_| unusable())?;
            items.map(|item| to_json(&item)).collect::<Result<Vec<_>, _>>().map(Value::Array)
        }
        ValueKind::Map => {
            let names = value.try_iter().map_err(|_| unusable())?;
            let members = names.map(|name| {
                let member = value.get_item(&name).map_err(|_| unusable())?;
                let name = name.as_str().map_or_else(|| name.to_string(), str::to_owned);
                Ok((name, to_json(&member)?))
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
pub(super) fn pretty(value: &Rendered) -> String {
    match to_json(value) {
        Ok(value) => serde_json::to_string_pretty(&value).unwrap_or_default(),
        Err(_) => value.to_string(),
    }
}
