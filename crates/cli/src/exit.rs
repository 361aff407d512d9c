//! The exit codes. They are API: scripts branch on them.

use std::process::ExitCode;

use accord_api::{FailureType, RunStatus, RunView};

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
    /// Stopped from outside or timed out, or stdout was closed before everything was written.
    Stopped,
}

/// Whether a run had a contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Held {
    ToContract,
    /// Nothing: any text would have done.
    ToNothing,
}

impl From<&RunView> for Held {
    fn from(run: &RunView) -> Self {
        match run.contract_origin {
            Some(_) => Self::ToContract,
            None => Self::ToNothing,
        }
    }
}

impl Exit {
    /// How a run ended, for the shell. One that is not over has not ended well.
    pub(crate) fn of_run(run: &RunView) -> Self {
        match (run.status, run.error.as_ref()) {
            (RunStatus::Completed, _) => Self::Success,
            (RunStatus::Failed, Some(error)) => Self::of_failure(error.kind, Held::from(run)),
            (RunStatus::Stopped, _) => Self::Stopped,
            _ => Self::Failed,
        }
    }

    /// How a failure looks to the shell.
    pub(crate) fn of_failure(kind: FailureType, held: Held) -> Self {
        match kind {
            FailureType::OutputSchemaValidationFailed | FailureType::SchemaValidationFailed => {
                Self::ContractNotMet
            }
            // An answer that was always cut off never met the contract.
            FailureType::OutputTruncated if held == Held::ToContract => Self::ContractNotMet,
            FailureType::TimedOut
            | FailureType::ChildrenTimedOut
            | FailureType::InputTimedOut
            | FailureType::Stopped => Self::Stopped,
            FailureType::ModelRefused
            | FailureType::OutputTruncated
            | FailureType::NoMatchingRunner
            | FailureType::ExecutorFailed
            | FailureType::BudgetExhausted
            | FailureType::RunnerLost
            | FailureType::Poisoned => Self::Failed,
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
