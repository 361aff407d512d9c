//! The JSON Schema of an agent's file, for editors: the schema of the blueprint and those that it refers to, in one document.

use accord_domain::agent::Blueprint;
use serde_json::{Map, Value, json};

use crate::generator_schemas::{SCHEMAS, rewrite_for_generators};
use crate::shape::type_schemas;

/// The JSON Schema of an `agent.yaml`.
pub fn file_schema() -> Value {
    let mut document = json!({"components": {"schemas": type_schemas::<Blueprint>()}});
    rewrite_for_generators(&mut document);
    let shapes = document.pointer("/components/schemas").unwrap_or(&Value::Null);
    let mut schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "An Accord agent",
    });
    let mut definitions = Map::new();
    let mut wanted = Vec::new();
    let blueprint = own(shapes.get("Blueprint").cloned().unwrap_or_default(), &mut wanted);
    while let Some(name) = wanted.pop() {
        if !definitions.contains_key(&name) {
            let shape = own(shapes.get(&name).cloned().unwrap_or_default(), &mut wanted);
            definitions.insert(name, shape);
        }
    }
    definitions.sort_keys();
    if let (Value::Object(schema), Value::Object(blueprint)) = (&mut schema, blueprint) {
        schema.extend(blueprint);
        schema.insert("$defs".to_owned(), Value::Object(definitions));
    }
    schema
}

/// The same shape with references into its own document, and the names that those want.
fn own(shape: Value, wanted: &mut Vec<String>) -> Value {
    match shape {
        Value::Array(items) => items.into_iter().map(|item| own(item, wanted)).collect(),
        Value::Object(members) => {
            // All shapes of a blueprint refuse fields that they do not know.
            let is_open = members.contains_key("properties") && !members.contains_key("additionalProperties");
            // OpenAPI's own words, which an editor may take for mistakes.
            let is_foreign =
                |name: &str, value: &Value| name == "discriminator" || name == "format" && value.is_string();
            let mut members: Map<String, Value> = members
                .into_iter()
                .filter(|(name, value)| !is_foreign(name, value))
                .map(|(name, value)| (name, own(value, wanted)))
                .collect();
            if let Some(name) =
                members.get("$ref").and_then(Value::as_str).and_then(|to| to.strip_prefix(SCHEMAS))
            {
                wanted.push(name.to_owned());
                let reference = format!("#/$defs/{name}");
                members.insert("$ref".to_owned(), Value::String(reference));
            }
            if is_open {
                members.insert("additionalProperties".to_owned(), Value::Bool(false));
            }
            Value::Object(members)
        }
        plain => plain,
    }
}
