//! A stricter copy of a schema, for readings that had to guess.

use serde_json::Value;

/// Keywords with which a schema does not name all its properties itself.
const NAMED_ELSEWHERE: &[&str] = &[
    "additionalProperties",
    "unevaluatedProperties",
    "patternProperties",
    "$ref",
    "$dynamicRef",
    "$recursiveRef",
    "allOf",
    "anyOf",
    "oneOf",
    "if",
    "dependentSchemas",
    "dependencies",
];

/// Where members are compositions or data, nothing is closed.
const NOT_CLOSED: &[&str] =
    &["allOf", "anyOf", "oneOf", "not", "if", "then", "else", "enum", "const", "default", "examples"];

/// Refuses unnamed members wherever a schema names some and says nothing of the others.
pub(super) fn close(schema: &mut Value) {
    match schema {
        Value::Object(keywords) => {
            let names = keywords.get("properties").is_some_and(Value::is_object)
                && !NAMED_ELSEWHERE.iter().any(|keyword| keywords.contains_key(*keyword));
            for (keyword, inner) in keywords.iter_mut() {
                if !NOT_CLOSED.contains(&keyword.as_str()) {
                    close(inner);
                }
            }
            if names {
                keywords.insert("additionalProperties".to_owned(), Value::Bool(false));
            }
        }
        Value::Array(items) => items.iter_mut().for_each(close),
        _ => {}
    }
}
