//! Runs that wait for their children.

use accord_domain::id::{RunId, SessionId};
use accord_store::WaitingRun;
use jiff::Timestamp;
use rusqlite::{Connection, params};

use super::unfinished;
use crate::error::DbResult;
use crate::rows::session;
use crate::value::time_if;

pub(super) fn runs(connection: &Connection, now: Timestamp, limit: u32) -> DbResult<Vec<WaitingRun>> {
    let sql = "SELECT r.id, s.id, r.waits_until, s.seq, r.attempt FROM runs r INDEXED BY runs_suspended \
               JOIN sessions s ON s.seq = r.session WHERE r.status = 'waiting' ORDER BY r.created_at, r.seq";
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query([])?;
    let (mut ready, mut partly) = (Vec::new(), Vec::new());
    while let Some(row) = rows.next()? {
        let session_id = SessionId::try_from(row.get::<_, String>(1)?)?;
        let waiting = WaitingRun {
            run_id: RunId::try_from(row.get::<_, String>(0)?)?,
            attempt: row.get(4)?,
            waits_until: time_if(row.get(2)?)?,
            ended: ended(connection, row.get(3)?)?,
            unfinished: unfinished_children(connection, &session_id)?,
            session_id,
        };
        if waiting.unfinished.is_empty() || waiting.waits_until.is_some_and(|until| until <= now) {
            ready.push(waiting);
        } else if !waiting.ended.is_empty() {
            partly.push(waiting);
        }
    }
    // Runs that wait for all of their children stay in the second part for long, and must not push the others out.
    ready.append(&mut partly);
    ready.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    Ok(ready)
}

pub(super) fn children(connection: &Connection, session_id: &SessionId) -> DbResult<Vec<SessionId>> {
    let Some(seq) = session::number(connection, session_id)? else { return Ok(Vec::new()) };
    let sql = concat!(
        "SELECT c.id FROM (SELECT s.seq FROM ",
        unfinished!("?1"),
        " UNION SELECT r.session FROM callbacks o JOIN runs r ON r.seq = o.run \
         WHERE o.parent = ?2 AND o.delivered_by IS NULL AND o.held_reason IS NULL) t \
         JOIN sessions c ON c.seq = t.seq ORDER BY c.created_at, c.seq"
    );
    let mut statement = connection.prepare_cached(sql)?;
    let ids = statement.query_map(params![session_id.as_str(), seq], |row| row.get::<_, String>(0))?;
    ids.map(|id| Ok(SessionId::try_from(id?)?)).collect()
}

/// The children's runs that ended and were not reported.
fn ended(connection: &Connection, parent: i64) -> DbResult<Vec<RunId>> {
    let sql = "SELECT r.id FROM callbacks c JOIN runs r ON r.seq = c.run \
               WHERE c.parent = ?1 AND c.delivered_by IS NULL AND c.held_reason IS NULL ORDER BY c.created_at, c.seq";
    let mut statement = connection.prepare_cached(sql)?;
    let ids = statement.query_map([parent], |row| row.get::<_, String>(0))?;
    ids.map(|id| Ok(RunId::try_from(id?)?)).collect()
}

fn unfinished_children(connection: &Connection, parent: &SessionId) -> DbResult<Vec<SessionId>> {
    let sql = concat!("SELECT s.id FROM ", unfinished!("?1"), " ORDER BY s.created_at, s.seq");
    let mut statement = connection.prepare_cached(sql)?;
    let ids = statement.query_map([parent.as_str()], |row| row.get::<_, String>(0))?;
    ids.map(|id| Ok(SessionId::try_from(id?)?)).collect()
}
