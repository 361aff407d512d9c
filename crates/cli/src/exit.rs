//! The exit codes. They are API: scripts branch on them.

use std::process::ExitCode;

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
    /// Stopped from outside or timed out; also: nobody reads the output any more.
    Stopped,
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
