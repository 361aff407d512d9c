//! Callbacks: the outcomes of children, to be delivered to their parents.
//!
//! A callback is written when the child's run ends ([`crate::RunStore::finish_run`] or otherwise),
//! delivered with a run of the parent ([`crate::Submission::delivers`]), and pending again if that
//! run ends without the callback in the conversation. A run that resumes a session ends every hold
//! on its callbacks.

use accord_domain::callback::{HeldReason, Undelivered};
use accord_domain::id::{RunId, SessionId};
use async_trait::async_trait;
use jiff::Timestamp;

use crate::error::StoreError;

/// Pending callbacks of one parent that has no unfinished run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Due {
    pub parent_session_id: SessionId,
    /// The children's runs, in the order of their ends.
    pub run_ids: Vec<RunId>,
    /// Since when telling the parent fails.
    pub failing_since: Option<Timestamp>,
}

/// A run that waits for its children, and what came of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaitingRun {
    pub run_id: RunId,
    /// The delivery that was suspended.
    pub attempt: u32,
    pub session_id: SessionId,
    pub waits_until: Option<Timestamp>,
    /// The children's runs that ended and were not reported, in the order of their ends.
    pub ended: Vec<RunId>,
    /// The children that have not finished.
    pub unfinished: Vec<SessionId>,
}

/// Callbacks that are not delivered automatically.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallbackHold {
    pub parent_session_id: SessionId,
    /// The parent's newest run as the caller knows it: if there is a newer one, nothing is held.
    pub last_run_id: RunId,
    pub run_ids: Vec<RunId>,
    pub reason: HeldReason,
    /// Why, for people.
    pub message: String,
    pub now: Timestamp,
}

/// Keeps what parents are owed.
#[async_trait]
pub trait CallbackStore: Send + Sync {
    /// Parents with pending callbacks that are not held, and without an unfinished run.
    async fn due_callbacks(&self, limit: u32) -> Result<Vec<Due>, StoreError>;

    /// Runs in the status `waiting` that need action: a child has finished, no child is left, or
    /// the time is up.
    async fn waiting_runs(&self, now: Timestamp, limit: u32) -> Result<Vec<WaitingRun>, StoreError>;

    /// The children of a session that will call it back: unfinished ones, and those whose end was not reported and is not held.
    async fn children_to_come(&self, session_id: &SessionId) -> Result<Vec<SessionId>, StoreError>;

    /// Runs in progress that are to be stopped because of a run of their parent session, at most `limit`; not those that are
    /// stopping already. That run waits for them ([`ExecutionMode::Sync`]) and is stopping or was stopped; or it failed or was
    /// stopped, and its agent says [`OnParentEnd::Stop`]. In both cases they were created before it finished, or by it.
    ///
    /// [`ExecutionMode::Sync`]: accord_domain::session::ExecutionMode::Sync
    /// [`OnParentEnd::Stop`]: accord_domain::agent::OnParentEnd::Stop
    async fn children_to_stop(&self, limit: u32) -> Result<Vec<RunId>, StoreError>;

    /// The pending callbacks of a parent, held or not, oldest first.
    async fn undelivered(&self, parent: &SessionId, limit: u32) -> Result<Vec<Undelivered>, StoreError>;

    /// Telling a parent failed, and is tried again. The first time counts.
    async fn delay_callbacks(&self, parent: &SessionId, now: Timestamp) -> Result<(), StoreError>;

    /// Holds callbacks, with an event in the parent's session. Callbacks that were delivered or held meanwhile are left alone, and a parent that
    /// is gone is not an error.
    async fn hold_callbacks(&self, hold: CallbackHold) -> Result<(), StoreError>;
}
