//! `allOf` as one schema, and references inside a document.

use accord_json::{Exceeded, Meter};
use serde_json::{Map, Value, json};

/// How deep `allOf` and references are followed: deeper ones are cycles.
const DEEPEST: usize = 16;

/// What it costs to compare and copy one value.
const STEPS_A_VALUE: u64 = 10;

/// Keywords that change nothing next to the only schema of an `allOf`.
const ANNOTATIONS: &[&str] =
    &["$comment", "default", "deprecated", "description", "examples", "readOnly", "title", "writeOnly"];

/// The schema that a reference leads to.
pub(crate) fn resolve<'a>(document: &'a Value, reference: &str) -> Option<&'a Value> {
    document.pointer(reference.strip_prefix('#')?)
}

/// The reference that an `allOf` consists of. Generators that follow old drafts wrap a reference in order to describe it.
pub(crate) fn only_reference(keywords: &Map<String, Value>) -> Option<&str> {
    let is_alone = |keywords: &Map<String, Value>, but: &str| {
        keywords.keys().all(|keyword| keyword == but || ANNOTATIONS.contains(&keyword.as_str()))
    };
    let [Value::Object(only)] = keywords.get("allOf")?.as_array()?.as_slice() else { return None };
    let reference = only.get("$ref")?.as_str()?;
    (is_alone(keywords, "allOf") && is_alone(only, "$ref")).then_some(reference)
}

/// One schema for all of these, as far as types need it; `None` if there is no such schema.
pub(crate) fn all_of(
    document: &Value,
    keywords: &Map<String, Value>,
    meter: &Meter,
) -> Result<Option<Map<String, Value>>, Exceeded> {
    let mut merger = Merger { document, merged: Map::new(), meter };
    let found = merger.add(keywords, 0)?;
    Ok(found.then_some(merger.merged))
}

struct Merger<'a> {
    document: &'a Value,
    merged: Map<String, Value>,
    meter: &'a Meter,
}

impl Merger<'_> {
    /// Adds what a schema says; `false` if that cannot be one schema with what is there.
    fn add(&mut self, keywords: &Map<String, Value>, depth: usize) -> Result<bool, Exceeded> {
        self.meter.steps(1)?;
        if depth > DEEPEST {
            return Ok(false);
        }
        if let Some(reference) = keywords.get("$ref").and_then(Value::as_str) {
            let target = resolve(self.document, reference);
            if !target.map_or(Ok(false), |target| self.part(target, depth))? {
                return Ok(false);
            }
        }
        for (keyword, value) in keywords {
            match (keyword.as_str(), value) {
                ("$ref", _) => {}
                ("allOf", Value::Array(branches)) => {
                    for branch in branches {
                        if !self.part(branch, depth)? {
                            return Ok(false);
                        }
                    }
                }
                (keyword, value) => {
                    self.meter.steps(weight(value).saturating_mul(STEPS_A_VALUE))?;
                    if combine(&mut self.merged, keyword, value).is_none() {
                        return Ok(false);
                    }
                }
            }
        }
        Ok(true)
    }

    fn part(&mut self, schema: &Value, depth: usize) -> Result<bool, Exceeded> {
        match schema {
            Value::Object(keywords) => self.add(keywords, depth + 1),
            other => Ok(*other == Value::Bool(true)),
        }
    }
}

/// The number of values in a value.
fn weight(value: &Value) -> u64 {
    1 + match value {
        Value::Array(items) => items.iter().map(weight).sum::<u64>(),
        Value::Object(members) => members.values().map(weight).sum::<u64>(),
        _ => 0,
    }
}

fn combine(merged: &mut Map<String, Value>, keyword: &str, value: &Value) -> Option<()> {
    let Some(before) = merged.get_mut(keyword) else {
        merged.insert(keyword.to_owned(), value.clone());
        return Some(());
    };
    if before == value {
        return Some(());
    }
    match (keyword, before, value) {
        ("properties", Value::Object(before), Value::Object(more)) => {
            for (name, schema) in more {
                match before.get_mut(name) {
                    Some(known) if known == schema => {}
                    Some(known) => *known = json!({"allOf": [known, schema]}),
                    None => drop(before.insert(name.clone(), schema.clone())),
                }
            }
        }
        ("required", Value::Array(before), Value::Array(more)) => before.extend(more.iter().cloned()),
        ("type", before, kind) => match (before.as_str(), kind.as_str()) {
            (Some("number"), Some("integer")) => *before = kind.clone(),
            (Some("integer"), Some("number")) => {}
            _ => return None,
        },
        // Closed if one of them is. Other conditions on more properties are for the validator.
        ("additionalProperties", before, value) => {
            *before = Value::Bool(*before != Value::Bool(false) && *value != Value::Bool(false));
        }
        ("enum" | "const" | "anyOf" | "oneOf" | "items" | "prefixItems" | "additionalItems", ..) => {
            return None;
        }
        // What is left restricts values in ways that types do not have.
        _ => {}
    }
    Some(())
}
