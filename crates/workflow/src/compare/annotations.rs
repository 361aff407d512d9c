//! Checks the annotations of a schema (`x-key`, `x-conflict`, `x-text`). Problems are reported when an agent or a workflow
//! is checked; the comparison itself ignores such annotations.

use accord_contract::{JsonPath, Meter};
use serde_json::Value;

use crate::check::fields::{Field, field};
use crate::schema_parts::{Holds, holds, taken_out};

const ANNOTATIONS: [&str; 3] = ["x-key", "x-conflict", "x-text"];

/// Problems of the annotations in a schema, with their locations.
pub fn annotation_problems(schema: &Value, meter: &Meter) -> Vec<(JsonPath, String)> {
    let mut problems = Vec::new();
    look(schema, schema, &JsonPath::root(), &mut problems, meter);
    problems
}

/// Whether something in values of this schema is compared with other outputs: parts with annotations, or lists that look
/// like findings. An empty `x-key` excludes a list.
pub(crate) fn is_compared(schema: &Value) -> bool {
    match schema {
        Value::Array(schemas) => schemas.iter().any(is_compared),
        Value::Object(keywords) if keywords.get("x-key") == Some(&Value::Array(Vec::new())) => false,
        Value::Object(keywords) => {
            let has = |name: &str| keywords.get("properties").is_some_and(|each| each.get(name).is_some());
            let told = ANNOTATIONS.iter().any(|annotation| keywords.contains_key(*annotation));
            told || has("file") && has("severity")
                || keywords.iter().any(|(keyword, value)| match (holds(keyword), value) {
                    (Holds::Data, _) => false,
                    (Holds::Named, Value::Object(named)) => named.values().any(is_compared),
                    (Holds::Named | Holds::Schemas, inner) => is_compared(inner),
                })
        }
        _ => false,
    }
}

fn look(
    root: &Value,
    schema: &Value,
    place: &JsonPath,
    problems: &mut Vec<(JsonPath, String)>,
    meter: &Meter,
) {
    if meter.steps(1).is_err() {
        return;
    }
    match schema {
        Value::Array(schemas) => {
            for (index, schema) in schemas.iter().enumerate() {
                look(root, schema, &place.index(index), problems, meter);
            }
        }
        Value::Object(keywords) => {
            for (keyword, value) in keywords {
                let place = place.key(keyword);
                if ANNOTATIONS.contains(&keyword.as_str()) {
                    annotation(root, schema, value, &place, problems);
                    continue;
                }
                match (holds(keyword), value) {
                    (Holds::Data, _) => {}
                    (Holds::Named, Value::Object(named)) => {
                        named
                            .iter()
                            .for_each(|(name, inner)| look(root, inner, &place.key(name), problems, meter));
                    }
                    (Holds::Named | Holds::Schemas, inner) => look(root, inner, &place, problems, meter),
                }
            }
        }
        _ => {}
    }
}

fn annotation(
    root: &Value,
    schema: &Value,
    value: &Value,
    place: &JsonPath,
    problems: &mut Vec<(JsonPath, String)>,
) {
    let single = std::slice::from_ref(value);
    let (names, in_list) = match value {
        Value::Array(items) => (items.as_slice(), true),
        _ => (single, false),
    };
    let item = item(root, schema);
    let who =
        if schema.get("items").is_some() { "the items of the list" } else { "the object this is set on" };
    for (index, name) in names.iter().enumerate() {
        let place = if in_list { place.index(index) } else { place.clone() };
        let problem = match name.as_str() {
            None => Some(format!("expected a property name or a list of names, got {name}")),
            Some("") => Some("empty name; use an empty list for none".to_owned()),
            Some(name) if item.as_ref().is_some_and(|item| cannot_have(item, name)) => {
                Some(format!("{who} cannot have a property '{name}', so it has no effect"))
            }
            Some(_) => None,
        };
        problems.extend(problem.map(|problem| (place, problem)));
    }
}

/// The schema that an annotation is about: the items of its list, or its own object.
fn item(root: &Value, schema: &Value) -> Option<Value> {
    let is_list = schema.get("type").and_then(Value::as_str) == Some("array");
    match schema.get("items") {
        Some(items) => Some(taken_out(root, items)),
        None => (!is_list).then(|| taken_out(root, schema)),
    }
}

/// Whether no item can have a member of this name, which may also be several names with dots between them.
fn cannot_have(item: &Value, name: &str) -> bool {
    let missing = |path: &[&str]| matches!(field(item, path), Field::Missing(_));
    missing(&[name]) && missing(&name.split('.').collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use accord_contract::Meter;
    use serde_json::json;

    use super::*;

    fn problems(schema: Value) -> Vec<String> {
        annotation_problems(&schema, &Meter::default())
            .iter()
            .map(|(place, problem)| format!("{}: {problem}", place.path()))
            .collect()
    }

    #[test]
    fn accepts_valid_annotations() {
        let item = json!({
            "type": "object", "additionalProperties": false,
            "properties": {"id": {}, "a.b": {}, "why": {"type": "object", "properties": {"short": {}}}},
        });
        let list = |more: Value| {
            let mut list = json!({"type": "array", "items": item});
            list.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            json!({"type": "object", "properties": {"list": list, "x-key": {"const": 5}}})
        };
        for more in [
            json!({"x-key": "id", "x-conflict": [], "x-text": ["why.short", "a.b"]}),
            json!({"x-key": [], "const": {"x-key": 5}}),
        ] {
            assert_eq!(problems(list(more)), [""; 0]);
        }
        // An item may have other members.
        assert_eq!(problems(json!({"items": {"properties": {"id": {}}}, "x-key": "other"})), [""; 0]);
        assert_eq!(problems(json!({"items": {"anyOf": [{}]}, "x-key": "other"})), [""; 0]);
    }

    #[test]
    fn findings_and_annotated_values_are_compared() {
        let list = |item: Value| json!({"properties": {"list": {"type": "array", "items": item}}});
        let finding = json!({"properties": {"file": {"type": "string"}, "severity": {"type": "string"}}});
        assert!(is_compared(&list(finding.clone())));
        assert!(is_compared(&list(json!({"$ref": "#/$defs/item", "x-key": "id"}))));
        assert!(is_compared(&json!({"type": "array", "items": {"anyOf": [{"type": "null"}, finding]}})));
        assert!(!is_compared(&list(json!({"x-key": [], "properties": finding["properties"]}))));
        assert!(!is_compared(&list(json!({"properties": {"file": {}}}))));
        assert!(!is_compared(&json!({"type": "string", "const": {"x-key": "id"}})));
    }

    #[test]
    fn locates_invalid_annotations() {
        let closed = json!({"type": "object", "properties": {"id": {"type": "string"}}, "additionalProperties": false});
        let schema = json!({
            "type": "object",
            "properties": {
                "wrong": {"type": "array", "x-key": 5, "x-conflict": ["a", {}], "x-text": ""},
                "absent": {"type": "array", "items": {"$ref": "#/$defs/item"}, "x-key": ["id", "file"]},
                "deep": {"type": "array", "items": closed, "x-text": "id.more"},
            },
            "$defs": {"item": {"x-conflict": "severity", "type": "object", "properties": {"id": {}},
                               "additionalProperties": false}},
        });
        let cannot =
            |who: &str, name: &str| format!("{who} cannot have a property '{name}', so it has no effect");
        let items = "the items of the list";
        let no_name = "expected a property name or a list of names, got";
        assert_eq!(
            problems(schema),
            [
                format!("$.properties.wrong.x-key: {no_name} 5"),
                format!("$.properties.wrong.x-conflict[1]: {no_name} {{}}"),
                "$.properties.wrong.x-text: empty name; use an empty list for none".to_owned(),
                format!("$.properties.absent.x-key[1]: {}", cannot(items, "file")),
                format!("$.properties.deep.x-text: {}", cannot(items, "id.more")),
                format!("$[\"$defs\"].item.x-conflict: {}", cannot("the object this is set on", "severity")),
            ]
        );
    }
}
