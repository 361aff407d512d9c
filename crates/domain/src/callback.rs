//! Callbacks: the outcome of a child's run, to be delivered to its parent.
//!
//! A callback is pending until a run of the parent delivers it. A parent that failed or was stopped is not resumed
//! automatically: it was meant to end. Its callbacks are then held, with the reason, and delivered with the next run that
//! is started in it.

use jiff::Timestamp;

use crate::id::{RunId, SessionId};
use crate::named::named;
use crate::run::change::Children;
use crate::session::{Session, Status};

/// A child's end that its parent is to hear of, exactly once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Callback {
    pub run_id: RunId,
    pub session_id: SessionId,
    /// The session that gets it.
    pub parent_session_id: SessionId,
    pub created_at: Timestamp,
}

named! {
    /// Why a finished child is not reported to its parent automatically.
    pub enum HeldReason {
        /// The parent's last run failed.
        ParentFailed,
        /// The parent's last run was stopped.
        ParentStopped,
        /// The parent could not be resumed for too long, for example because its agent is missing or invalid.
        ParentUnavailable,
        /// Coordinators crashed while they resumed the parent.
        Poisoned,
    }
}

/// Since when and why an end is held.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Held {
    pub reason: HeldReason,
    /// Why, for people.
    pub message: String,
    pub at: Timestamp,
}

/// A finished child not yet reported to its parent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undelivered {
    pub run_id: RunId,
    pub session_id: SessionId,
    pub created_at: Timestamp,
    /// Why it is not delivered automatically; `None` while it only waits.
    pub held: Option<Held>,
}

/// A parent whose children have begun, or whose ends are held, or gone with the children: it is idle where one of them will
/// call it back, and finished where none will.
pub fn settle(session: Session, children: Children, now: Timestamp) -> Session {
    match (session.status, children) {
        (Status::Idle, Children::Quiet) => Session { status: Status::Finished, updated_at: now, ..session },
        (Status::Finished, Children::WillCallBack) => {
            Session { status: Status::Idle, updated_at: now, ..session }
        }
        _ => session,
    }
}
