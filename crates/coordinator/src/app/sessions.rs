//! Sessions: listed, read, stopped, removed.

use std::slice;
use std::sync::Arc;

use accord_api::{
    ErrorName, Page, PageQuery, SessionQuery, SessionResult, SessionStatusView, SessionView,
    UndeliveredCallback,
};
use accord_domain::callback::Undelivered;
use accord_domain::id::SessionId;
use accord_domain::run::Failure;
use accord_domain::session::{Session, Status};
use accord_store::{CallbackStore, RunReader, SessionFilter, SessionStore, SessionSummary};
use serde_json::json;

use super::Caller;
use super::id_prefix::absent;
use super::lineage::Lineage;
use super::page::{List, MOST_COUNTED, counted, search};
use super::runs::{Runs, raw};
use crate::error::Error;

/// How many undelivered callbacks a view shows. Each has a few hundred bytes.
const MOST_UNDELIVERED: u32 = 1_000;

const LIST: List = List("sessions");

pub(crate) struct Sessions {
    pub(super) sessions: Arc<dyn SessionStore>,
    pub(super) run_reader: Arc<dyn RunReader>,
    pub(super) callbacks: Arc<dyn CallbackStore>,
    pub(super) lineage: Arc<Lineage>,
    pub(super) runs: Arc<Runs>,
}

impl Sessions {
    /// The sessions that the caller may see, newest first.
    pub(crate) async fn list(
        &self,
        caller: &Caller,
        mut query: SessionQuery,
    ) -> Result<Page<SessionView>, Error> {
        self.lineage.narrow(caller, &mut query).await?;
        self.page(query).await
    }

    async fn page(&self, query: SessionQuery) -> Result<Page<SessionView>, Error> {
        let SessionQuery { status, agent_name, parent_session_id, q, since, until, limit, cursor } = query;
        let request = LIST.request(limit, cursor)?;
        let search = search(q.as_deref())?;
        let filter = SessionFilter { status, agent_name, parent_session_id, since, until, search };
        let page = self.sessions.sessions(&filter, &request).await?;
        let total = match request.cursor {
            None => Some(self.sessions.count_sessions(&filter, MOST_COUNTED).await?),
            Some(_) => None,
        };
        let ids: Vec<_> = page.items.iter().map(|session| session.id.clone()).collect();
        let mut summaries = self.sessions.session_summaries(&ids).await?;
        let view = |session: Session| {
            let summary = summaries.remove(&session.id).unwrap_or_default();
            view(session, summary)
        };
        Ok(counted(LIST.view(page, view), total))
    }

    pub(crate) async fn get(&self, session_id: &SessionId) -> Result<SessionView, Error> {
        let session = match self.sessions.session(session_id).await {
            Ok(session) => session,
            Err(error) => {
                return Err(Box::pin(absent(self.run_reader.as_ref(), session_id.as_str(), error)).await);
            }
        };
        let undelivered = self.callbacks.undelivered(session_id, MOST_UNDELIVERED).await?;
        let undelivered_callbacks = undelivered.into_iter().map(undelivered_view).collect();
        let summary = self.sessions.session_summaries(slice::from_ref(session_id)).await?.remove(session_id);
        Ok(SessionView { undelivered_callbacks, ..view(session, summary.unwrap_or_default()) })
    }

    /// The sessions that this one started, each with its undelivered callback.
    pub(crate) async fn children(
        &self,
        session_id: &SessionId,
        query: PageQuery,
    ) -> Result<Page<SessionView>, Error> {
        self.sessions.session(session_id).await?;
        let parent_session_id = Some(session_id.clone());
        let PageQuery { limit, cursor } = query;
        let query = SessionQuery { parent_session_id, limit, cursor, ..SessionQuery::default() };
        let mut page = self.page(query).await?;
        for undelivered in self.callbacks.undelivered(session_id, MOST_UNDELIVERED).await? {
            // In the order of the ends, so the newest stays.
            if let Some(child) =
                page.items.iter_mut().find(|child| child.session_id == undelivered.session_id)
            {
                child.undelivered_callback = Some(undelivered_view(undelivered));
            }
        }
        Ok(page)
    }

    /// The status of a session, and the failure of its last run.
    pub(crate) async fn status(&self, session_id: &SessionId) -> Result<SessionStatusView, Error> {
        let session = self.sessions.session(session_id).await?;
        let error = self.failure(&session).await?;
        Ok(SessionStatusView {
            session_id: session.id,
            status: session.status,
            run_id: session.last_run_id,
            error,
        })
    }

    /// The result of a session's newest run.
    pub(crate) async fn result(&self, session_id: &SessionId) -> Result<SessionResult, Error> {
        let session = self.sessions.session(session_id).await?;
        let outcome = match session.status {
            Status::Idle | Status::Finished => self.run_reader.outcome(&session.last_run_id).await?,
            Status::Pending
            | Status::Running
            | Status::Waiting
            | Status::InputRequired
            | Status::Stopping
            | Status::Stopped
            | Status::Failed => None,
        };
        let Some(outcome) = outcome else {
            let failure = self.failure(&session).await?;
            return Err(no_result(&session, failure));
        };
        let result_data = outcome.result_data.map(raw).transpose()?;
        let under_contract = outcome.validation.is_some();
        Ok(SessionResult {
            session_id: session.id,
            run_id: session.last_run_id,
            result_text: outcome.result_text,
            validated_output: result_data.clone().filter(|_| under_contract),
            result_data,
            result: outcome.raw.filter(|_| under_contract),
            schema_validation: outcome.validation,
        })
    }

    /// Stops the session's run, if one is in progress.
    pub(crate) async fn stop(&self, session_id: &SessionId) -> Result<SessionView, Error> {
        let session = self.sessions.session(session_id).await?;
        if !session.status.is_busy() {
            return self.get(session_id).await;
        }
        // Exactly this run: one that follows it meanwhile is another's.
        self.runs.stop_with_children(&session.last_run_id).await?;
        self.get(session_id).await
    }

    /// Removes a session with all that belongs to it.
    pub(crate) async fn remove(&self, session_id: &SessionId) -> Result<(), Error> {
        // Once it is removed, nothing says that its children end with it.
        self.runs.stop_orphans().await?;
        Ok(self.sessions.remove_session(session_id).await?)
    }

    async fn failure(&self, session: &Session) -> Result<Option<Failure>, Error> {
        match session.status {
            Status::Failed | Status::Stopped => Ok(self.run_reader.run(&session.last_run_id).await?.failure),
            Status::Pending
            | Status::Running
            | Status::Waiting
            | Status::InputRequired
            | Status::Idle
            | Status::Finished
            | Status::Stopping => Ok(None),
        }
    }
}

fn no_result(session: &Session, failure: Option<Failure>) -> Error {
    let (id, status) = (&session.id, session.status);
    let message = match (&failure, status) {
        (Some(failure), Status::Failed) => {
            format!(
                "{id} has no result: its last run failed ({}): {}",
                failure.kind.as_str(),
                failure.message
            )
        }
        (_, Status::Stopped) => format!("{id} has no result: its last run was stopped"),
        _ => format!("{id} has no result yet: it is {status}; retry when it has finished"),
    };
    let details = match failure {
        Some(failure) => json!({"status": status, "error": failure}),
        None => json!({"status": status}),
    };
    Error::new(ErrorName::SessionNotFinished, message).with_details(details)
}

fn view(session: Session, summary: SessionSummary) -> SessionView {
    SessionView {
        session_id: session.id,
        agent_name: session.agent_name,
        status: session.status,
        parent_session_id: session.parent_session_id,
        project_dir: session.project_dir,
        last_run_id: session.last_run_id,
        created_at: session.created_at,
        updated_at: session.updated_at,
        input_preview: summary.preview,
        model: summary.model,
        attempts: summary.attempts,
        usage: summary.usage,
        started_at: summary.started_at,
        finished_at: summary.finished_at,
        undelivered_callbacks: Vec::new(),
        undelivered_callback: None,
    }
}

fn undelivered_view(undelivered: Undelivered) -> UndeliveredCallback {
    let Undelivered { run_id, session_id, created_at, held } = undelivered;
    UndeliveredCallback {
        session_id,
        run_id,
        since: created_at,
        held: held.as_ref().map(|held| held.reason),
        message: held.map(|held| held.message),
    }
}
