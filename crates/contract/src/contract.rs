//! A contract: what an answer must be, and how strictly its text is read.

use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};

use crate::invariant::Invariants;
use crate::nested::Facts;
use crate::schema::Schema;
use crate::verdict::Source;

/// How much damage is repaired.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// The value must be in the text as valid JSON. It may have to be found, but it is never changed.
    #[default]
    Strict,
    /// Damaged syntax and shape are repaired if that neither loses nor invents anything.
    Lenient,
}

/// Where in a text a value is accepted. The whole text always is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extract {
    /// In a fenced block.
    pub fence: bool,
    /// In prose or in tags.
    pub prose: bool,
}

impl Extract {
    /// In fences and in prose.
    pub const ALL: Self = Self { fence: true, prose: true };
    /// Only as the whole text.
    pub const NONE: Self = Self { fence: false, prose: false };
}

/// What happens to a conforming value that was found in prose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Embedded {
    /// It is accepted.
    #[default]
    Accept,
    /// It is rejected as [`Outcome::Unconfirmed`](crate::Outcome::Unconfirmed), so that the model is asked for it alone.
    Confirm,
}

/// How an answer is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Where the value is accepted besides being the whole text.
    pub extract_json: Extract,
    /// Whether any text around the value fails the answer. Implies that nothing is extracted.
    pub strict_json_only: bool,
    /// How much damage is repaired.
    pub mode: Mode,
    /// What happens to a value in prose.
    pub embedded: Embedded,
}

impl Options {
    /// Whether the value is looked for inside the text.
    pub(crate) fn extracts(self) -> bool {
        self.extract_json != Extract::NONE && !self.strict_json_only
    }

    /// Whether a value from this source can be accepted.
    pub(crate) fn takes(self, source: Source) -> bool {
        match source {
            Source::Structured | Source::Text => true,
            Source::Fence => self.extract_json.fence && !self.strict_json_only,
            Source::Prose => self.extract_json.prose && !self.strict_json_only,
        }
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            extract_json: Extract::ALL,
            strict_json_only: false,
            mode: Mode::Strict,
            embedded: Embedded::Accept,
        }
    }
}

/// A compiled schema with its invariants and options.
#[derive(Debug, Clone)]
pub struct Contract {
    schema: Schema,
    invariants: Invariants,
    options: Options,
    /// Worked out by the first answer that is not plainly one value.
    facts: Arc<OnceLock<Facts>>,
}

impl Contract {
    /// A contract with no invariants and the default options.
    pub fn new(schema: Schema) -> Self {
        Self { schema, invariants: Invariants::default(), options: Options::default(), facts: Arc::default() }
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

    pub(crate) fn facts(&self) -> &Facts {
        self.facts.get_or_init(|| Facts::of(&self.schema))
    }

    /// The options.
    pub fn options(&self) -> Options {
        self.options
    }
}
