//! The sentences. Each says what was found, what is wanted and, where it can be known, what to do.

mod format;
mod unique;

use jsonschema::JsonType;
use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use serde_json::Value;

use super::escape::quoted;
use super::quote::{counted, names, options, value as shown};

/// An assertion that does not hold, in words.
pub(super) fn broken(kind: &Kind, schema: &Value, value: &Value) -> String {
    let found = shown(value);
    match kind {
        Kind::Type { kind } => wrong_type(value, &wanted_types(schema, kind)),
        Kind::Enum { options } => not_one_of(
            value,
            &options.as_array().map(|all| all.iter().collect::<Vec<_>>()).unwrap_or_default(),
        ),
        Kind::Constant { expected_value } => {
            format!("{found} is not {}, the only value allowed", shown(expected_value))
        }
        Kind::Minimum { limit } => format!("{found} is less than minimum {}", shown(limit)),
        Kind::Maximum { limit } => format!("{found} is greater than maximum {}", shown(limit)),
        Kind::ExclusiveMinimum { limit } => format!("{found} is not greater than {}", shown(limit)),
        Kind::ExclusiveMaximum { limit } => format!("{found} is not less than {}", shown(limit)),
        Kind::MultipleOf { multiple_of } => format!("{found} is not a multiple of {}", shown(multiple_of)),
        Kind::MinLength { limit } => at_least(&found, length(value), "character", "characters", *limit),
        Kind::MaxLength { limit } => at_most(&found, length(value), "character", "characters", *limit),
        Kind::MinItems { limit } => at_least(&found, size(value), "item", "items", *limit),
        Kind::MaxItems { limit } => at_most(&found, size(value), "item", "items", *limit),
        Kind::MinProperties { limit } => at_least(&found, size(value), "property", "properties", *limit),
        Kind::MaxProperties { limit } => at_most(&found, size(value), "property", "properties", *limit),
        Kind::Pattern { pattern } => format!("{found} does not match the pattern {}", quoted(pattern)),
        Kind::Format { format } => format::wording(&found, format),
        Kind::UniqueItems => unique::wording(value),
        Kind::ContentEncoding { content_encoding } => {
            format!("{found} is not encoded as {}", quoted(content_encoding))
        }
        Kind::ContentMediaType { content_media_type } => {
            format!("{found} is not a text of type {}", quoted(content_media_type))
        }
        Kind::FromUtf8 { .. } => format!("{found} does not decode to valid UTF-8 text"),
        Kind::BacktrackLimitExceeded { .. } | Kind::RegexEngineFailure { .. } => {
            format!("{found} is too long to be matched against the pattern")
        }
        Kind::FalseSchema => nothing_allowed(value),
        Kind::Required { property } => missing(property.as_str().unwrap_or_default(), None),
        Kind::AdditionalProperties { unexpected: names }
        | Kind::UnevaluatedProperties { unexpected: names } => {
            unexpected(&names.iter().map(String::as_str).collect::<Vec<_>>(), schema)
        }
        Kind::AdditionalItems { limit } => too_many_items(size(value), *limit),
        Kind::UnevaluatedItems { .. } => format!("{found} has items that no part of the schema allows"),
        Kind::AnyOf { .. } | Kind::OneOfNotValid { .. } => no_alternative(value),
        Kind::OneOfMultipleValid { .. } => {
            format!("{found} matches more than one alternative; exactly one is wanted")
        }
        Kind::Contains => format!("{found} has no item of the kind that is wanted"),
        Kind::Not { schema } => ruled_out(value, schema),
        Kind::PropertyNames { error } => bad_name(error.instance().as_str().unwrap_or_default(), None),
        Kind::Custom { message, .. } => quoted(message),
        Kind::Referencing(_) => format!("{found} could not be checked: a reference leads nowhere"),
    }
}

pub(super) fn not_one_of(value: &Value, allowed: &[&Value]) -> String {
    format!("{} is not one of {}", shown(value), options(allowed, value))
}

pub(super) fn wrong_type(value: &Value, wanted: &[&str]) -> String {
    let wanted_words: Vec<&str> = wanted.iter().map(|name| with_article(name)).collect();
    let wanted_words = match wanted_words.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => "another type".to_owned(),
    };
    let hint = match value {
        Value::String(text) if wanted.contains(&"object") && text.trim_start().starts_with('{') => {
            "; give the object itself, not a string that holds it"
        }
        Value::String(text) if wanted.contains(&"array") && text.trim_start().starts_with('[') => {
            "; give the array itself, not a string that holds it"
        }
        _ => "",
    };
    match value {
        Value::Null => format!("null is given; {wanted_words} is wanted"),
        _ => format!("{} is {}; {wanted_words} is wanted{hint}", shown(value), kind_of(value)),
    }
}

pub(super) fn missing(name: &str, stand_in: Option<&str>) -> String {
    match stand_in {
        Some(other) => {
            format!("required property {} is missing; found {}; rename it", quoted(name), quoted(other))
        }
        None => format!("required property {} is missing", quoted(name)),
    }
}

pub(super) fn missing_beside(name: &str, other: &str) -> String {
    format!("{} ({})", missing(name, None), because_present(other))
}

pub(super) fn missing_tag(name: &str, allowed: &[&Value]) -> String {
    format!("{}; it is one of {}", missing(name, None), options(allowed, &Value::Null))
}

/// Properties that no part of a schema knows. What its other parts would allow is not listed: half a list would have a model
/// leave out what they require.
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
        (Some(known), None) => format!("allowed are {}", names(known.keys().map(String::as_str))),
        (Some(known), Some(patterns)) => format!(
            "allowed are {} and names that match {}",
            names(known.keys().map(String::as_str)),
            names(patterns.keys().map(String::as_str))
        ),
        (None, Some(patterns)) => {
            format!("allowed are names that match {}", names(patterns.keys().map(String::as_str)))
        }
        (None, None) => "remove it".to_owned(),
    };
    format!("unexpected {noun} {found}; {known}")
}

pub(super) fn bad_name(name: &str, cause: Option<String>) -> String {
    match cause {
        Some(cause) => format!("property name {} is not allowed: {cause}", quoted(name)),
        None => format!("property name {} is not allowed", quoted(name)),
    }
}

pub(super) fn nothing_allowed(value: &Value) -> String {
    format!("{} is not allowed here; leave it out", shown(value))
}

pub(super) fn too_many_items(found: usize, allowed: usize) -> String {
    format!("has {}; at most {allowed} are allowed", counted(found, "item", "items"))
}

pub(super) fn unexpected_item(index: usize, item: &Value) -> String {
    format!("item {index}, {}, is not allowed; no part of the schema speaks of it", shown(item))
}

pub(super) fn contains_too_few(found: usize, least: f64, schema: &Value) -> String {
    match found {
        0 => format!("no item matches {}; at least {least} must", shown(schema)),
        1 => format!("1 item matches {}; at least {least} must", shown(schema)),
        _ => format!("{found} items match {}; at least {least} must", shown(schema)),
    }
}

pub(super) fn contains_too_many(found: usize, most: f64, schema: &Value) -> String {
    let verb = if found == 1 { "item matches" } else { "items match" };
    format!("{found} {verb} {}; at most {most} may", shown(schema))
}

pub(super) fn ruled_out(value: &Value, schema: &Value) -> String {
    format!("{} is ruled out: it must not match {}", shown(value), shown(schema))
}

pub(super) fn not_like(value: &Value, reference: &str) -> String {
    format!("{} does not conform to {}", shown(value), quoted(reference))
}

pub(super) fn no_alternative(value: &Value) -> String {
    format!("{} matches none of the alternatives", shown(value))
}

pub(super) fn several_hold(holding: &[usize], branches: &[Value]) -> String {
    let labels: Vec<String> = holding.iter().map(|index| label(*index, branches)).collect();
    let listed = match labels.split_last() {
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => String::new(),
    };
    format!("matches {listed} of {} alternatives; it must match exactly one", branches.len())
}

pub(super) fn closest(index: usize, branches: &[Value]) -> String {
    format!("as {}, the closest of {} alternatives", label(index, branches), branches.len())
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
        .map(|given| format!("because {} is {}", quoted(name), shown(given)))
}

/// What an alternative is called.
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
        Value::Number(_) => name == "number" || (name == "integer" && kind_of(value) == "an integer"),
        Value::String(_) => name == "string",
        Value::Array(_) => name == "array",
        Value::Object(_) => name == "object",
    }
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Number(number) if !number.to_string().contains(['.', 'e', 'E']) => "an integer",
        _ => crate::schema::kind_of(value),
    }
}

fn with_article(name: &str) -> &str {
    match name {
        "array" => "an array",
        "boolean" => "a boolean",
        "integer" => "an integer",
        "number" => "a number",
        "object" => "an object",
        "string" => "a string",
        other => other,
    }
}

/// The types in the schema's own order, or the validator's where the schema is not at hand.
fn wanted_types<'a>(schema: &'a Value, kind: &TypeKind) -> Vec<&'a str> {
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
    format!("{found} has {}; at least {limit} {} wanted", counted(count, one, many), be(limit))
}

fn at_most(found: &str, count: usize, one: &str, many: &str, limit: u64) -> String {
    format!("{found} has {}; at most {limit} {} allowed", counted(count, one, many), be(limit))
}

fn be(count: u64) -> &'static str {
    if count == 1 { "is" } else { "are" }
}
