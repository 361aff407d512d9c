//! Why a run failed.

use serde::{Deserialize, Serialize};

use crate::attempt::{Attempt, Outcome, closest};
use crate::contract::Origin;
use crate::named::named;

/// How much of an answer a failure carries. The attempt has all of it.
const LAST_OUTPUT_BYTES: usize = 8 * 1024;

named! {
    /// Failure types.
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

/// How a contract was not met.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unmet {
    /// No retries are left.
    RetriesSpent,
    /// The model repeated its answer, and there is no other way to ask it.
    NoProgress,
    /// A value has to be confirmed, and this executor cannot be asked again.
    CannotConfirm,
    /// Another answer may not be paid for, for this reason.
    Exhausted(String),
}

impl FailureType {
    /// Whose contract was not met.
    pub fn of_contract(origin: Origin) -> Self {
        match origin {
            Origin::Blueprint | Origin::Default => Self::OutputSchemaValidationFailed,
            Origin::Caller => Self::SchemaValidationFailed,
        }
    }
}

impl Failure {
    /// The failure of a run that did not meet its contract, by the outcome of its closest answer.
    pub fn unmet(origin: Origin, closest: Option<Outcome>, retries: u32, unmet: Unmet) -> Self {
        let what = match closest {
            Some(Outcome::Unconfirmed) => "output was found in other text and was not confirmed",
            Some(Outcome::Embedded) => "output was found where extract_json does not accept it",
            _ => "output did not match the schema",
        };
        let retries = match retries {
            1 => "1 retry".to_owned(),
            retries => format!("{retries} retries"),
        };
        let message = match unmet {
            Unmet::RetriesSpent => format!("{what} after {retries}"),
            Unmet::NoProgress => {
                format!("{what} after {retries}: the model repeated the same answer or the same errors")
            }
            Unmet::CannotConfirm => format!("{what}: this executor cannot be asked again"),
            Unmet::Exhausted(reason) => return Self::new(FailureType::BudgetExhausted, reason),
        };
        Self::new(FailureType::of_contract(origin), message)
    }

    /// The failure of a run without a contract whose answer is empty.
    pub fn no_answer(attempts: u32) -> Self {
        let message = "the answer is empty; retry the run, or change the prompt";
        Self { attempts: Some(attempts), ..Self::new(FailureType::ExecutorFailed, message) }
    }

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
