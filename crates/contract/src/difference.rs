//! What changed between two versions of a schema, by the paths of the values that are concerned.

use std::collections::HashSet;

use accord_json::{Exceeded, Meter};
use serde_json::{Map, Value};

use crate::identity::without_annotations;
use crate::json_path::JsonPath;

/// A list that nobody reads to its end helps nobody.
const MOST_CHANGES: usize = 50;

/// Compared pairs of schemas. References can multiply them; real schemas have a few hundred.
const MOST_PAIRS: usize = 10_000;

/// A reference to a reference is followed this often.
const MOST_HOPS: usize = 16;

/// What is shown of the value of a keyword.
const SHOWN_CHARACTERS: usize = 80;

/// Keywords that define schemas for references: a change of theirs is reported where they are used.
const DEFINITIONS: [&str; 2] = ["$defs", "definitions"];

/// One change of a schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaChange {
    /// The value that is concerned: `$.lines[*].price`.
    pub path: String,
    /// What changed: `removed`, `now required`, `type: "integer" → "string"`.
    pub change: String,
}

/// The changes from one version of a schema to another, at most 50. Annotations and the order of keys and of an `enum` do not count, as in
/// [`contract_hash`](crate::contract_hash): schemas with the same hash have no changes, and others have at least one.
pub fn schema_changes(old: &Value, new: &Value, meter: &Meter) -> Result<Vec<SchemaChange>, Exceeded> {
    let (old, new) = (without_annotations(old), without_annotations(new));
    if old == new {
        return Ok(Vec::new());
    }
    let mut comparison =
        Comparison { old: &old, new: &new, seen: HashSet::new(), changes: Vec::new(), meter };
    comparison.schemas("$", &old, &new);
    meter.check()?;
    if comparison.changes.is_empty() {
        comparison.report("$", "changed in definitions that are not used by a property".to_owned());
    }
    Ok(comparison.changes)
}

struct Comparison<'a> {
    old: &'a Value,
    new: &'a Value,
    /// Recursive schemas come back to the same pair.
    seen: HashSet<(*const Value, *const Value)>,
    changes: Vec<SchemaChange>,
    meter: &'a Meter,
}

impl<'a> Comparison<'a> {
    fn report(&mut self, path: &str, change: String) {
        let change = SchemaChange { path: path.to_owned(), change };
        if self.changes.len() < MOST_CHANGES && !self.changes.contains(&change) {
            self.changes.push(change);
        }
    }

    fn schemas(&mut self, path: &str, old: &'a Value, new: &'a Value) {
        let (old, new) = (resolved(self.old, old), resolved(self.new, new));
        let is_new = self.seen.insert((std::ptr::from_ref(old), std::ptr::from_ref(new)));
        // Paths are as long as the schemas are deep, and some keywords are compared as a whole.
        let charged = self.meter.bytes(path.len()).and_then(|()| self.meter.steps(1));
        if !is_new || self.seen.len() > MOST_PAIRS || charged.is_err() {
            return;
        }
        match (old, new) {
            (Value::Object(old), Value::Object(new)) => self.keywords(path, old, new),
            _ if old == new => {}
            _ => self.report(path, format!("{} → {}", shown(Some(old)), shown(Some(new)))),
        }
    }

    fn keywords(&mut self, path: &str, old: &'a Map<String, Value>, new: &'a Map<String, Value>) {
        self.properties(path, old, new);
        let added = new.keys().filter(|keyword| !old.contains_key(*keyword));
        for keyword in old.keys().chain(added) {
            let (before, after) = (old.get(keyword), new.get(keyword));
            match (keyword.as_str(), before, after) {
                ("properties" | "required", ..) => {}
                (keyword, ..) if DEFINITIONS.contains(&keyword) => {}
                ("items", Some(before), Some(after)) if before.is_object() && after.is_object() => {
                    self.schemas(&format!("{path}[*]"), before, after);
                }
                ("additionalProperties", Some(before), Some(after))
                    if before.is_object() && after.is_object() =>
                {
                    self.schemas(&format!("{path}.*"), before, after);
                }
                ("$ref", Some(Value::String(_)), Some(Value::String(_))) => {
                    let (before, after) = (target(self.old, old), target(self.new, new));
                    if let (Some(before), Some(after)) = (before, after) {
                        self.schemas(path, before, after);
                    }
                }
                ("prefixItems", Some(Value::Array(before)), Some(Value::Array(after))) => {
                    self.positions(path, before, after);
                }
                ("allOf" | "anyOf" | "oneOf", Some(Value::Array(before)), Some(Value::Array(after))) => {
                    self.alternatives(path, keyword, before, after);
                }
                ("enum", Some(Value::Array(before)), Some(Value::Array(after))) => {
                    self.options(path, before, after);
                }
                _ if before == after => {}
                _ => self.report(path, format!("{keyword}: {} → {}", shown(before), shown(after))),
            }
        }
    }

    fn properties(&mut self, path: &str, old: &'a Map<String, Value>, new: &'a Map<String, Value>) {
        let part = |schema: &'a Map<String, Value>, name: &str| {
            schema.get("properties").and_then(|properties| properties.get(name))
        };
        let names = |schema: &'a Map<String, Value>| {
            let properties = schema.get("properties").and_then(Value::as_object);
            let required = schema.get("required").and_then(Value::as_array);
            let required = required.into_iter().flatten().filter_map(Value::as_str);
            properties.into_iter().flat_map(Map::keys).map(String::as_str).chain(required)
        };
        let mut compared = HashSet::new();
        for name in names(old).chain(names(new)).filter(|name| compared.insert(*name)) {
            let place = format!("{path}{}", JsonPath::root().key(name).path().trim_start_matches('$'));
            let (was_required, is_required) = (requires(old, name), requires(new, name));
            match (part(old, name), part(new, name)) {
                (Some(_), None) => self.report(&place, "removed".to_owned()),
                (None, Some(_)) => {
                    let kind = if is_required { "required" } else { "optional" };
                    self.report(&place, format!("added, {kind}"));
                }
                (before, after) => {
                    if was_required != is_required {
                        let kind = if is_required { "required" } else { "optional" };
                        self.report(&place, format!("now {kind}"));
                    }
                    if let (Some(before), Some(after)) = (before, after) {
                        self.schemas(&place, before, after);
                    }
                }
            }
        }
    }

    fn positions(&mut self, path: &str, old: &'a [Value], new: &'a [Value]) {
        for (index, (before, after)) in old.iter().zip(new).enumerate() {
            self.schemas(&format!("{path}[{index}]"), before, after);
        }
        for index in new.len()..old.len() {
            self.report(&format!("{path}[{index}]"), "removed".to_owned());
        }
        for index in old.len()..new.len() {
            self.report(&format!("{path}[{index}]"), "added".to_owned());
        }
    }

    fn alternatives(&mut self, path: &str, keyword: &str, old: &'a [Value], new: &'a [Value]) {
        if old.len() != new.len() {
            return self.report(path, format!("{keyword}: {} → {} schemas", old.len(), new.len()));
        }
        for (before, after) in old.iter().zip(new) {
            self.schemas(path, before, after);
        }
    }

    fn options(&mut self, path: &str, old: &[Value], new: &[Value]) {
        let lacking = |from: &[Value], other: &[Value]| {
            let known: HashSet<String> = other.iter().map(Value::to_string).collect();
            let values: Vec<_> =
                from.iter().filter(|value| !known.contains(&value.to_string())).take(MOST_CHANGES).collect();
            (!values.is_empty()).then(|| {
                let values: Vec<_> = values.into_iter().map(|value| shown(Some(value))).collect();
                values.join(", ")
            })
        };
        let removed = lacking(old, new).map(|values| format!("removed {values}"));
        let added = lacking(new, old).map(|values| format!("added {values}"));
        let parts: Vec<_> = removed.into_iter().chain(added).collect();
        if !parts.is_empty() {
            self.report(path, format!("enum: {}", parts.join("; ")));
        }
    }
}

fn requires(schema: &Map<String, Value>, name: &str) -> bool {
    let required = schema.get("required").and_then(Value::as_array);
    required.is_some_and(|names| names.iter().any(|each| each == name))
}

/// What a schema that is only a reference refers to. References to elsewhere stay as they are.
fn resolved<'a>(document: &'a Value, mut schema: &'a Value) -> &'a Value {
    for _ in 0..MOST_HOPS {
        match schema {
            Value::Object(keywords) if keywords.len() == 1 => match target(document, keywords) {
                Some(found) => schema = found,
                None => break,
            },
            _ => break,
        }
    }
    schema
}

fn target<'a>(document: &'a Value, keywords: &Map<String, Value>) -> Option<&'a Value> {
    document.pointer(keywords.get("$ref")?.as_str()?.strip_prefix('#')?)
}

fn shown(value: Option<&Value>) -> String {
    let Some(value) = value else { return "none".to_owned() };
    let text = value.to_string();
    if text.chars().count() <= SHOWN_CHARACTERS {
        return text;
    }
    text.chars().take(SHOWN_CHARACTERS).chain(['…']).collect()
}

#[cfg(test)]
mod tests;
