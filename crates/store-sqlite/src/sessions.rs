//! Reads and removes sessions.

use accord_domain::callback;
use accord_domain::id::SessionId;
use accord_domain::session::{Session, Status};
use accord_domain::usage::Usage;
use accord_store::{
    Count, Notice, Page, PageRequest, SessionFilter, SessionStore, SessionSummary, StoreError, Summaries,
};
use async_trait::async_trait;
use jiff::Timestamp;
use rusqlite::Connection;

use crate::callbacks::still_to_come;
use crate::error::{DbError, DbResult};
use crate::kept;
use crate::page::{self, ColumnFilter, List, bound, newest_first};
use crate::rows::{assignment, session, summary};
use crate::store::SqliteStore;
use crate::value::{counted, micros, time_if};
use crate::writer::Write;

#[async_trait]
impl SessionStore for SqliteStore {
    async fn session(&self, session_id: &SessionId) -> Result<Session, StoreError> {
        let session_id = session_id.clone();
        self.read_by_key(move |connection| Ok(session::find(connection, &session_id)?.1)).await
    }

    async fn sessions(
        &self,
        filter: &SessionFilter,
        page: &PageRequest,
    ) -> Result<Page<Session>, StoreError> {
        let (filter, page) = (filter.clone(), page.clone());
        self.read(move |connection| list(connection, &filter, &page)).await
    }

    async fn count_sessions(&self, filter: &SessionFilter, most: u32) -> Result<Count, StoreError> {
        let filter = filter.clone();
        self.read(move |connection| listed(&filter, |list| page::counted(connection, list, most))).await
    }

    async fn session_summaries(
        &self,
        sessions: &[SessionId],
    ) -> Result<Summaries<SessionId, SessionSummary>, StoreError> {
        let sessions = sessions.to_vec();
        self.read(move |connection| summaries(connection, &sessions)).await
    }

    async fn remove_session(&self, session_id: &SessionId) -> Result<(), StoreError> {
        let session_id = session_id.clone();
        self.write(move |write| remove(write, &session_id)).await
    }
}

/// Sessions that are busy have a run that waits for a runner, that a runner holds, or that waits for its children or a person.
const BUSY: &str = "(SELECT session FROM runs INDEXED BY runs_waiting WHERE status = 'pending' \
                     UNION SELECT session FROM runs INDEXED BY runs_leased WHERE lease_expires_at IS NOT NULL \
                     UNION SELECT session FROM runs INDEXED BY runs_suspended \
                     WHERE status = 'waiting' OR status = 'input_required') b \
                    CROSS JOIN sessions s ON s.seq = b.session";

/// Where sessions of a status are found, and the condition that lets SQLite use an index. By time alone all sessions would be
/// looked at to find out that none is busy. Children of one session are few, and so may be sessions of one agent.
fn index_for(filter: &SessionFilter) -> (&'static str, &'static str) {
    const UNSUCCESSFUL: &str = "sessions s INDEXED BY sessions_unsuccessful";
    let by_time = ("sessions s", "s.status =");
    match filter.status {
        _ if filter.parent_session_id.is_some() => by_time,
        Some(status) if status.is_busy() => (BUSY, "s.status ="),
        _ if filter.agent_name.is_some() => by_time,
        Some(Status::Failed) => (UNSUCCESSFUL, "s.status = 'failed' AND s.status ="),
        Some(Status::Stopped) => (UNSUCCESSFUL, "s.status = 'stopped' AND s.status ="),
        Some(Status::Idle) => (UNSUCCESSFUL, "s.status = 'idle' AND s.status ="),
        _ => by_time,
    }
}

/// The input that a session was started with, as it is searched.
const SEARCHED: &str = "(SELECT i.searched FROM runs o JOIN run_inputs i ON i.run = o.seq WHERE o.session = s.seq \
                        ORDER BY o.created_at, o.seq LIMIT 1)";

/// Does something with the list that a filter asks for.
fn listed<T>(filter: &SessionFilter, with: impl FnOnce(&List<'_>) -> DbResult<T>) -> DbResult<T> {
    let (source, of_status) = index_for(filter);
    let status = filter.status.map(|status| status.as_str());
    let parent = filter.parent_session_id.as_ref().map(SessionId::as_str);
    let (since, until) = (filter.since.map(micros), filter.until.map(micros));
    let conditions: [ColumnFilter<'_>; 5] = [
        (of_status, bound(&status)),
        ("s.agent_name =", bound(&filter.agent_name)),
        ("s.parent_session_id =", bound(&parent)),
        ("s.created_at >=", bound(&since)),
        ("s.created_at <", bound(&until)),
    ];
    let (columns, search) = (session::columns!(), filter.search.as_ref());
    with(&List { columns, source, alias: "s", conditions: &conditions, searched: SEARCHED, search })
}

fn list(connection: &Connection, filter: &SessionFilter, page: &PageRequest) -> DbResult<Page<Session>> {
    listed(filter, |list| newest_first(connection, list, page, |row| Ok(session::read(row)?.1)))
}

fn summaries(
    connection: &Connection,
    sessions: &[SessionId],
) -> DbResult<Summaries<SessionId, SessionSummary>> {
    let sql = concat!(
        "SELECT (SELECT i.preview FROM runs o JOIN run_inputs i ON i.run = o.seq WHERE o.session = s.seq \
         ORDER BY o.created_at, o.seq LIMIT 1), ",
        summary::columns!(),
        ", r.input_tokens, r.output_tokens, r.cost_usd, r.started_at, r.finished_at \
         FROM sessions s JOIN runs r ON r.id = s.last_run_id JOIN assignments a ON a.run = r.seq \
         JOIN documents b ON b.id = a.blueprint WHERE s.id = ?1"
    );
    let mut statement = connection.prepare_cached(sql)?;
    let mut found = Summaries::with_capacity(sessions.len());
    for id in sessions {
        let mut rows = statement.query([id.as_str()])?;
        let Some(row) = rows.next()? else { continue };
        let (model, attempts) = summary::read(row, 1)?;
        let summary = SessionSummary {
            preview: row.get::<_, Option<String>>(0)?.unwrap_or_default(),
            model,
            attempts,
            usage: Usage {
                input_tokens: counted(row.get(4)?)?,
                output_tokens: counted(row.get(5)?)?,
                cost_usd: row.get(6)?,
            },
            started_at: time_if(row.get(7)?)?,
            finished_at: time_if(row.get(8)?)?,
        };
        found.insert(id.clone(), summary);
    }
    Ok(found)
}

/// What belongs to a session, in an order in which nothing is looked for after it is gone. Also what its runs owe to
/// their parent: their results are gone.
const REMOVALS: &[&str] = &[
    kept::mark_hours!("r.session = ?1"),
    // The id of the last event is never given again: readers of events remember it.
    "UPDATE events SET session = NULL, run = NULL, kind = '', body = '{}' \
     WHERE id = (SELECT max(id) FROM events) AND session = ?1",
    "DELETE FROM events WHERE session = ?1",
    "DELETE FROM attempts WHERE run IN (SELECT seq FROM runs WHERE session = ?1)",
    "DELETE FROM attempt_errors WHERE run IN (SELECT seq FROM runs WHERE session = ?1)",
    "DELETE FROM steps WHERE run IN (SELECT seq FROM runs WHERE session = ?1)",
    "DELETE FROM inputs WHERE run IN (SELECT seq FROM runs WHERE session = ?1)",
    "DELETE FROM run_inputs WHERE run IN (SELECT seq FROM runs WHERE session = ?1)",
    "DELETE FROM assignments WHERE run IN (SELECT seq FROM runs WHERE session = ?1)",
    "DELETE FROM outcomes WHERE run IN (SELECT seq FROM runs WHERE session = ?1)",
    "DELETE FROM callbacks WHERE run IN (SELECT seq FROM runs WHERE session = ?1)",
    "DELETE FROM callbacks WHERE parent = ?1",
    "DELETE FROM conversations WHERE session = ?1",
    "DELETE FROM runs WHERE session = ?1",
    "DELETE FROM sessions WHERE seq = ?1",
];

fn remove(write: &mut Write<'_>, id: &SessionId) -> DbResult<()> {
    let connection = write.connection();
    let (seq, session) = session::find(connection, id)?;
    if session.status.is_busy() {
        return Err(StoreError::Busy { session: session.id, run: session.last_run_id }.into());
    }
    let documents = assignment::documents_of(connection, seq)?;
    for sql in REMOVALS {
        connection.prepare_cached(sql)?.execute([seq])?;
    }
    assignment::collect(connection, &documents)?;
    let Some(parent) = &session.parent_session_id else { return Ok(()) };
    let parent = match session::find(connection, parent) {
        Err(DbError::Answer(StoreError::NoSession(_))) => return Ok(()),
        found => found?.1,
    };
    // To find out whether a parent still waits, all its children are looked at: only if it has waited at all.
    match parent.status {
        Status::Idle => settle(connection, &parent.id, session.updated_at)?,
        Status::Waiting => write.notify(Notice::Changed { run_id: parent.last_run_id, over: false }),
        _ => {}
    }
    Ok(())
}

/// A parent may have waited for what is gone, or wait for what has begun.
pub(crate) fn settle(connection: &Connection, parent: &SessionId, at: Timestamp) -> DbResult<()> {
    let (seq, before) = match session::find(connection, parent) {
        Err(DbError::Answer(StoreError::NoSession(_))) => return Ok(()),
        found => found?,
    };
    if before.status.is_busy() {
        return Ok(());
    }
    let at = at.max(before.updated_at);
    let after = callback::settle(before.clone(), still_to_come(connection, seq, parent)?, at);
    if after != before {
        session::update(connection, seq, &after)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use accord_store::Search;

    use super::*;

    #[tokio::test]
    async fn lists_go_by_an_index() {
        let store = SqliteStore::in_memory().unwrap();
        let (none, now) = (SessionFilter::default(), Some(Timestamp::UNIX_EPOCH));
        let agent_name = Some("a".to_owned());
        let filters = [
            none.clone(),
            SessionFilter { since: now, until: now, ..none.clone() },
            SessionFilter { agent_name: agent_name.clone(), since: now, ..none.clone() },
            SessionFilter { agent_name, search: Search::new("a b", 10), ..none.clone() },
            SessionFilter { parent_session_id: Some(SessionId::new("a")), ..none.clone() },
            SessionFilter { status: Some(Status::Failed), search: Search::new("a", 10), ..none.clone() },
            SessionFilter { status: Some(Status::Finished), until: now, ..none },
        ];
        for filter in filters {
            let shown = format!("{filter:?}");
            let look =
                move |connection: &Connection| listed(&filter, |list| Ok(page::unindexed(connection, list)));
            assert_eq!(store.read(look).await.unwrap(), Vec::<String>::new(), "{shown}");
        }
    }
}
