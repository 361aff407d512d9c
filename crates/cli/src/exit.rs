//! The exit codes. They are API: scripts branch on them.

use std::process::ExitCode;

use accord_api::{FailureType, RunStatus};

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// A conforming result, or the command did what it was asked.
    Success,
    /// Wrong usage, or a file that cannot be used.
    Usage,
    /// The contract was not met.
    ContractNotMet,
    /// A model, a CLI or a server failed.
    Failed,
    /// Stopped from outside or timed out; also: nobody reads any more what was not at its end.
    Stopped,
}

impl Exit {
    /// How a run ended, for the shell. One that is not over has not ended well.
    pub(crate) fn of_run(status: RunStatus, failure: Option<FailureType>) -> Self {
        match (status, failure) {
            (RunStatus::Completed, _) => Self::Success,
            (RunStatus::Failed, Some(kind)) => Self::of_failure(kind),
            (RunStatus::Stopped, _) => Self::Stopped,
            _ => Self::Failed,
        }
    }

    /// How a failure looks to the shell.
    pub(crate) fn of_failure(kind: FailureType) -> Self {
        match kind {
            FailureType::OutputSchemaValidationFailed | FailureType::SchemaValidationFailed => {
                Self::ContractNotMet
            }
            FailureType::TimedOut | FailureType::Stopped => Self::Stopped,
            FailureType::ModelRefused
            | FailureType::OutputTruncated
            | FailureType::NoMatchingRunner
            | FailureType::ExecutorFailed
            | FailureType::BudgetExhausted
            | FailureType::RunnerLost => Self::Failed,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Success => 0,
            Exit::Usage => 1,
            Exit::ContractNotMet => 2,
            Exit::Failed => 3,
            Exit::Stopped => 4,
        })
    }
}
