//! What patterns cost: to compile, all of a schema together, and to match.
//!
//! The engine bounds each pattern by itself, at ten megabytes. So the size of a compiled pattern is computed from its syntax,
//! where a count has not been written out yet, before anything is compiled.

use regex_syntax::hir::{Class, Hir, HirKind};
use serde_json::Value;

use super::error::SchemaError;
use crate::json_path::JsonPath;
use crate::limits::MAX_PATTERN_PARTS;

/// How large a pattern is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Size {
    /// How much is compiled: characters and ranges of characters, counts written out.
    pub(crate) parts: u64,
    /// How many characters or classes it can be at while it matches: the engine may look at each of them for each byte.
    pub(crate) positions: u64,
}

/// The size of a pattern. One that cannot be read is refused by the validator.
pub(crate) fn size_of(pattern: &str) -> Size {
    let bytes = pattern.len() as u64;
    // The validator parses a pattern again for each control escape.
    let read_again = (pattern.matches("\\c").count() as u64).saturating_mul(bytes);
    let translated = jsonschema_regex::to_rust_regex(pattern).ok();
    let parsed = translated.and_then(|pattern| regex_syntax::parse(&pattern).ok());
    let (parts, positions) = parsed.map_or((bytes, bytes), |parsed| of_hir(&parsed));
    Size { parts: parts.saturating_add(read_again), positions }
}

/// Parts and positions. The syntax nests no deeper than its parser allows.
fn of_hir(hir: &Hir) -> (u64, u64) {
    let sum = |parts: &[Hir]| {
        parts.iter().map(of_hir).fold((1, 1), |(parts, positions): (u64, u64), (more_parts, more)| {
            (parts.saturating_add(more_parts), positions.saturating_add(more))
        })
    };
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => (1, 1),
        HirKind::Literal(literal) => (literal.0.len() as u64, literal.0.len() as u64),
        HirKind::Class(Class::Unicode(class)) => (class.ranges().len() as u64 + 1, 1),
        HirKind::Class(Class::Bytes(class)) => (class.ranges().len() as u64 + 1, 1),
        HirKind::Repetition(repetition) => {
            let times = u64::from(repetition.max.unwrap_or(repetition.min).max(repetition.min).max(1));
            let (parts, positions) = of_hir(&repetition.sub);
            (parts.saturating_mul(times).saturating_add(1), positions.saturating_mul(times).saturating_add(1))
        }
        HirKind::Capture(capture) => of_hir(&capture.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => sum(parts),
    }
}

/// Refuses a document whose patterns are too large together. Whatever looks like one counts, anywhere: references
/// may lead there. `unevaluatedProperties` compiles the patterns beside and below it once more.
pub(super) fn check(document: &Value) -> Result<(), SchemaError> {
    let mut found = Patterns::default();
    found.collect(&JsonPath::root(), document);
    let copies = 1 + found.unevaluated;
    let mut total: u64 = 0;
    for (place, pattern) in &found.patterns {
        let parts = size_of(pattern).parts.saturating_mul(copies);
        total = total.saturating_add(parts);
        if total > MAX_PATTERN_PARTS {
            let message = format!(
                "the patterns of the schema are too large when compiled: {total} or more characters and character ranges with repetitions expanded; the limit for all patterns together is {MAX_PATTERN_PARTS}. Use smaller repetition counts, or limit the length with 'minLength' and 'maxLength'"
            );
            return Err(SchemaError::new(place, message));
        }
    }
    Ok(())
}

#[derive(Debug, Default)]
struct Patterns<'a> {
    patterns: Vec<(JsonPath, &'a str)>,
    unevaluated: u64,
}

impl<'a> Patterns<'a> {
    fn collect(&mut self, place: &JsonPath, value: &'a Value) {
        match value {
            Value::Object(members) => {
                if let Some(pattern) = members.get("pattern").and_then(Value::as_str) {
                    self.patterns.push((place.key("pattern"), pattern));
                }
                if let Some(Value::Object(by_pattern)) = members.get("patternProperties") {
                    let place = place.key("patternProperties");
                    self.patterns
                        .extend(by_pattern.keys().map(|pattern| (place.key(pattern), pattern.as_str())));
                }
                self.unevaluated += u64::from(members.contains_key("unevaluatedProperties"));
                members.iter().for_each(|(name, member)| self.collect(&place.key(name), member));
            }
            Value::Array(items) => {
                (0..).zip(items).for_each(|(index, item)| self.collect(&place.index(index), item));
            }
            _ => {}
        }
    }
}
