//! Why a use case was not carried out, by what the caller does next.

use accord_domain::id::{RunId, SessionId, WorkflowRunId};
use accord_domain::run::change::Refused;

/// Why not.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// There is no such run.
    #[error("there is no run {0}")]
    NoRun(RunId),
    /// There is no such session.
    #[error("there is no session {0}")]
    NoSession(SessionId),
    /// There is nothing of this name.
    #[error("there is no {kind} '{name}'")]
    NoSuch {
        /// What kind of thing.
        kind: &'static str,
        /// Its name.
        name: String,
    },
    /// Something else has this name.
    #[error("there is a {kind} '{name}' already")]
    Exists {
        /// What kind of thing.
        kind: &'static str,
        /// Its name.
        name: String,
    },
    /// The session has a run under way.
    #[error("{session} has a run under way: {run}")]
    Busy {
        /// The session.
        session: SessionId,
        /// Its run.
        run: RunId,
    },
    /// The workflow run is not over, or another waits for its end.
    #[error("{0} is still at work")]
    AtWork(WorkflowRunId),
    /// Only a workflow run that coordinators died of can be retried.
    #[error("{0} is not poisoned")]
    NotPoisoned(WorkflowRunId),
    /// The run cannot change in this way.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// The key was used before, with another body.
    #[error("the idempotency key '{0}' was used with another body")]
    IdempotencyConflict(String),
    /// The thing has changed since it was read.
    #[error("{kind} '{name}' has changed meanwhile")]
    Changed {
        /// What kind of thing.
        kind: &'static str,
        /// Its name.
        name: String,
    },
    /// The database cannot be used now: gone, full, locked.
    #[error("the store cannot be used now: {0}")]
    Unavailable(String),
    /// The database holds something that we did not write.
    #[error("the store holds something unreadable: {0}")]
    Corrupt(String),
}
