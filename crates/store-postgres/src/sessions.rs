//! Sessions, read and removed.

use accord_domain::callback;
use accord_domain::id::{RunId, SessionId};
use accord_domain::session::{Session, Status};
use accord_domain::usage::Usage;
use accord_store::{
    Count, Page, PageRequest, SessionFilter, SessionStore, SessionSummary, StoreError, Summaries,
};
use async_trait::async_trait;
use jiff::Timestamp;
use sqlx::postgres::PgRow;
use sqlx::{PgConnection, Postgres, QueryBuilder, Row};

use crate::callbacks::still_to_come;
use crate::convert::{counted, id, time};
use crate::error::{DbError, retrying};
use crate::list::{self, List};
use crate::notices::Announcement;
use crate::rows::{self, session_columns, summary_columns};
use crate::runs::documents;
use crate::store::{PostgresStore, conclude};
use crate::text::escape;
use crate::{kept, load, page, write};

#[async_trait]
impl SessionStore for PostgresStore {
    async fn session(&self, session_id: &SessionId) -> Result<Session, StoreError> {
        retrying(|| self.read_session(session_id)).await
    }

    async fn sessions(
        &self,
        filter: &SessionFilter,
        page: &PageRequest,
    ) -> Result<Page<Session>, StoreError> {
        retrying(|| self.read_sessions(filter, page)).await
    }

    async fn count_sessions(&self, filter: &SessionFilter, most: u32) -> Result<Count, StoreError> {
        retrying(|| self.read_session_count(filter, most)).await
    }

    async fn session_summaries(
        &self,
        sessions: &[SessionId],
    ) -> Result<Summaries<SessionId, SessionSummary>, StoreError> {
        retrying(|| self.read_session_summaries(sessions)).await
    }

    async fn remove_session(&self, session_id: &SessionId) -> Result<(), StoreError> {
        retrying(|| self.delete_session(session_id)).await
    }
}

const SESSION: &str = concat!("SELECT ", session_columns!(), " FROM sessions s WHERE s.id = $1");

/// Everything of a session, in one statement, but for what its runs share with others: their documents.
const REMOVE: &str = "
WITH its_runs AS (SELECT id FROM runs WHERE session_id = $1),
no_attempts AS (DELETE FROM attempts WHERE run_id IN (SELECT id FROM its_runs)),
no_requests AS (DELETE FROM inputs WHERE run_id IN (SELECT id FROM its_runs)),
no_steps AS (DELETE FROM steps WHERE run_id IN (SELECT id FROM its_runs)),
no_inputs AS (DELETE FROM run_inputs WHERE run_id IN (SELECT id FROM its_runs)),
no_assignments AS (DELETE FROM assignments WHERE run_id IN (SELECT id FROM its_runs)),
no_outcomes AS (DELETE FROM outcomes WHERE run_id IN (SELECT id FROM its_runs)),
no_runs AS (DELETE FROM runs WHERE session_id = $1),
no_events AS (DELETE FROM events WHERE session_id = $1),
no_conversation AS (DELETE FROM conversations WHERE session_id = $1),
no_callbacks AS (DELETE FROM callbacks WHERE session_id = $1 OR parent_session_id = $1)
DELETE FROM sessions WHERE id = $1";

impl PostgresStore {
    async fn read_session(&self, session_id: &SessionId) -> Result<Session, DbError> {
        let row = sqlx::query(SESSION).bind(session_id.as_str()).fetch_optional(&self.pool).await?;
        rows::session(&row.ok_or_else(|| StoreError::NoSession(session_id.clone()))?)
    }

    async fn read_sessions(
        &self,
        filter: &SessionFilter,
        page: &PageRequest,
    ) -> Result<Page<Session>, DbError> {
        let cursor = |session: &Session| page::cursor(session.created_at, session.id.as_str());
        listed(filter).page(&self.pool, page, |query| narrow(query, filter), rows::session, cursor).await
    }

    async fn read_session_count(&self, filter: &SessionFilter, most: u32) -> Result<Count, DbError> {
        listed(filter).count(&self.pool, most, |query| narrow(query, filter)).await
    }

    async fn read_session_summaries(
        &self,
        sessions: &[SessionId],
    ) -> Result<Summaries<SessionId, SessionSummary>, DbError> {
        let ids: Vec<&str> = sessions.iter().map(SessionId::as_str).collect();
        let rows = sqlx::query(SUMMARIES).bind(ids).fetch_all(&self.pool).await?;
        let mut found = Summaries::with_capacity(rows.len());
        for row in &rows {
            found.insert(id(row.try_get("s_id")?)?, summary(row)?);
        }
        Ok(found)
    }

    async fn delete_session(&self, session_id: &SessionId) -> Result<(), DbError> {
        let mut transaction = self.begin().await?;
        let removed = remove(&mut transaction, session_id).await;
        if let Some(waiting) = conclude(transaction, removed).await? {
            self.hub.announce(Announcement::changed(waiting));
        }
        Ok(())
    }
}

/// Of the run that a session was started with.
macro_rules! opening {
    ($column:literal) => {
        concat!(
            "(SELECT ",
            $column,
            " FROM runs o JOIN run_inputs i ON i.run_id = o.id WHERE o.session_id = s.id \
             ORDER BY o.created_at, o.id LIMIT 1)"
        )
    };
}

const SUMMARIES: &str = concat!(
    "SELECT s.id AS s_id, ",
    opening!("i.preview"),
    " AS preview, ",
    summary_columns!(),
    ", r.input_tokens, r.output_tokens, r.cost_usd, r.started_at, r.finished_at \
     FROM sessions s JOIN runs r ON r.id = s.last_run_id JOIN assignments a ON a.run_id = r.id \
     JOIN documents b ON b.hash = a.blueprint WHERE s.id = ANY($1)"
);

fn summary(row: &PgRow) -> Result<SessionSummary, DbError> {
    let (model, attempts) = rows::model_and_attempts(row)?;
    Ok(SessionSummary {
        preview: row.try_get::<Option<String>, _>("preview")?.unwrap_or_default(),
        model,
        attempts,
        usage: Usage {
            input_tokens: counted(row.try_get("input_tokens")?)?,
            output_tokens: counted(row.try_get("output_tokens")?)?,
            cost_usd: row.try_get("cost_usd")?,
        },
        started_at: row.try_get::<Option<i64>, _>("started_at")?.map(time).transpose()?,
        finished_at: row.try_get::<Option<i64>, _>("finished_at")?.map(time).transpose()?,
    })
}

fn listed(filter: &SessionFilter) -> List<'_> {
    List {
        columns: session_columns!(),
        source: "sessions s",
        alias: "s",
        searched: opening!("i.searched"),
        search: filter.search.as_ref(),
    }
}

fn narrow(query: &mut QueryBuilder<Postgres>, filter: &SessionFilter) {
    if let Some(status) = filter.status {
        query.push(" AND s.status = ").push_bind(status.as_str());
    }
    if let Some(agent_name) = &filter.agent_name {
        query.push(" AND s.agent_name = ").push_bind(escape(agent_name).into_owned());
    }
    if let Some(parent) = &filter.parent_session_id {
        query.push(" AND s.parent_session_id = ").push_bind(parent.as_str().to_owned());
    }
    list::within(query, "s", filter.since, filter.until);
}

/// Removes a session, and gives the run of its parent that may have waited for it.
async fn remove(connection: &mut PgConnection, session_id: &SessionId) -> Result<Option<RunId>, DbError> {
    let session = load::session(connection, session_id).await?;
    if session.status.is_busy() {
        return Err(StoreError::Busy { session: session.id, run: session.last_run_id }.into());
    }
    let parent = parent_of(connection, &session).await?;
    let documents = documents::of_session(connection, session_id).await?;
    kept::mark_session(connection, session_id.as_str()).await?;
    sqlx::query(REMOVE).bind(session_id.as_str()).execute(&mut *connection).await?;
    documents::collect(connection, documents).await?;
    // To find out whether a parent still waits, all its children are looked at: only if it has waited at all.
    match parent {
        Some(parent) if parent.status == Status::Idle => {
            settle(connection, parent, session.updated_at).await?;
            Ok(None)
        }
        Some(parent) if parent.status == Status::Waiting => Ok(Some(parent.last_run_id)),
        _ => Ok(None),
    }
}

/// The parent, locked before its callbacks, as everywhere. A child's lock comes before its
/// parent's.
async fn parent_of(connection: &mut PgConnection, session: &Session) -> Result<Option<Session>, DbError> {
    let Some(parent) = &session.parent_session_id else { return Ok(None) };
    match load::session(connection, parent).await {
        Err(DbError::Store(StoreError::NoSession(_))) => Ok(None),
        found => found.map(Some),
    }
}

/// A parent may wait for what has begun.
pub(crate) async fn settle_parent(
    connection: &mut PgConnection,
    session: &Session,
    at: Timestamp,
) -> Result<(), DbError> {
    match parent_of(connection, session).await? {
        Some(parent) => settle(connection, parent, at).await,
        None => Ok(()),
    }
}

/// A parent may have waited for what is gone, or wait for what has begun.
async fn settle(connection: &mut PgConnection, before: Session, at: Timestamp) -> Result<(), DbError> {
    if before.status.is_busy() {
        return Ok(());
    }
    let still = still_to_come(connection, &before.id).await?;
    let at = at.max(before.updated_at);
    let after = callback::settle(before.clone(), still, at);
    if after != before {
        write::sessions(connection, &[&after]).await?;
    }
    Ok(())
}
