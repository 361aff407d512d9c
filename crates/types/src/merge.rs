//! `allOf` as one schema, and references inside a document.

use serde_json::{Map, Value, json};

/// How deep `allOf` and references are followed: deeper ones are cycles.
const DEEPEST: usize = 16;

/// The schema that a reference leads to.
pub(crate) fn resolve<'a>(document: &'a Value, reference: &str) -> Option<&'a Value> {
    document.pointer(reference.strip_prefix('#')?)
}

/// One schema for all of these, as far as types need it; `None` if there is no such schema.
pub(crate) fn all_of(document: &Value, keywords: &Map<String, Value>) -> Option<Map<String, Value>> {
    let mut merged = Map::new();
    add(document, keywords, &mut merged, 0)?;
    Some(merged)
}

fn add(
    document: &Value,
    keywords: &Map<String, Value>,
    merged: &mut Map<String, Value>,
    depth: usize,
) -> Option<()> {
    if depth > DEEPEST {
        return None;
    }
    if let Some(reference) = keywords.get("$ref").and_then(Value::as_str) {
        match resolve(document, reference)? {
            Value::Object(target) => add(document, target, merged, depth + 1)?,
            Value::Bool(true) => {}
            _ => return None,
        }
    }
    for (keyword, value) in keywords {
        match (keyword.as_str(), value) {
            ("$ref", _) => {}
            ("allOf", Value::Array(branches)) => {
                for branch in branches {
                    match branch {
                        Value::Object(branch) => add(document, branch, merged, depth + 1)?,
                        Value::Bool(true) => {}
                        _ => return None,
                    }
                }
            }
            (keyword, value) => combine(merged, keyword, value)?,
        }
    }
    Some(())
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
