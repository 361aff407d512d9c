//! What a parent is owed when a child's run ends.
//!
//! A child's end is owed until a run of the parent tells it. A parent that failed or was stopped is not resumed by
//! itself: somebody wanted it to end. What it is owed is then held, with the reason, and told with the next run that
//! somebody starts in it.

use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::id::{RunId, SessionId};
use crate::run::change::Children;
use crate::session::{Session, Status};

/// A child's end that its parent is to hear of, exactly once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Callback {
    /// The run that ended.
    pub run_id: RunId,
    /// Session.
    pub session_id: SessionId,
    /// Who is to hear of it.
    pub parent_session_id: SessionId,
    /// Waiting since.
    pub created_at: Timestamp,
}

/// Why a finished child is not reported to its parent automatically.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
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

impl HeldReason {
    /// The name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ParentFailed => "parent_failed",
            Self::ParentStopped => "parent_stopped",
            Self::ParentUnavailable => "parent_unavailable",
            Self::Poisoned => "poisoned",
        }
    }
}

impl fmt::Display for HeldReason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// Since when and why an end is held.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Held {
    /// Reason.
    pub reason: HeldReason,
    /// Why, for people.
    pub message: String,
    /// Since when.
    pub at: Timestamp,
}

/// A finished child not yet reported to its parent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undelivered {
    /// The run that ended.
    pub run_id: RunId,
    /// Session.
    pub session_id: SessionId,
    /// Waiting since.
    pub created_at: Timestamp,
    /// Why it is not delivered by itself; none while it is only waiting for its turn.
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
