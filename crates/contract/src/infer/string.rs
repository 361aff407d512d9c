//! Statistics of the strings at one place: the formats that all of them match, and the distinct
//! values if they are few.

use std::sync::Arc;

use accord_json::Meter;
use serde_json::{Map, Value, json};

use crate::schema::Schema;

/// The formats that are looked for. No text matches two of them.
const FORMATS: [&str; 5] = ["date-time", "date", "uuid", "email", "uri"];

/// An enum is a closed choice, so there must be enough strings to believe that all choices were seen…
const MIN_STRINGS_FOR_ENUM: u64 = 20;

/// …and each must have come back a few times: twenty strings with ten different ones are a sample, not a list.
const MIN_REPEATS_FOR_ENUM: u64 = 4;

/// One string alone may be a constant or may be all that this sample had.
const MIN_ENUM_VALUES: usize = 2;

/// More than this is a vocabulary, and it also bounds what is kept in memory.
const MAX_ENUM_VALUES: usize = 16;

/// The bytes of one enum value. Longer strings are prose that happens to repeat.
const MAX_ENUM_VALUE_BYTES: usize = 64;

/// The format checks of the validator itself, so that what is inferred here is what will be enforced.
#[derive(Debug, Clone)]
pub(super) struct Formats(Arc<[(&'static str, Schema)]>);

impl Formats {
    pub(super) fn compile(dialect: &str) -> Self {
        let checks = FORMATS.iter().filter_map(|name| {
            let schema =
                Schema::compile(&json!({ "$schema": dialect, "format": name }), &Meter::default()).ok()?;
            Some((*name, schema))
        });
        Self(checks.collect())
    }

    fn all(&self) -> impl Iterator<Item = &'static str> {
        self.0.iter().map(|(name, _)| *name)
    }

    fn matches(&self, name: &str, text: &str) -> bool {
        // By the letter of RFC 3986 "note:this" is a URI; what people mean has an authority.
        if name == "uri" && !text.contains("://") {
            return false;
        }
        let text = Value::from(text);
        self.0.iter().any(|(known, schema)| *known == name && schema.is_valid(&text))
    }
}

/// Other values at the same location as strings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Company {
    None,
    Nulls,
    Others,
}

#[derive(Debug, Clone, Default)]
pub(super) struct StringFacts {
    count: u64,
    /// The format that all strings so far match.
    format: Option<&'static str>,
    values: Values,
}

/// The distinct strings in order of first appearance, until they are too many or too long.
#[derive(Debug, Clone)]
enum Values {
    Few(Vec<String>),
    Many,
}

impl Default for Values {
    fn default() -> Self {
        Self::Few(Vec::new())
    }
}

impl StringFacts {
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    pub(super) fn observe(&mut self, text: &str, formats: &Formats) {
        self.format = match self.format {
            _ if self.count == 0 => formats.all().find(|name| formats.matches(name, text)),
            Some(name) if formats.matches(name, text) => Some(name),
            _ => None,
        };
        self.count += 1;
        self.values.add(text);
    }

    pub(super) fn absorb(&mut self, other: Self) {
        if other.count == 0 {
            return;
        }
        self.format =
            if self.count == 0 { other.format } else { self.format.filter(|_| self.format == other.format) };
        self.count += other.count;
        match other.values {
            Values::Few(texts) => texts.iter().for_each(|text| self.values.add(text)),
            Values::Many => self.values = Values::Many,
        }
    }

    /// Writes `format` or `enum`. An enum speaks of all values, so it is written only where there is nothing
    /// but strings and nulls.
    pub(super) fn describe(&self, formats: &Formats, company: Company, schema: &mut Map<String, Value>) {
        if let Some(name) = self.format.filter(|name| formats.all().any(|known| known == *name)) {
            schema.insert("format".to_owned(), json!(name));
            return;
        }
        let Values::Few(texts) = &self.values else { return };
        let distinct = texts.len() as u64;
        if company == Company::Others
            || texts.len() < MIN_ENUM_VALUES
            || self.count < MIN_STRINGS_FOR_ENUM
            || self.count < distinct.saturating_mul(MIN_REPEATS_FOR_ENUM)
        {
            return;
        }
        let mut choices: Vec<Value> = texts.iter().map(|text| json!(text)).collect();
        if company == Company::Nulls {
            choices.push(Value::Null);
        }
        schema.insert("enum".to_owned(), Value::Array(choices));
    }
}

impl Values {
    fn add(&mut self, text: &str) {
        let Self::Few(texts) = self else { return };
        if texts.iter().any(|known| known == text) {
            return;
        }
        if texts.len() == MAX_ENUM_VALUES || text.len() > MAX_ENUM_VALUE_BYTES {
            *self = Self::Many;
        } else {
            texts.push(text.to_owned());
        }
    }
}
