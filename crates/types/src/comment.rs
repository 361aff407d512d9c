//! What a type cannot express, as comments.

use serde_json::{Map, Value};

/// Keywords that restrict a value in a way that types do not have.
const CONSTRAINTS: &[&str] = &[
    "format",
    "pattern",
    "minLength",
    "maxLength",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minItems",
    "maxItems",
    "uniqueItems",
    "prefixItems",
    "contains",
    "minContains",
    "maxContains",
    "minProperties",
    "maxProperties",
    "propertyNames",
    "patternProperties",
    "unevaluatedProperties",
    "dependentRequired",
    "dependentSchemas",
    "dependencies",
    "not",
    "if",
    "then",
    "else",
];

/// A longer constraint is read in the schema.
const LONGEST_CONSTRAINT: usize = 100;

/// A text as lines that can stand in a comment of any language.
pub(crate) fn lines(text: &str) -> Vec<String> {
    let readable = |line: &str| {
        let plain: String = line.trim().chars().filter(|each| !each.is_control()).collect();
        // What ends a comment in TypeScript, or a documentation string in Python.
        plain.replace("*/", "* /").replace("\"\"\"", "'''")
    };
    text.lines().map(readable).filter(|line| !line.is_empty()).collect()
}

/// The description of a schema and its constraints.
pub(crate) fn of(schema: &Value) -> Vec<String> {
    let Value::Object(keywords) = schema else { return Vec::new() };
    let text = |name: &str| keywords.get(name).and_then(Value::as_str).unwrap_or_default();
    let mut comment = lines(if text("description").is_empty() { text("title") } else { text("description") });
    let constraints: Vec<String> = constraints(keywords).collect();
    if !constraints.is_empty() {
        comment.extend(lines(&format!("Also: {}", constraints.join(", "))));
    }
    comment
}

fn constraints(keywords: &Map<String, Value>) -> impl Iterator<Item = String> {
    let has_record = keywords.get("properties").is_some();
    let is_lost = move |name: &str, value: &Value| match name {
        // A record ignores them; otherwise they are the type.
        "anyOf" | "oneOf" => has_record,
        "additionalProperties" => has_record && value.is_object(),
        "items" | "additionalItems" => value.is_array() || name == "additionalItems",
        "$ref" => !value.as_str().is_some_and(|reference| reference == "#" || reference.starts_with("#/")),
        "enum" => value.as_array().is_some_and(|all| all.iter().any(|each| !is_literal(each))),
        "const" => !is_literal(value),
        "$dynamicRef" | "$recursiveRef" => true,
        name => CONSTRAINTS.contains(&name),
    };
    keywords.iter().filter(move |(name, value)| is_lost(name, value)).map(|(name, value)| {
        let text = value.to_string();
        match text.chars().count() > LONGEST_CONSTRAINT {
            true => format!("{name} (see the schema)"),
            false => format!("{name} {text}"),
        }
    })
}

/// Whether types have a literal for a value.
pub(crate) fn is_literal(value: &Value) -> bool {
    match value {
        Value::Number(number) => number.is_i64(),
        Value::Null | Value::Bool(_) | Value::String(_) => true,
        Value::Array(_) | Value::Object(_) => false,
    }
}
