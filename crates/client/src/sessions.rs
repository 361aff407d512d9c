//! Sessions.

use accord_api::{
    EventList, Page, PageQuery, SessionId, SessionQuery, SessionResult, SessionStatusView, SessionView,
};
use reqwest::Method;

use crate::client::Client;
use crate::error::ClientError;
use crate::http::query;

impl Client {
    /// A session.
    pub async fn session(&self, id: &SessionId) -> Result<SessionView, ClientError> {
        self.get(&["sessions", id.as_str()]).read().await
    }

    /// Sessions, the newest first.
    pub async fn sessions(&self, which: &SessionQuery) -> Result<Page<SessionView>, ClientError> {
        self.get(&["sessions"]).query(query(which)?).read().await
    }

    /// The status of a session.
    pub async fn session_status(&self, id: &SessionId) -> Result<SessionStatusView, ClientError> {
        self.get(&["sessions", id.as_str(), "status"]).read().await
    }

    /// The result of a session's newest run.
    pub async fn session_result(&self, id: &SessionId) -> Result<SessionResult, ClientError> {
        self.get(&["sessions", id.as_str(), "result"]).read().await
    }

    /// The events of a session, in order.
    pub async fn session_events(&self, id: &SessionId, page: &PageQuery) -> Result<EventList, ClientError> {
        self.get(&["sessions", id.as_str(), "events"]).query(query(page)?).read().await
    }

    /// The sessions that a session started.
    pub async fn session_children(
        &self,
        id: &SessionId,
        page: &PageQuery,
    ) -> Result<Page<SessionView>, ClientError> {
        self.get(&["sessions", id.as_str(), "children"]).query(query(page)?).read().await
    }

    /// Stops a session's run, if one is in progress.
    pub async fn stop_session(&self, id: &SessionId) -> Result<SessionView, ClientError> {
        self.post(&["sessions", id.as_str(), "stop"]).read().await
    }

    /// Deletes a session with its runs and events.
    pub async fn delete_session(&self, id: &SessionId) -> Result<(), ClientError> {
        self.call(Method::DELETE, &["sessions", id.as_str()]).done().await
    }
}
