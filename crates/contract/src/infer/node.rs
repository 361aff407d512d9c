//! What is known of the values at one place.

use serde_json::{Map, Value, json};

use super::Openness;
use super::object::ObjectFacts;
use super::string::{Company, Formats, StringFacts};

/// Counts by kind, and what is known of strings, objects and items.
#[derive(Debug, Clone, Default)]
pub(super) struct Node {
    nulls: u64,
    booleans: u64,
    /// Numbers written without a fraction and without an exponent.
    integers: u64,
    fractions: u64,
    arrays: u64,
    strings: StringFacts,
    objects: ObjectFacts,
    items: Option<Box<Node>>,
    /// Values too deep to look into were seen here.
    unknown: u64,
}

impl Node {
    pub(super) fn total(&self) -> u64 {
        self.nulls
            + self.booleans
            + self.integers
            + self.fractions
            + self.arrays
            + self.strings.count()
            + self.objects.count()
            + self.unknown
    }

    pub(super) fn observe(&mut self, value: &Value, formats: &Formats, depth: usize) {
        if depth == 0 {
            self.unknown += 1;
            return;
        }
        match value {
            Value::Null => self.nulls += 1,
            Value::Bool(_) => self.booleans += 1,
            Value::Number(number) if number.as_str().contains(['.', 'e', 'E']) => self.fractions += 1,
            Value::Number(_) => self.integers += 1,
            Value::String(text) => self.strings.observe(text, formats),
            Value::Array(values) => {
                self.arrays += 1;
                for item in values {
                    self.items.get_or_insert_default().observe(item, formats, depth - 1);
                }
            }
            Value::Object(members) => self.objects.observe(members, formats, depth - 1),
        }
    }

    /// Adds what is known of another place, as if its values had been seen here.
    pub(super) fn absorb(&mut self, other: Self) {
        self.nulls += other.nulls;
        self.booleans += other.booleans;
        self.integers += other.integers;
        self.fractions += other.fractions;
        self.arrays += other.arrays;
        self.unknown += other.unknown;
        self.strings.absorb(other.strings);
        self.objects.absorb(other.objects);
        if let Some(items) = other.items {
            self.items.get_or_insert_default().absorb(*items);
        }
    }

    /// Writes the keywords that hold for all values seen here.
    pub(super) fn describe(&self, formats: &Formats, openness: Openness, schema: &mut Map<String, Value>) {
        if self.unknown > 0 {
            return;
        }
        let types = self.types();
        match types.as_slice() {
            [] => return,
            [single] => schema.insert("type".to_owned(), json!(single)),
            several => schema.insert("type".to_owned(), json!(several)),
        };
        let company = match self.total() - self.strings.count() {
            0 => Company::None,
            others if others == self.nulls => Company::Nulls,
            _ => Company::Others,
        };
        self.strings.describe(formats, company, schema);
        self.objects.describe(formats, openness, schema);
        if let Some(items) = &self.items {
            schema.insert("items".to_owned(), items.to_schema(formats, openness));
        }
    }

    pub(super) fn to_schema(&self, formats: &Formats, openness: Openness) -> Value {
        let mut schema = Map::new();
        self.describe(formats, openness, &mut schema);
        Value::Object(schema)
    }

    fn types(&self) -> Vec<&'static str> {
        let numeric = if self.fractions > 0 { "number" } else { "integer" };
        [
            ("object", self.objects.count()),
            ("array", self.arrays),
            ("string", self.strings.count()),
            (numeric, self.integers + self.fractions),
            ("boolean", self.booleans),
            ("null", self.nulls),
        ]
        .into_iter()
        .filter(|(_, count)| *count > 0)
        .map(|(name, _)| name)
        .collect()
    }
}
