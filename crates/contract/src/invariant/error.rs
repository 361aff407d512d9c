//! Why a rule cannot be compiled or evaluated.

use accord_json::Exceeded;
use thiserror::Error;

use crate::limits::MAX_INVARIANT_BYTES;

/// Why a rule or a condition cannot be compiled.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RuleError {
    /// It has this many bytes.
    #[error("the rule has {0} bytes; the limit is {limit}", limit = MAX_INVARIANT_BYTES)]
    TooLong(usize),
    /// A part of it is wrong.
    #[error("line {line}, column {column}: {message}")]
    At {
        /// From 1.
        line: usize,
        /// From 1, in characters.
        column: usize,
        /// What is wrong there.
        message: String,
    },
    /// All of it is wrong, or the position is unknown.
    #[error("{0}")]
    Invalid(String),
}

impl RuleError {
    pub(super) fn at((line, column): (usize, usize), message: String) -> Self {
        Self::At { line, column, message }
    }
}

/// Why it is unknown whether a condition holds.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum EvaluationError {
    /// The evaluator failed.
    #[error("the condition could not be evaluated")]
    Unavailable,
    /// This variable has more values than the evaluator takes.
    #[error("'{0}' has too many values")]
    TooLarge(String),
    /// It evaluates to this.
    #[error("expected true or false, got {0}")]
    NotBoolean(String),
    /// It reads a missing field, has a type error, or takes too long.
    #[error("{0}")]
    Failed(String),
    /// With all that was done before, it takes too much.
    #[error("the condition could not be evaluated: {0}")]
    Exceeded(Exceeded),
}
