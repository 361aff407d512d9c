//! Sessions.

use accord_domain::id::SessionId;
use accord_domain::session::{Session, Status};
use async_trait::async_trait;

use crate::error::StoreError;
use crate::page::{Page, PageRequest};

/// Which sessions to list.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SessionFilter {
    /// Those that stand so.
    pub status: Option<Status>,
    /// Those of this agent.
    pub agent_name: Option<String>,
    /// The children of this one.
    pub parent_session_id: Option<SessionId>,
}

/// Reads and removes sessions.
#[async_trait]
pub trait SessionStore: Send + Sync {
    /// One session.
    async fn session(&self, session_id: &SessionId) -> Result<Session, StoreError>;

    /// Sessions, newest first.
    async fn sessions(&self, filter: &SessionFilter, page: &PageRequest)
    -> Result<Page<Session>, StoreError>;

    /// Removes a session with its runs, attempts, events and conversation. One with a run under way is busy.
    /// Children stay, and what they owe to it is forgotten. Documents that only its runs referred to go too. What it owes
    /// to its parent goes with it, and a parent that waited for nothing else is idle no longer: it stands so since the
    /// removed session last changed.
    async fn remove_session(&self, session_id: &SessionId) -> Result<(), StoreError>;
}
