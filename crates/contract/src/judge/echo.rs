//! The schema given back instead of a value: as it is, in part, or in the forms in which APIs are given schemas.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::Judge;
use crate::nested::Facts;
use crate::schema::walk;

/// The keywords by which a schema shows: nearly every one has one of these at its root.
const SCHEMA_SIGNS: [&str; 9] =
    ["type", "properties", "$schema", "$ref", "$defs", "definitions", "anyOf", "oneOf", "allOf"];

/// The members under which APIs are given schemas, and how many of them may be around one.
const SCHEMA_MEMBERS: [&str; 4] = ["schema", "json_schema", "input_schema", "parameters"];
const ECHO_WRAPPERS: usize = 2;

/// Items of a list that are checked for being schemas.
const ECHOED_ITEMS: usize = 4;

impl Judge<'_> {
    /// Whether a value is the schema given back, by itself, in the forms in which APIs are given schemas, or as the items
    /// of a list. Cheap where there is nothing to suspect.
    pub(super) fn is_echo(&self, value: &Value) -> bool {
        match value {
            Value::Array(items) => {
                let is_echo = |item: &Value| {
                    item.as_object().is_some_and(has_schema_signs)
                        && echoes(self.facts(), item, &self.facts().names)
                };
                !items.is_empty() && items.iter().take(ECHOED_ITEMS).all(is_echo)
            }
            Value::Object(members) if !members.is_empty() => {
                value == self.contract.schema().document() || self.holds_echo(value, ECHO_WRAPPERS)
            }
            _ => false,
        }
    }

    fn holds_echo(&self, value: &Value, wrappers: usize) -> bool {
        let Some(members) = value.as_object() else { return false };
        if has_schema_signs(members) && echoes(self.facts(), value, self.facts().properties()) {
            return true;
        }
        let mut wrapped = SCHEMA_MEMBERS.iter().filter_map(|name| members.get(*name));
        wrappers > 0
            && wrapped.any(|inner| self.holds_echo(inner, wrappers - 1))
            && !members.keys().any(|name| self.facts().properties().contains(name))
    }
}

fn has_schema_signs(members: &Map<String, Value>) -> bool {
    SCHEMA_SIGNS.iter().any(|keyword| members.contains_key(*keyword))
}

/// Whether a value is this schema given back, whole or in part: it has the structure of a schema, and every property that
/// it describes is one of ours. It need not compile: a model that copies a schema may miscopy a pattern. An answer that is a
/// schema of something else is an answer. `own`: the properties that such a value may have as an answer.
fn echoes(facts: &Facts, value: &Value, own: &HashSet<String>) -> bool {
    let Value::Object(members) = value else { return false };
    if members.keys().any(|key| own.contains(key)) || !walk::reads_as_schema(value) {
        return false;
    }
    let mut described = Vec::new();
    walk::each(value, &mut |_, schema| {
        let names =
            schema.get("properties").and_then(Value::as_object).into_iter().flat_map(|inner| inner.keys());
        let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
        described.extend(names.map(String::as_str).chain(required.filter_map(Value::as_str)));
    });
    !described.is_empty() && described.iter().all(|name| facts.names.contains(*name))
}
