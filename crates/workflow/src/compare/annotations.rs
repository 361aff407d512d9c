//! Whether what a schema says about comparing (`x-key`, `x-conflict`, `x-text`) can be followed. What cannot is told when
//! an agent or a workflow is looked at; the comparison itself passes over it.

use accord_contract::Place;
use serde_json::Value;

use crate::check::fields::{Field, field};
use crate::schema_parts::{Holds, holds, taken_out};

/// What says something about comparing.
const ANNOTATIONS: [&str; 3] = ["x-key", "x-conflict", "x-text"];

/// What is wrong with them in a schema, and where in it.
pub fn annotation_faults(schema: &Value) -> Vec<(Place, String)> {
    let mut faults = Vec::new();
    look(schema, schema, &Place::root(), &mut faults);
    faults
}

/// Whether something in values of this schema is compared with what others say: what the schema says how to compare, or
/// what looks like findings. An empty `x-key` says that it is not.
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

fn look(root: &Value, schema: &Value, place: &Place, faults: &mut Vec<(Place, String)>) {
    match schema {
        Value::Array(schemas) => {
            for (index, schema) in schemas.iter().enumerate() {
                look(root, schema, &place.index(index), faults);
            }
        }
        Value::Object(keywords) => {
            for (keyword, value) in keywords {
                let place = place.key(keyword);
                if ANNOTATIONS.contains(&keyword.as_str()) {
                    annotation(root, schema, value, &place, faults);
                    continue;
                }
                match (holds(keyword), value) {
                    (Holds::Data, _) => {}
                    (Holds::Named, Value::Object(named)) => {
                        named.iter().for_each(|(name, inner)| look(root, inner, &place.key(name), faults));
                    }
                    (Holds::Named | Holds::Schemas, inner) => look(root, inner, &place, faults),
                }
            }
        }
        _ => {}
    }
}

fn annotation(root: &Value, schema: &Value, value: &Value, place: &Place, faults: &mut Vec<(Place, String)>) {
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
        let fault = match name.as_str() {
            None => Some(format!("expected a property name or a list of names, got {name}")),
            Some("") => Some("empty name; use an empty list for none".to_owned()),
            Some(name) if item.as_ref().is_some_and(|item| cannot_have(item, name)) => {
                Some(format!("{who} cannot have a property '{name}', so it has no effect"))
            }
            Some(_) => None,
        };
        faults.extend(fault.map(|fault| (place, fault)));
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

/// Whether no item can have a member of this name, which may also be a way of names with dots.
fn cannot_have(item: &Value, name: &str) -> bool {
    let missing = |path: &[&str]| matches!(field(item, path), Field::Missing(_));
    missing(&[name]) && missing(&name.split('.').collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn told(schema: Value) -> Vec<String> {
        annotation_faults(&schema).iter().map(|(place, fault)| format!("{}: {fault}", place.path())).collect()
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
            assert_eq!(told(list(more)), [""; 0]);
        }
        // What more members an item may have is not known here.
        assert_eq!(told(json!({"items": {"properties": {"id": {}}}, "x-key": "other"})), [""; 0]);
        assert_eq!(told(json!({"items": {"anyOf": [{}]}, "x-key": "other"})), [""; 0]);
    }

    #[test]
    fn findings_and_what_is_annotated_are_compared() {
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
            told(schema),
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
