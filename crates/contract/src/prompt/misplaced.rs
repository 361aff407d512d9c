//! Valid values in the wrong location: under a wrapper, or one object too deep. Naming the location fixes in one
//! attempt what "missing" may not.

use serde_json::Value;

use crate::json_path::{JsonPath, Step};
use crate::schema::{Schema, walk};
use crate::violation::escape::{path, quoted};

/// How deep a wrapper is looked for, and how many values are looked at.
const MAX_LEVELS: usize = 3;
const MAX_LOOKED_AT: usize = 100;

/// How many hints are given.
const MAX_HINTS: usize = 5;

/// Sentences that say where the right values are.
pub(super) fn hints(schema: &Schema, value: &Value) -> Vec<String> {
    let inner = inner_values(value);
    if let Some((place, _)) = inner.iter().find(|(_, part)| part.is_object() && schema.is_valid(part)) {
        return vec![format!(
            "the value at {} is valid; return only that value, without the wrapper around it",
            path(place)
        )];
    }
    missing(schema, value)
        .into_iter()
        .filter_map(|name| {
            let (place, _) = inner.iter().find(|(place, part)| {
                part.get(name).is_some_and(|value| !is_description(place, value)) && !is_known(schema, place)
            })?;
            Some(format!(
                "move {} from {} to {}",
                quoted(name),
                path(&place.key(name)),
                path(&JsonPath::root().key(name))
            ))
        })
        .take(MAX_HINTS)
        .collect()
}

/// Whether a value only describes a property, as in a schema given back.
fn is_description(place: &JsonPath, value: &Value) -> bool {
    const SIGNS: [&str; 8] = ["type", "enum", "const", "$ref", "anyOf", "oneOf", "allOf", "properties"];
    place.steps().last() == Some(&Step::Key("properties".to_owned()))
        && SIGNS.iter().any(|sign| value.get(sign).is_some())
        && walk::reads_as_schema(value)
}

/// The required properties that the answer's own object lacks.
fn missing<'a>(schema: &'a Schema, value: &Value) -> Vec<&'a str> {
    let required = schema.document().get("required").and_then(Value::as_array);
    let names = required.into_iter().flatten().filter_map(Value::as_str);
    names.filter(|name| value.get(name).is_none()).collect()
}

/// Whether a place is in a part of the answer that the schema describes, so that its content
/// belongs there.
fn is_known(schema: &Schema, place: &JsonPath) -> bool {
    let properties = schema.document().get("properties");
    match place.steps().first() {
        Some(Step::Key(name)) => properties.is_some_and(|known| known.get(name).is_some()),
        _ => false,
    }
}

/// All values inside a value, the outermost first.
fn inner_values(value: &Value) -> Vec<(JsonPath, &Value)> {
    let mut found: Vec<(JsonPath, &Value)> = Vec::new();
    let mut level = vec![(JsonPath::root(), value)];
    for _ in 0..MAX_LEVELS {
        level = level.iter().flat_map(|(place, value)| members(place, value)).take(MAX_LOOKED_AT).collect();
        found.extend(level.iter().cloned());
    }
    found.truncate(MAX_LOOKED_AT);
    found
}

fn members<'a>(place: &JsonPath, value: &'a Value) -> Vec<(JsonPath, &'a Value)> {
    let inside = |step: Step, part: &'a Value| {
        let mut place = place.clone();
        place.push(step);
        (place, part)
    };
    match value {
        Value::Object(members) => members
            .iter()
            .take(MAX_LOOKED_AT)
            .map(|(name, member)| inside(Step::Key(name.clone()), member))
            .collect(),
        // A list of one is a wrapper; an item of a longer list is not the answer.
        Value::Array(items) if items.len() == 1 => {
            items.iter().map(|item| inside(Step::Index(0), item)).collect()
        }
        _ => Vec::new(),
    }
}
