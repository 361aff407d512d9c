//! The schema of a request for input, as a form that MCP clients can show.
//!
//! The protocol knows flat objects of primitive values. A request for one primitive value becomes an object with one
//! property. Any other schema has no form. Keywords that forms do not have are left out: the answer is judged by the whole
//! schema afterwards.

use serde_json::{Map, Value, json};

/// The property of a form for a single value.
const ANSWER: &str = "answer";

/// What forms have of the schema of a property.
const KEYWORDS: [&str; 11] = [
    "type",
    "title",
    "description",
    "enum",
    "enumNames",
    "minLength",
    "maxLength",
    "format",
    "minimum",
    "maximum",
    "default",
];

/// The formats that forms have.
const FORMATS: [&str; 4] = ["email", "uri", "date", "date-time"];

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Form {
    pub(super) schema: Value,
    /// Whether the answer is the value of the only property.
    is_single: bool,
}

impl Form {
    /// The form for a schema, filled in with a value to start from.
    pub(super) fn new(schema: &Value, default: Option<&Value>) -> Option<Self> {
        if let Some(mut property) = primitive(schema) {
            prefill(&mut property, default);
            let schema = json!({"type": "object", "properties": {ANSWER: property}, "required": [ANSWER]});
            return Some(Self { schema, is_single: true });
        }
        let members = schema.as_object()?;
        if members.get("type").is_some_and(|kind| kind != "object") {
            return None;
        }
        let mut properties = Map::new();
        for (name, property) in members.get("properties")?.as_object()? {
            let mut property = primitive(property)?;
            prefill(&mut property, default.and_then(|default| default.get(name)));
            properties.insert(name.clone(), property);
        }
        let required = members.get("required").cloned().unwrap_or_else(|| json!([]));
        let all_known = |names: &Vec<Value>| {
            names.iter().all(|name| name.as_str().is_some_and(|name| properties.contains_key(name)))
        };
        if properties.is_empty() || !required.as_array().is_some_and(all_known) {
            return None;
        }
        let schema = json!({"type": "object", "properties": properties, "required": required});
        Some(Self { schema, is_single: false })
    }

    /// The answer that the content of a filled-in form stands for.
    pub(super) fn answer(&self, mut content: Map<String, Value>) -> Value {
        match self.is_single {
            true => content.remove(ANSWER).unwrap_or_default(),
            false => Value::Object(content),
        }
    }
}

/// A property of a form, if the schema is that of a primitive value or of a choice of strings.
fn primitive(schema: &Value) -> Option<Value> {
    let members = schema.as_object()?;
    let mut property = members.clone();
    property.retain(|name, _| KEYWORDS.contains(&name.as_str()));
    if let Some(only) = members.get("const") {
        property.insert("enum".to_owned(), json!([only]));
    }
    match (property.get("enum"), property.get("type").and_then(Value::as_str)) {
        (Some(Value::Array(values)), None | Some("string")) if values.iter().all(Value::is_string) => {
            property.insert("type".to_owned(), json!("string"));
        }
        (None, Some("string" | "number" | "integer" | "boolean")) => {}
        _ => return None,
    }
    property.retain(|name, value| {
        name != "format" || value.as_str().is_some_and(|format| FORMATS.contains(&format))
    });
    Some(Value::Object(property))
}

fn prefill(property: &mut Value, default: Option<&Value>) {
    let Some(default) = default else { return };
    let fits = match property.get("type").and_then(Value::as_str) {
        Some("string") => default.is_string(),
        Some("boolean") => default.is_boolean(),
        _ => default.is_number(),
    };
    let is_choice = |choices: &Value| choices.as_array().is_some_and(|choices| choices.contains(default));
    if fits && property.get("enum").is_none_or(is_choice) {
        super::set(property, "default", default.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flat_object_is_a_form_and_a_value_to_start_from_fills_it_in() {
        let schema = json!({
            "type": "object",
            "required": ["severity"],
            "additionalProperties": false,
            "properties": {
                "severity": {"enum": ["low", "high"]},
                "count": {"type": "integer", "minimum": 1, "multipleOf": 2},
                "mail": {"type": "string", "format": "email", "pattern": "@"},
                "host": {"type": "string", "format": "hostname"},
            },
        });
        let form = Form::new(&schema, Some(&json!({"severity": "huge", "count": 4}))).unwrap();
        let expected = json!({
            "type": "object",
            "properties": {
                "severity": {"enum": ["low", "high"], "type": "string"},
                "count": {"type": "integer", "minimum": 1, "default": 4},
                "mail": {"type": "string", "format": "email"},
                "host": {"type": "string"},
            },
            "required": ["severity"],
        });
        assert_eq!(form.schema, expected);
        let Value::Object(content) = json!({"severity": "low"}) else { panic!("no object") };
        assert_eq!(form.answer(content), json!({"severity": "low"}));
    }

    #[test]
    fn a_single_value_is_asked_for_in_a_form_with_one_field() {
        let form = Form::new(&json!({"type": "string", "minLength": 1}), None).unwrap();
        assert_eq!(form.schema.pointer("/properties/answer/minLength"), Some(&json!(1)));
        let Value::Object(content) = json!({"answer": "Berlin"}) else { panic!("no object") };
        assert_eq!(form.answer(content), json!("Berlin"));
    }

    #[test]
    fn anything_else_has_no_form() {
        let nested = json!({"type": "object", "properties": {"a": {"type": "object", "properties": {}}}});
        let unknown = json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["b"]});
        let list = json!({"type": "array", "items": {"type": "string"}});
        let either = json!({"type": "object", "properties": {"a": {"type": ["string", "null"]}}});
        let numbers = json!({"type": "object", "properties": {"a": {"enum": [1, 2]}}});
        for schema in [nested, unknown, list, either, numbers, json!(true), json!({"type": "object"})] {
            assert_eq!(Form::new(&schema, None), None, "{schema}");
        }
    }
}
