//! The sentences of errors: what was expected, what was found and, if known, what to do.

mod format;
mod unique;

use jsonschema::JsonType;
use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use serde_json::Value;

use super::escape::quoted;
use super::quote::{counted, names, options, value as quoted_value};

/// An assertion that does not hold, in words.
pub(super) fn broken(kind: &Kind, schema: &Value, value: &Value) -> String {
    let found = quoted_value(value);
    match kind {
        Kind::Type { kind } => wrong_type(value, &expected_types(schema, kind)),
        Kind::Enum { options } => not_one_of(
            value,
            &options.as_array().map(|all| all.iter().collect::<Vec<_>>()).unwrap_or_default(),
        ),
        Kind::Constant { expected_value } => {
            format!("expected {}, got {found}", quoted_value(expected_value))
        }
        Kind::Minimum { limit } => format!("expected at least {}, got {found}", quoted_value(limit)),
        Kind::Maximum { limit } => format!("expected at most {}, got {found}", quoted_value(limit)),
        Kind::ExclusiveMinimum { limit } => {
            format!("expected more than {}, got {found}", quoted_value(limit))
        }
        Kind::ExclusiveMaximum { limit } => {
            format!("expected less than {}, got {found}", quoted_value(limit))
        }
        Kind::MultipleOf { multiple_of } => {
            format!("expected a multiple of {}, got {found}", quoted_value(multiple_of))
        }
        Kind::MinLength { limit } => at_least(&found, length(value), "character", "characters", *limit),
        Kind::MaxLength { limit } => at_most(&found, length(value), "character", "characters", *limit),
        Kind::MinItems { limit } => at_least(&found, size(value), "item", "items", *limit),
        Kind::MaxItems { limit } => at_most(&found, size(value), "item", "items", *limit),
        Kind::MinProperties { limit } => at_least(&found, size(value), "property", "properties", *limit),
        Kind::MaxProperties { limit } => at_most(&found, size(value), "property", "properties", *limit),
        Kind::Pattern { pattern } => format!("expected a string matching {}, got {found}", quoted(pattern)),
        Kind::Format { format } => format::wording(&found, format),
        Kind::UniqueItems => unique::wording(value),
        Kind::ContentEncoding { content_encoding } => {
            format!("expected a string encoded as {}, got {found}", quoted(content_encoding))
        }
        Kind::ContentMediaType { content_media_type } => {
            format!("expected a string of media type {}, got {found}", quoted(content_media_type))
        }
        Kind::FromUtf8 { .. } => format!("expected a string that decodes to UTF-8, got {found}"),
        Kind::BacktrackLimitExceeded { .. } | Kind::RegexEngineFailure { .. } => {
            format!("{found} is too long to match against the pattern")
        }
        Kind::FalseSchema => nothing_allowed(value),
        Kind::Required { property } => missing(property.as_str().unwrap_or_default(), None),
        Kind::AdditionalProperties { unexpected: names }
        | Kind::UnevaluatedProperties { unexpected: names } => {
            unexpected(&names.iter().map(String::as_str).collect::<Vec<_>>(), schema)
        }
        Kind::AdditionalItems { limit } => too_many_items(size(value), *limit),
        Kind::UnevaluatedItems { .. } => format!("{found} has items that the schema does not allow"),
        Kind::AnyOf { .. } | Kind::OneOfNotValid { .. } => no_alternative(value),
        Kind::OneOfMultipleValid { .. } => {
            format!("exactly one alternative must match, but several do; got {found}")
        }
        Kind::Contains => format!("no item matches 'contains'; got {found}"),
        Kind::Not { schema } => ruled_out(value, schema),
        Kind::PropertyNames { error } => bad_name(error.instance().as_str().unwrap_or_default(), None),
        Kind::Custom { message, .. } => quoted(message),
        Kind::Referencing(_) => format!("{found} could not be checked: unresolved reference"),
    }
}

pub(super) fn not_one_of(value: &Value, allowed: &[&Value]) -> String {
    match allowed {
        [only] => format!("expected {}, got {}", quoted_value(only), quoted_value(value)),
        _ => format!("expected one of {}; got {}", options(allowed, value), quoted_value(value)),
    }
}

pub(super) fn wrong_type(value: &Value, expected: &[&str]) -> String {
    let types = match expected.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => "another type".to_owned(),
    };
    let separator = if expected.len() > 2 { ";" } else { "," };
    let hint = match value {
        Value::String(text) if expected.contains(&"object") && text.trim_start().starts_with('{') => {
            "; pass the object itself, not a string that contains it"
        }
        Value::String(text) if expected.contains(&"array") && text.trim_start().starts_with('[') => {
            "; pass the array itself, not a string that contains it"
        }
        _ => "",
    };
    match value {
        Value::Null => format!("expected {types}{separator} got null"),
        _ => format!("expected {types}{separator} got {} {}{hint}", type_of(value), quoted_value(value)),
    }
}

pub(super) fn missing(name: &str, stand_in: Option<&str>) -> String {
    match stand_in {
        Some(other) => {
            let name = quoted(name);
            format!("missing required property {name}; rename {} to {name}", quoted(other))
        }
        None => format!("missing required property {}", quoted(name)),
    }
}

pub(super) fn missing_beside(name: &str, other: &str) -> String {
    format!("{} ({})", missing(name, None), because_present(other))
}

pub(super) fn missing_tag(name: &str, allowed: &[&Value]) -> String {
    format!("{}; expected one of {}", missing(name, None), options(allowed, &Value::Null))
}

/// Properties that no part of a schema allows. The properties of its other parts are not listed, because with an incomplete
/// list a model would omit required ones.
pub(super) fn unevaluated(names: &[&str], schema: &Value) -> String {
    const PARTS: [&str; 9] =
        ["allOf", "anyOf", "oneOf", "$ref", "$dynamicRef", "if", "then", "else", "dependentSchemas"];
    match PARTS.iter().any(|part| schema.get(part).is_some()) {
        true => unexpected(names, &Value::Null),
        false => unexpected(names, schema),
    }
}

pub(super) fn unexpected(unexpected: &[&str], schema: &Value) -> String {
    let noun = if unexpected.len() == 1 { "property" } else { "properties" };
    let found = names(unexpected.iter().copied());
    let patterns = schema.get("patternProperties").and_then(Value::as_object);
    let allowed = schema.get("properties").and_then(Value::as_object).filter(|known| !known.is_empty());
    let known = match (allowed, patterns) {
        (Some(known), None) => format!("allowed: {}", names(known.keys().map(String::as_str))),
        (Some(known), Some(patterns)) => format!(
            "allowed: {} and names matching {}",
            names(known.keys().map(String::as_str)),
            names(patterns.keys().map(String::as_str))
        ),
        (None, Some(patterns)) => {
            format!("allowed: names matching {}", names(patterns.keys().map(String::as_str)))
        }
        (None, None) if unexpected.len() == 1 => "remove it".to_owned(),
        (None, None) => "remove them".to_owned(),
    };
    format!("unexpected {noun} {found}; {known}")
}

pub(super) fn bad_name(name: &str, cause: Option<String>) -> String {
    match cause {
        Some(cause) => format!("invalid property name {}: {cause}", quoted(name)),
        None => format!("invalid property name {}", quoted(name)),
    }
}

pub(super) fn nothing_allowed(value: &Value) -> String {
    format!("{} is not allowed here; remove it", quoted_value(value))
}

pub(super) fn too_many_items(found: usize, allowed: usize) -> String {
    format!("expected at most {}, got {found}", counted(allowed, "item", "items"))
}

pub(super) fn unexpected_item(index: usize, item: &Value) -> String {
    format!("unexpected item {index}: {}; remove it", quoted_value(item))
}

pub(super) fn contains_too_few(found: usize, least: f64, schema: &Value) -> String {
    let noun = if least <= 1.0 { "item" } else { "items" };
    format!("expected at least {least} {noun} matching {}, got {found}", quoted_value(schema))
}

pub(super) fn contains_too_many(found: usize, most: f64, schema: &Value) -> String {
    let noun = if most <= 1.0 { "item" } else { "items" };
    format!("expected at most {most} {noun} matching {}, got {found}", quoted_value(schema))
}

pub(super) fn ruled_out(value: &Value, schema: &Value) -> String {
    format!("expected a value that does not match {}, got {}", quoted_value(schema), quoted_value(value))
}

pub(super) fn not_like(value: &Value, reference: &str) -> String {
    format!("expected a value matching {}, got {}", quoted(reference), quoted_value(value))
}

pub(super) fn no_alternative(value: &Value) -> String {
    format!("matches none of the alternatives; got {}", quoted_value(value))
}

pub(super) fn several_hold(holding: &[usize], branches: &[Value]) -> String {
    let labels: Vec<String> = holding.iter().map(|index| label(*index, branches)).collect();
    let listed = match labels.split_last() {
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => String::new(),
    };
    format!("exactly one of {} alternatives must match, but {listed} do", branches.len())
}

pub(super) fn closest(index: usize, branches: &[Value]) -> String {
    format!("assuming alternative {}, the closest of {}", label(index, branches), branches.len())
}

pub(super) fn because_present(name: &str) -> String {
    format!("because {} is present", quoted(name))
}

/// Why a condition holds, when it is one that can be said in a few words.
pub(super) fn reason(condition: &Value, value: &Value) -> Option<String> {
    let properties = condition.get("properties")?.as_object()?;
    let (name, schema) = properties.iter().next().filter(|_| properties.len() == 1)?;
    let decides = schema.get("const").is_some() || schema.get("enum").is_some();
    decides
        .then(|| value.get(name))
        .flatten()
        .map(|given| format!("because {} is {}", quoted(name), quoted_value(given)))
}

/// The name of an alternative.
fn label(index: usize, branches: &[Value]) -> String {
    let branch = branches.get(index);
    let title = branch.and_then(|branch| branch.get("title")).and_then(Value::as_str);
    let reference = branch.and_then(|branch| branch.get("$ref")).and_then(Value::as_str);
    match title.or(reference.and_then(|reference| reference.rsplit(['/', '#']).next())) {
        Some(name) if !name.is_empty() => quoted(name),
        _ => format!("number {}", index + 1),
    }
}

/// Whether a value has a type of the schema language.
pub(super) fn is_of_type(value: &Value, name: &str) -> bool {
    match value {
        Value::Null => name == "null",
        Value::Bool(_) => name == "boolean",
        Value::Number(_) => name == "number" || (name == "integer" && type_of(value) == "integer"),
        Value::String(_) => name == "string",
        Value::Array(_) => name == "array",
        Value::Object(_) => name == "object",
    }
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if !number.to_string().contains(['.', 'e', 'E']) => "integer",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// The types in the schema's own order, or the validator's where the schema is not at hand.
fn expected_types<'a>(schema: &'a Value, kind: &TypeKind) -> Vec<&'a str> {
    match (schema.get("type"), kind) {
        (Some(Value::String(name)), _) => vec![name],
        (Some(Value::Array(names)), _) => names.iter().filter_map(Value::as_str).collect(),
        (_, TypeKind::Single(single)) => vec![single.as_str()],
        (_, TypeKind::Multiple(several)) => several.iter().map(JsonType::as_str).collect(),
    }
}

fn length(value: &Value) -> usize {
    value.as_str().map_or(0, |text| text.chars().count())
}

fn size(value: &Value) -> usize {
    match value {
        Value::Array(items) => items.len(),
        Value::Object(members) => members.len(),
        _ => 0,
    }
}

fn at_least(found: &str, count: usize, one: &str, many: &str, limit: u64) -> String {
    format!("expected at least {limit} {}, got {count}: {found}", if limit == 1 { one } else { many })
}

fn at_most(found: &str, count: usize, one: &str, many: &str, limit: u64) -> String {
    format!("expected at most {limit} {}, got {count}: {found}", if limit == 1 { one } else { many })
}
