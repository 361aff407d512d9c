//! Sessions are read and removed.

use accord_domain::callback;
use accord_domain::id::SessionId;
use accord_domain::session::{Session, Status};
use accord_store::{Page, PageRequest, SessionFilter, SessionStore, StoreError};
use async_trait::async_trait;
use jiff::Timestamp;
use rusqlite::Connection;

use crate::callbacks::still_to_come;
use crate::fault::{Done, Fault};
use crate::page::{Position, Wanted, newest_first, value};
use crate::rows::{assignment, session};
use crate::store::SqliteStore;
use crate::value::micros;
use crate::writer::Write;

#[async_trait]
impl SessionStore for SqliteStore {
    async fn session(&self, session_id: &SessionId) -> Result<Session, StoreError> {
        let session_id = session_id.clone();
        self.look(move |connection| Ok(session::find(connection, &session_id)?.1)).await
    }

    async fn sessions(
        &self,
        filter: &SessionFilter,
        page: &PageRequest,
    ) -> Result<Page<Session>, StoreError> {
        let (filter, page) = (filter.clone(), page.clone());
        self.read(move |connection| list(connection, &filter, &page)).await
    }

    async fn remove_session(&self, session_id: &SessionId) -> Result<(), StoreError> {
        let session_id = session_id.clone();
        self.write(move |write| remove(write, &session_id)).await
    }
}

/// Sessions that are busy have a run that waits or that a runner holds.
const BUSY: &str = "(SELECT session FROM runs INDEXED BY runs_waiting WHERE status = 'pending' \
                     UNION SELECT session FROM runs INDEXED BY runs_leased WHERE lease_expires_at IS NOT NULL) b \
                    CROSS JOIN sessions s ON s.seq = b.session";

/// Where sessions of a status are found, and how SQLite is told that it may use an index. By time alone all sessions would be
/// looked at to find out that none is busy. Children of one session are few, and so may be sessions of one agent.
fn way(filter: &SessionFilter) -> (&'static str, &'static str) {
    const UNSUCCESSFUL: &str = "sessions s INDEXED BY sessions_unsuccessful";
    let by_time = ("sessions s", "s.status =");
    match filter.status {
        _ if filter.parent_session_id.is_some() => by_time,
        Some(Status::Pending | Status::Running | Status::Stopping) => (BUSY, "s.status ="),
        _ if filter.agent_name.is_some() => by_time,
        Some(Status::Failed) => (UNSUCCESSFUL, "s.status = 'failed' AND s.status ="),
        Some(Status::Stopped) => (UNSUCCESSFUL, "s.status = 'stopped' AND s.status ="),
        Some(Status::Idle) => (UNSUCCESSFUL, "s.status = 'idle' AND s.status ="),
        Some(Status::Finished) | None => by_time,
    }
}

fn list(connection: &Connection, filter: &SessionFilter, page: &PageRequest) -> Done<Page<Session>> {
    let (source, of_status) = way(filter);
    let select = format!("SELECT {} FROM {source}", session::columns!());
    let status = filter.status.map(|status| status.as_str());
    let parent = filter.parent_session_id.as_ref().map(SessionId::as_str);
    let wanted: [Wanted<'_>; 3] = [
        (of_status, value(&status)),
        ("s.agent_name =", value(&filter.agent_name)),
        ("s.parent_session_id =", value(&parent)),
    ];
    newest_first(connection, &select, "s", &wanted, page, |row| {
        let (seq, session) = session::read(row, 0)?;
        Ok((Position { at: micros(session.created_at), seq }, session))
    })
}

/// What belongs to a session, in an order in which nothing is looked for after it is gone. Also what its runs owe to
/// their parent: nobody could say any more what it was.
const REMOVALS: &[&str] = &[
    // The id of the last event is never given again: whoever tails events remembers it.
    "UPDATE events SET session = NULL, run = NULL, kind = '', body = '{}' \
     WHERE id = (SELECT max(id) FROM events) AND session = ?1",
    "DELETE FROM events WHERE session = ?1",
    "DELETE FROM attempts WHERE run IN (SELECT seq FROM runs WHERE session = ?1)",
    "DELETE FROM attempt_errors WHERE run IN (SELECT seq FROM runs WHERE session = ?1)",
    "DELETE FROM assignments WHERE run IN (SELECT seq FROM runs WHERE session = ?1)",
    "DELETE FROM outcomes WHERE run IN (SELECT seq FROM runs WHERE session = ?1)",
    "DELETE FROM callbacks WHERE run IN (SELECT seq FROM runs WHERE session = ?1)",
    "DELETE FROM callbacks WHERE parent = ?1",
    "DELETE FROM conversations WHERE session = ?1",
    "DELETE FROM runs WHERE session = ?1",
    "DELETE FROM sessions WHERE seq = ?1",
];

fn remove(write: &Write<'_>, id: &SessionId) -> Done<()> {
    let connection = write.connection();
    let (seq, session) = session::find(connection, id)?;
    if session.status.is_busy() {
        return Err(StoreError::Busy { session: session.id, run: session.last_run_id }.into());
    }
    let documents = assignment::documents_of(connection, seq)?;
    for sql in REMOVALS {
        connection.prepare_cached(sql)?.execute([seq])?;
    }
    if let Some(parent) = &session.parent_session_id
        && waits(connection, parent)?
    {
        settle(connection, parent, session.updated_at)?;
    }
    assignment::collect(connection, &documents)
}

/// Whether a session waits for children. To find out for which, all of them are looked at, so this is asked first.
fn waits(connection: &Connection, id: &SessionId) -> Done<bool> {
    match session::find(connection, id) {
        Err(Fault::Answer(StoreError::NoSession(_))) => Ok(false),
        found => Ok(found?.1.status == Status::Idle),
    }
}

/// A parent may have waited for what is gone, or wait for what has begun.
pub(crate) fn settle(connection: &Connection, parent: &SessionId, at: Timestamp) -> Done<()> {
    let (seq, before) = match session::find(connection, parent) {
        Err(Fault::Answer(StoreError::NoSession(_))) => return Ok(()),
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
