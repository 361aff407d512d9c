//! Why a run failed.

use serde::{Deserialize, Serialize};

use crate::attempt::{Attempt, closest};

/// How much of an answer a failure carries. The attempt has all of it.
const LAST_OUTPUT_BYTES: usize = 8 * 1024;

/// Failure types.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum FailureType {
    /// The output did not conform to the agent's contract.
    OutputSchemaValidationFailed,
    /// The output did not conform to the caller's contract.
    SchemaValidationFailed,
    /// The model refused.
    ModelRefused,
    /// The answer was truncated each time.
    OutputTruncated,
    /// No runner matched.
    NoMatchingRunner,
    /// The model, the CLI or the command failed.
    ExecutorFailed,
    /// A token, cost or step limit was reached.
    BudgetExhausted,
    /// The timeout expired.
    TimedOut,
    /// Its runners were lost too often.
    RunnerLost,
    /// Its children did not finish within `limits.wait_seconds`.
    ChildrenTimedOut,
    /// Nobody answered in time.
    InputTimedOut,
    /// It crashed coordinators too often.
    Poisoned,
    /// Stopped.
    Stopped,
}

impl FailureType {
    /// All of them.
    pub const ALL: [Self; 13] = [
        Self::OutputSchemaValidationFailed,
        Self::SchemaValidationFailed,
        Self::ModelRefused,
        Self::OutputTruncated,
        Self::NoMatchingRunner,
        Self::ExecutorFailed,
        Self::BudgetExhausted,
        Self::TimedOut,
        Self::RunnerLost,
        Self::ChildrenTimedOut,
        Self::InputTimedOut,
        Self::Poisoned,
        Self::Stopped,
    ];

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
            Self::ChildrenTimedOut => "children_timed_out",
            Self::InputTimedOut => "input_timed_out",
            Self::Poisoned => "poisoned",
            Self::Stopped => "stopped",
        }
    }
}

/// Error of a failed run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Failure {
    /// The kind.
    #[serde(rename = "type")]
    pub kind: FailureType,
    /// What happened, and what to do.
    pub message: String,
    /// Validation errors of the closest answer, one line each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub validation_errors: Vec<String>,
    /// The closest answer, shortened. Not a result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_output: Option<String>,
    /// Number of validated answers.
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
