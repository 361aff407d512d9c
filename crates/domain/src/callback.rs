//! What a parent is owed when a child's run ends.

use jiff::Timestamp;

use crate::id::{RunId, SessionId};

/// A child's end that its parent is to hear of, exactly once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Callback {
    /// The run that ended.
    pub run_id: RunId,
    /// Its session.
    pub session_id: SessionId,
    /// Who is to hear of it.
    pub parent_session_id: SessionId,
    /// Since when it is owed.
    pub created_at: Timestamp,
}
