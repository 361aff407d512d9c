//! Why a run failed.

use serde::{Deserialize, Serialize};

use crate::attempt::{Attempt, closest};

/// How much of an answer a failure carries. The attempt has all of it.
const LAST_OUTPUT_BYTES: usize = 8 * 1024;

/// The kinds of failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum FailureType {
    /// The blueprint's contract was not met.
    OutputSchemaValidationFailed,
    /// The caller's contract was not met.
    SchemaValidationFailed,
    /// The model refused.
    ModelRefused,
    /// The answer was cut off each time.
    OutputTruncated,
    /// No runner could take it.
    NoMatchingRunner,
    /// The model, the CLI or the command failed.
    ExecutorFailed,
    /// Tokens, cost or steps were used up.
    BudgetExhausted,
    /// The time was over.
    TimedOut,
    /// Runners died with it too often.
    RunnerLost,
    /// Coordinators died of it too often.
    Poisoned,
    /// It was stopped.
    Stopped,
}

impl FailureType {
    /// The name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::OutputSchemaValidationFailed => "output_schema_validation_failed",
            Self::SchemaValidationFailed => "schema_validation_failed",
            Self::ModelRefused => "model_refused",
            Self::OutputTruncated => "output_truncated",
            Self::NoMatchingRunner => "no_matching_runner",
            Self::ExecutorFailed => "executor_failed",
            Self::BudgetExhausted => "budget_exhausted",
            Self::TimedOut => "timed_out",
            Self::RunnerLost => "runner_lost",
            Self::Poisoned => "poisoned",
            Self::Stopped => "stopped",
        }
    }
}

/// Why a run failed, in the shape that callers see.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Failure {
    /// The kind.
    #[serde(rename = "type")]
    pub kind: FailureType,
    /// What happened, and what to do.
    pub message: String,
    /// What was wrong with the answer that came closest, one line each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub validation_errors: Vec<String>,
    /// That answer, shortened. Not a result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_output: Option<String>,
    /// How many answers were judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempts: Option<u32>,
}

impl Failure {
    /// A failure with nothing but its message.
    pub fn new(kind: FailureType, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            validation_errors: Vec::new(),
            last_output: None,
            attempts: None,
        }
    }

    /// With an answer, shortened.
    #[must_use]
    pub fn with_output(self, text: &str) -> Self {
        let beginning = text.get(..text.floor_char_boundary(LAST_OUTPUT_BYTES)).unwrap_or(text);
        Self { last_output: Some(beginning.to_owned()), ..self }
    }

    /// With the answer that came closest, what was wrong with it, and how many attempts there were.
    #[must_use]
    pub fn with_closest(self, attempts: &[Attempt]) -> Self {
        let failure = Self { attempts: Some(u32::try_from(attempts.len()).unwrap_or(u32::MAX)), ..self };
        let Some(closest) = closest(attempts) else {
            return Self { validation_errors: Vec::new(), last_output: None, ..failure };
        };
        let validation_errors = closest.errors.iter().map(ToString::to_string).collect();
        Self { validation_errors, ..failure }.with_output(&closest.text)
    }
}
