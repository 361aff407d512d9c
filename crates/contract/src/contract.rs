//! A contract: what an answer must be, and how strictly its text is read.

use serde::{Deserialize, Serialize};

use crate::invariant::Invariants;
use crate::schema::Schema;

/// How much damage is repaired.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// The value must stand in the text as valid JSON. It may have to be found, but it is never changed.
    #[default]
    Strict,
    /// Damaged syntax and shape are repaired where that loses and invents nothing.
    Lenient,
}

/// How an answer is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Whether to look for the value inside fences, tags and prose.
    pub extract_json: bool,
    /// Whether any text around the value fails the answer. Implies that nothing is extracted.
    pub strict_json_only: bool,
    /// How much damage is repaired.
    pub mode: Mode,
}

impl Options {
    /// Whether the value is looked for inside the text.
    pub(crate) fn extracts(self) -> bool {
        self.extract_json && !self.strict_json_only
    }
}

impl Default for Options {
    fn default() -> Self {
        Self { extract_json: true, strict_json_only: false, mode: Mode::Strict }
    }
}

/// A compiled schema with its invariants and options.
#[derive(Debug, Clone)]
pub struct Contract {
    schema: Schema,
    invariants: Invariants,
    options: Options,
}

impl Contract {
    /// A contract with no invariants and the default options.
    pub fn new(schema: Schema) -> Self {
        Self { schema, invariants: Invariants::default(), options: Options::default() }
    }

    /// The same contract with other options.
    #[must_use]
    pub fn with_options(mut self, options: Options) -> Self {
        self.options = options;
        self
    }

    /// The same contract with invariants.
    #[must_use]
    pub fn with_invariants(mut self, invariants: Invariants) -> Self {
        self.invariants = invariants;
        self
    }

    /// The schema.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The invariants.
    pub fn invariants(&self) -> &Invariants {
        &self.invariants
    }

    /// The options.
    pub fn options(&self) -> Options {
        self.options
    }
}
