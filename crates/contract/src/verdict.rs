//! The verdict of the judge.

use std::ops::Range;

use serde::Serialize;
use serde_json::Value;

use crate::account::Account;
use crate::json_path::JsonPath;
use crate::lower::Lift;
use crate::repair::Repair;
use crate::violation::{Violation, Violations};

/// The output of a model: a text, and the value if the provider already returned it in structured
/// form.
#[derive(Debug, Clone, Copy)]
pub struct Answer<'a> {
    /// The text of the answer.
    pub text: &'a str,
    /// The arguments of a submit tool, or the provider's structured output.
    pub structured: Option<&'a Value>,
    /// The input of the agent, for invariants that use `input`.
    pub input: &'a Value,
    /// The way back from the form that the provider was asked for. Every value that is found is taken back before it is
    /// judged: the form itself may keep an open schema by chance, and errors in it would speak of places that the schema
    /// does not have.
    pub lift: Option<&'a Lift>,
}

impl<'a> Answer<'a> {
    /// An answer that is only a text.
    pub fn text(text: &'a str) -> Self {
        Self { text, structured: None, input: &Value::Null, lift: None }
    }

    /// An answer that was handed over as a value, with the text as fallback.
    pub fn structured(value: &'a Value, text: &'a str) -> Self {
        Self { text, structured: Some(value), input: &Value::Null, lift: None }
    }

    /// The same answer to a known input.
    #[must_use]
    pub fn to_input(mut self, input: &'a Value) -> Self {
        self.input = input;
        self
    }
}

/// The judgement of one answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// The answer holds exactly one conforming value.
    Accepted(Accepted),
    /// It does not.
    Rejected(Rejected),
}

/// A conforming value and how it was come by.
#[derive(Debug, Clone, PartialEq)]
pub struct Accepted {
    /// The value. It conforms to the schema and the invariants.
    pub value: Value,
    /// The changes that were made to get it, in order.
    pub repairs: Vec<Repair>,
    /// Where it was found.
    pub source: Source,
    /// The role of each byte of the text.
    pub account: Account,
}

/// Why there is no conforming value.
#[derive(Debug, Clone, PartialEq)]
pub struct Rejected {
    /// The kind of failure; it decides the next step.
    pub outcome: Outcome,
    /// The errors, with locations.
    pub violations: Violations,
    /// The value that came closest, if any was found.
    pub candidate: Option<Candidate>,
}

impl Rejected {
    /// A rejection for one reason, which concerns the whole answer.
    pub(crate) fn because(
        outcome: Outcome,
        keyword: &str,
        message: impl Into<String>,
        candidate: Option<Candidate>,
    ) -> Self {
        let violation = Violation::new(&JsonPath::root(), keyword, message);
        Self { outcome, violations: Violations { errors: vec![violation], more: 0 }, candidate }
    }
}

/// A value that was found and not accepted.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// Where it is in the text; `None` when it was handed over as structured.
    pub range: Option<Range<usize>>,
    /// The value, if it could be read. One that has to be confirmed is in the form that the model was asked for.
    pub value: Option<Value>,
}

/// The kinds of failure that judging can find.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// There is nothing in the text that begins a JSON value.
    NoJson,
    /// There is, but it cannot be read (or not without guessing).
    ParseError,
    /// A value was read and breaks the schema.
    SchemaInvalid,
    /// A value conforms to the schema and breaks an invariant.
    InvariantFailed,
    /// The model gave the schema back instead of a value.
    SchemaEcho,
    /// The model gave a placeholder or an example back instead of a value.
    ExampleEcho,
    /// Two or more different values could be meant.
    Ambiguous,
    /// A value conforms and is in a fence or in prose, where the contract does not accept it.
    Embedded,
    /// A value conforms and is in prose, and the contract wants it confirmed.
    Unconfirmed,
}

/// Where an accepted value was found, in order of trust.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// Handed over by the provider as a value.
    Structured,
    /// The whole text.
    Text,
    /// A fenced block.
    Fence,
    /// Somewhere in prose or tags.
    Prose,
}
