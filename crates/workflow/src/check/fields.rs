//! Looking up a field in a schema.

use serde_json::Value;

/// What a schema says of a field.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Field<'a> {
    /// It may be there, and this is what it is.
    Known(&'a Value),
    /// It cannot be there: this part of the path has no such field.
    Missing(usize),
    /// Nothing speaks of it, and nothing forbids it: this part of the path is not declared.
    Undeclared(usize),
    /// That cannot be told from the schema.
    Open,
}

/// So many references are followed: more is a circle.
const MOST_REFERENCES: usize = 16;

/// So many parts of a schema are looked at for a member. People make one of two or three.
const MOST_PARTS: usize = 100;

/// Follows fields from the root of a schema.
pub(crate) fn field<'a>(root: &'a Value, path: &[&str]) -> Field<'a> {
    let mut schema = root;
    for (depth, name) in path.iter().enumerate() {
        let Some(resolved) = resolve(root, schema) else { return Field::Open };
        schema = match member(resolved, name) {
            Member::Is(schema) => schema,
            Member::Never => return Field::Missing(depth),
            Member::Undeclared => return Field::Undeclared(depth),
            Member::Open => return Field::Open,
        };
    }
    match resolve(root, schema) {
        Some(schema) => Field::Known(schema),
        None => Field::Open,
    }
}

enum Member<'a> {
    Is(&'a Value),
    Never,
    Undeclared,
    Open,
}

/// Keywords under which a field may be said elsewhere.
const ELSEWHERE: &[&str] =
    &["anyOf", "oneOf", "allOf", "if", "$ref", "patternProperties", "dependentSchemas"];

fn member<'a>(schema: &'a Value, name: &str) -> Member<'a> {
    let Value::Object(keywords) = schema else { return Member::Open };
    if let Some(found) = keywords.get("properties").and_then(|properties| properties.get(name)) {
        return Member::Is(found);
    }
    let types: Vec<&str> = match keywords.get("type") {
        Some(Value::String(only)) => vec![only],
        Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    if !types.is_empty() && !types.contains(&"object") {
        return Member::Never;
    }
    if ELSEWHERE.iter().any(|keyword| keywords.contains_key(*keyword)) {
        return Member::Open;
    }
    match keywords.get("additionalProperties") {
        Some(Value::Bool(false)) => Member::Never,
        Some(other @ Value::Object(_)) => Member::Is(other),
        _ if keywords.contains_key("properties") => Member::Undeclared,
        _ => Member::Open,
    }
}

/// The schema behind references into the same document.
pub(super) fn resolve<'a>(root: &'a Value, schema: &'a Value) -> Option<&'a Value> {
    let mut schema = schema;
    for _ in 0..MOST_REFERENCES {
        match schema.get("$ref").and_then(Value::as_str) {
            None => return Some(schema),
            Some(reference) => schema = root.pointer(reference.strip_prefix('#')?)?,
        }
    }
    None
}

/// Whether a schema speaks of a member, itself or in what it refers to or is made of.
pub(crate) fn declares(root: &Value, name: &str) -> bool {
    let mut parts = vec![root];
    let mut next = 0;
    while let Some(part) = parts.get(next).copied() {
        next += 1;
        if part.get("properties").and_then(|properties| properties.get(name)).is_some() {
            return true;
        }
        let referred =
            part.get("$ref").and_then(Value::as_str).and_then(|reference| reference.strip_prefix('#'));
        let all = part.get("allOf").and_then(Value::as_array).into_iter().flatten();
        for inner in referred.and_then(|pointer| root.pointer(pointer)).into_iter().chain(all) {
            if parts.len() < MOST_PARTS && !parts.iter().any(|known| std::ptr::eq(*known, inner)) {
                parts.push(inner);
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn fields_are_looked_up() {
        let schema = json!({
            "type": "object",
            "properties": {
                "open": {"type": "object", "properties": {"a": {"type": "string"}}},
                "closed": {"type": "object", "properties": {}, "additionalProperties": false},
                "text": {"type": "string"},
                "named": {"$ref": "#/$defs/thing"},
                "any": {},
                "choice": {"anyOf": [{"properties": {"a": {}}}]},
            },
            "$defs": {"thing": {"properties": {"b": {"type": "integer"}}}},
        });
        assert_eq!(field(&schema, &["open", "a"]), Field::Known(&json!({"type": "string"})));
        assert_eq!(field(&schema, &["open", "b"]), Field::Undeclared(1));
        assert_eq!(field(&schema, &["closed", "b"]), Field::Missing(1));
        assert_eq!(field(&schema, &["text", "b"]), Field::Missing(1));
        assert_eq!(field(&schema, &["named", "b"]), Field::Known(&json!({"type": "integer"})));
        assert_eq!(field(&schema, &["any", "b", "c"]), Field::Open);
        assert_eq!(field(&schema, &["choice", "b"]), Field::Open);
    }

    #[test]
    fn members_are_declared_behind_references_and_in_parts() {
        let schema = json!({
            "$ref": "#/$defs/whole",
            "$defs": {
                "whole": {"allOf": [{"$ref": "#/$defs/part"}, {"$ref": "#"}], "properties": {"a": {}}},
                "part": {"properties": {"b": {}}},
                "other": {"properties": {"c": {}}},
            },
        });
        assert_eq!(["a", "b", "c"].map(|name| declares(&schema, name)), [true, true, false]);
    }
}
