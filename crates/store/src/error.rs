//! Why a use case was not carried out, by what the caller does next.

use accord_domain::id::{InputId, RunId, SessionId, WorkflowRunId};
use accord_domain::input_request::Status as InputStatus;
use accord_domain::run::change::Refused;
use accord_domain::workflow::Status;

#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// There is no such run.
    #[error("run {0} not found")]
    NoRun(RunId),
    /// There is no such session.
    #[error("session {0} not found")]
    NoSession(SessionId),
    /// There is nothing of this name.
    #[error("{kind} '{name}' not found")]
    NoSuch { kind: &'static str, name: String },
    /// Something else has this name.
    #[error("{kind} '{name}' already exists")]
    Exists { kind: &'static str, name: String },
    /// The session has an unfinished run.
    #[error("{session} has a run in progress: {run}")]
    Busy { session: SessionId, run: RunId },
    /// The workflow run is not over, or another waits for its end.
    #[error("{0} is still running")]
    AtWork(WorkflowRunId),
    /// Only a workflow run that failed or was stopped can be retried.
    #[error("{id} is {status}")]
    NotRetryable { id: WorkflowRunId, status: Status },
    /// The request for input is closed, or its run does not wait for it any more.
    #[error("{id} is {status}")]
    InputClosed { id: InputId, status: InputStatus },
    /// The run cannot change in this way.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// The key was used before, with another body.
    #[error("the idempotency key '{0}' was already used with a different body")]
    IdempotencyConflict(String),
    /// The thing has changed since it was read.
    #[error("{kind} '{name}' was changed concurrently")]
    Changed { kind: &'static str, name: String },
    /// The database cannot be used now: gone, full, locked.
    #[error("the database is unavailable: {0}")]
    Unavailable(String),
    /// The database holds something that we did not write.
    #[error("the database is corrupt or not an Accord database: {0}")]
    Corrupt(String),
}
