//! A schema from examples.
//!
//! Examples are observed one at a time and forgotten; what is kept is counts, the names of members and a few
//! strings, so a million examples cost no more memory than the shapes among them. The one promise: **every
//! observed example is valid against the inferred schema**. Beyond that it says what held for all examples
//! (types, members always present, formats) and, where there were enough of them, which few strings occur.
//!
//! Absent on purpose: bounds, lengths and patterns. Examples show what happened, not what is allowed, and a
//! schema that refuses the next honest answer is worse than one that says less.

mod node;
mod string;

use accord_json::{Exceeded, Meter};
use serde_json::{Map, Value, json};

use node::Node;
use string::Formats;

/// How deep examples are looked into; what lies below may be anything. An inferred schema nests two levels
/// for one of the example, and it has to stay within [`crate::limits::MAX_DEPTH`].
const MAX_EXAMPLE_DEPTH: usize = 32;

/// The dialect is always named: a schema that is stored or sent on should not change its meaning there.
const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// Whether objects may have members that no example has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Openness {
    /// They may.
    #[default]
    Open,
    /// They may not: `additionalProperties` is `false`.
    Closed,
}

/// The state after some examples.
#[derive(Debug, Clone)]
pub struct Inference {
    root: Node,
    formats: Formats,
}

impl Inference {
    /// Nothing is known.
    pub fn new() -> Self {
        Self { root: Node::default(), formats: Formats::compile(DIALECT) }
    }

    /// Takes one more example into account.
    pub fn observe(&mut self, example: &Value, meter: &Meter) -> Result<(), Exceeded> {
        self.root.observe(example, &self.formats, MAX_EXAMPLE_DEPTH, meter);
        meter.check()
    }

    /// How many examples were observed.
    pub fn examples(&self) -> u64 {
        self.root.total()
    }

    /// The schema that every example so far conforms to.
    pub fn schema(&self, openness: Openness, meter: &Meter) -> Result<Value, Exceeded> {
        let mut schema = Map::new();
        schema.insert("$schema".to_owned(), json!(DIALECT));
        self.root.describe(&self.formats, openness, &mut schema, meter);
        meter.check()?;
        Ok(Value::Object(schema))
    }
}

impl Default for Inference {
    fn default() -> Self {
        Self::new()
    }
}

/// The schema that all examples conform to, with objects left open.
pub fn infer<'a>(examples: impl IntoIterator<Item = &'a Value>, meter: &Meter) -> Result<Value, Exceeded> {
    let mut inference = Inference::new();
    for example in examples {
        inference.observe(example, meter)?;
    }
    inference.schema(Openness::Open, meter)
}

#[cfg(test)]
mod tests;
