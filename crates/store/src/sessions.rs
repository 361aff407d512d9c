//! Sessions.

use accord_domain::id::SessionId;
use accord_domain::session::{Session, Status};
use async_trait::async_trait;
use jiff::Timestamp;

use crate::error::StoreError;
use crate::page::{Page, PageRequest};
use crate::search::{Count, Search, SessionSummary, Summaries};

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SessionFilter {
    pub status: Option<Status>,
    pub agent_name: Option<String>,
    /// The children of this one.
    pub parent_session_id: Option<SessionId>,
    /// Those made at this time or later.
    pub since: Option<Timestamp>,
    /// Those made before this time.
    pub until: Option<Timestamp>,
    /// Those that have these words.
    pub search: Option<Search>,
}

#[async_trait]
pub trait SessionStore: Send + Sync {
    async fn session(&self, session_id: &SessionId) -> Result<Session, StoreError>;

    /// Sessions, newest first.
    async fn sessions(&self, filter: &SessionFilter, page: &PageRequest)
    -> Result<Page<Session>, StoreError>;

    /// How many sessions a list has, of which no more than `most` are looked at; with a search, the newest.
    async fn count_sessions(&self, filter: &SessionFilter, most: u32) -> Result<Count, StoreError>;

    /// What lists show of these sessions.
    async fn session_summaries(
        &self,
        sessions: &[SessionId],
    ) -> Result<Summaries<SessionId, SessionSummary>, StoreError>;

    /// Removes a session with its runs, attempts, events and conversation. A session with an
    /// unfinished run is busy. Children stay, and their callbacks to it are removed. Documents that
    /// only its runs referred to are removed too. Its own callback to its parent is removed with
    /// it, and a parent that waited only for it leaves the idle status as of the time the removed
    /// session last changed.
    async fn remove_session(&self, session_id: &SessionId) -> Result<(), StoreError>;
}
