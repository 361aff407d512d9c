//! Rules that a schema cannot express, in CEL, over `output` and `input`.
//!
//! A rule that cannot be evaluated is a broken rule: a missing field, a type error or too much work
//! is a violation that says so, never a pass. Evaluation always ends: each step is charged to a
//! budget ([`meter`]), because the evaluator has no limit. Both the parser and the evaluator
//! recurse, so both run on a thread with a large stack ([`stack`]), where a panic is caught too.
//!
//! The parser, the macros and the loops are those of the `cel` crate; the operators and functions are ours ([`functions`]), because
//! numbers are exact ([`number`]).

mod analysis;
mod compile;
mod condition;
mod convert;
mod environment;
mod error;
mod functions;
mod macros;
mod meter;
mod number;
mod reads;
mod report;
mod rewrite;
mod stack;
mod syntax;
mod time;
mod value;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use accord_json::Meter;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;

use crate::json_path::JsonPath;
use crate::schema::{stop, within_one_budget};
use crate::violation::Violation;
use compile::Rule;
pub use condition::Condition;
pub use error::{EvaluationError, RuleError};

/// A rule in CEL over `output` and `input`, and what to say when it does not hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Invariant {
    /// The CEL expression; it must evaluate to `true`.
    pub rule: String,
    /// The message for the model if it does not hold.
    pub message: String,
}

/// An invariant that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("invariant {index}: {message}")]
pub struct InvariantError {
    /// Its position in the list.
    pub index: usize,
    /// What is wrong and where.
    pub message: String,
}

/// Compiled invariants. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Invariants {
    rules: Arc<[Rule]>,
}

impl Invariants {
    /// Parses the rules.
    pub fn compile(invariants: &[Invariant]) -> Result<Self, InvariantError> {
        if invariants.is_empty() {
            return Ok(Self::default());
        }
        let compiled = stack::with_large(|| {
            let compile = |(index, invariant)| {
                let compiled = compile::compile(invariant);
                compiled.map_err(|error| InvariantError { index, message: error.to_string() })
            };
            invariants.iter().enumerate().map(compile).collect::<Result<Vec<_>, _>>()
        });
        match compiled {
            Some(rules) => Ok(Self { rules: rules?.into() }),
            None => Err(InvariantError { index: 0, message: "the rules could not be parsed".to_owned() }),
        }
    }

    /// Whether there are no rules.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// The locations that each rule reads in `output` and `input`, as in [`Condition::reads`], in
    /// the order of the rules.
    pub fn reads(&self) -> impl Iterator<Item = &[(String, JsonPath)]> {
        self.rules.iter().map(|rule| rule.reads.as_slice())
    }

    /// The rules that do not hold for an output (and the input that it answers).
    pub fn violations(&self, output: &Value, input: &Value, meter: &Meter) -> Vec<Violation> {
        within_one_budget(meter, || self.check(output, input))
    }

    /// The same within the budget of a judgement.
    pub(crate) fn check(&self, output: &Value, input: &Value) -> Vec<Violation> {
        if self.rules.is_empty() {
            return Vec::new();
        }
        let stop = stop();
        stack::with_large(|| report::check(&self.rules, output, input, stop)).unwrap_or_else(|| {
            vec![Violation::new(&JsonPath::root(), "invariant", "the invariants could not be checked")]
        })
    }
}
