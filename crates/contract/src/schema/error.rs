//! Why a schema does not compile, and where.

use accord_json::Exceeded;
use jsonschema::PatternOptions;
use jsonschema::error::ValidationErrorKind;
use jsonschema::paths::LocationSegment;
use serde_json::{Value, json};
use thiserror::Error;

use crate::json_path::{JsonPath, Step};

/// A schema that cannot be a contract.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{message} (at {path})")]
pub struct SchemaError {
    /// The place in the schema document as people write it.
    pub path: String,
    /// The place in the schema document as RFC 6901 writes it.
    pub pointer: String,
    /// What is wrong and what to do.
    pub message: String,
}

impl SchemaError {
    pub(crate) fn new(place: &JsonPath, message: impl Into<String>) -> Self {
        Self { path: place.path(), pointer: place.pointer(), message: message.into() }
    }

    pub(crate) fn exceeded(exceeded: Exceeded) -> Self {
        Self::new(&JsonPath::root(), format!("the schema cannot be compiled: {exceeded}; make it smaller"))
    }
}

/// Turns the validator's refusal into a place and a sentence, for all but references.
pub(super) fn explain(document: &Value, error: &jsonschema::ValidationError<'_>) -> SchemaError {
    let error = innermost(error);
    let place = place_of(error.instance_path(), document);
    let offending = document.pointer(&place.pointer()).unwrap_or(document);
    SchemaError::new(&place, wording(&place, offending, error))
}

/// Meta-schemas have alternatives (`items` is a schema or a list of them); the error is where one of them got
/// furthest.
fn innermost<'e>(error: &'e jsonschema::ValidationError<'_>) -> &'e jsonschema::ValidationError<'e> {
    let (ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context }) =
        error.kind()
    else {
        return error;
    };
    let depth = |error: &jsonschema::ValidationError<'_>| error.instance_path().into_iter().count();
    match context.iter().flatten().max_by_key(|inner| depth(inner)) {
        Some(inner) if depth(inner) > depth(error) => innermost(inner),
        _ => error,
    }
}

/// The validator's location as a place. It cannot tell the key `"0"` from the index `0`; the document can.
pub(crate) fn place_of(location: &jsonschema::paths::Location, document: &Value) -> JsonPath {
    let mut current = Some(document);
    location
        .into_iter()
        .map(|segment| {
            let name = match segment {
                LocationSegment::Property(name) => name.into_owned(),
                LocationSegment::Index(index) => index.to_string(),
            };
            let step = Step::of(current, name);
            current = current.and_then(|value| step.within(value));
            step
        })
        .collect()
}

fn wording(place: &JsonPath, offending: &Value, error: &jsonschema::ValidationError<'_>) -> String {
    match place.steps().last() {
        Some(Step::Key(keyword)) if keyword == "pattern" => pattern_wording(offending),
        Some(Step::Key(keyword)) if keyword == "format" => {
            format!("unknown format {offending} would not be enforced; use a standard format or a 'pattern'")
        }
        Some(Step::Key(keyword)) if keyword == "type" => {
            format!(
                "unknown type {offending}; expected array, boolean, integer, null, number, object or string"
            )
        }
        _ if matches!(error.kind(), ValidationErrorKind::Format { format } if format == "regex") => {
            pattern_wording(offending)
        }
        _ => error.to_string(),
    }
}

fn pattern_wording(pattern: &Value) -> String {
    let text = pattern.as_str().unwrap_or_default();
    if ["(?=", "(?!", "(?<=", "(?<!"].iter().any(|look| text.contains(look)) {
        return format!(
            "the pattern {pattern} uses look-around, which the linear-time regex engine does not support; rewrite it without, or use an invariant"
        );
    }
    if (1..=9).any(|digit| text.contains(&format!("\\{digit}"))) {
        return format!(
            "the pattern {pattern} uses a back-reference, which the linear-time regex engine does not support"
        );
    }
    let small = without_counts(text);
    if small != text && is_pattern(&small) {
        return format!(
            "the pattern {pattern} is too large when compiled; use smaller repetition counts, or limit the length with 'minLength' and 'maxLength'"
        );
    }
    format!("the pattern {pattern} is not a valid regular expression")
}

/// Whether the validator takes a pattern.
fn is_pattern(text: &str) -> bool {
    let options = jsonschema::options().with_pattern_options(PatternOptions::regex());
    options.build(&json!({"pattern": text})).is_ok()
}

/// A pattern that repeats at most once where it had a count: as well formed as before, and small.
fn without_counts(pattern: &str) -> String {
    let (mut small, mut rest) = (String::new(), pattern);
    while let Some((before, behind)) = rest.split_once('{') {
        small.push_str(before);
        match behind.split_once('}').filter(|(count, _)| is_count(count)) {
            Some((_, after)) => {
                small.push('?');
                rest = after;
            }
            None => {
                small.push('{');
                rest = behind;
            }
        }
    }
    small + rest
}

/// Whether this is `least,most`, `least,` or one number for both.
fn is_count(text: &str) -> bool {
    let (least, most) = text.split_once(',').unwrap_or((text, text));
    let number = |text: &str| text.parse::<u32>().ok();
    number(least).is_some_and(|least| most.is_empty() || number(most).is_some_and(|most| least <= most))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Schema;
    use accord_json::Meter;

    #[test]
    fn large_and_invalid_patterns_have_different_errors() {
        let refused = |pattern: &str| {
            Schema::compile(&json!({"pattern": pattern}), &Meter::default()).unwrap_err().message
        };
        for large in [r"^[\p{L}\p{N} ]{1,500}$", "(a{1,1000}){1,1000}"] {
            assert!(refused(large).contains(" too large when "), "{}", refused(large));
        }
        for none in ["(", "a{5,2}", "(a{1,1000}", "[a{2}"] {
            assert!(refused(none).ends_with("is not a valid regular expression"), "{}", refused(none));
        }
    }
}
