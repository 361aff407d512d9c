//! What parents are owed.

mod orphans;
mod waiting;

use accord_domain::callback::{self, Held, Undelivered};
use accord_domain::event::Body;
use accord_domain::id::{RunId, SessionId};
use accord_domain::run::change::Children;
use accord_store::{CallbackHold, CallbackStore, Due, Notice, StoreError, WaitingRun};
use async_trait::async_trait;
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::error::{DbResult, corrupt};
use crate::rows::{event, session};
use crate::store::SqliteStore;
use crate::value::{count, micros, named, time, time_if};
use crate::writer::Write;

/// The children of a session that have not finished and will call it back.
macro_rules! unfinished {
    ($parent:literal) => {
        concat!(
            "sessions s JOIN runs r ON r.id = s.last_run_id WHERE s.parent_session_id = ",
            $parent,
            " AND s.status NOT IN ('idle', 'finished', 'stopped', 'failed') AND r.execution_mode = 'async_callback'"
        )
    };
}
use unfinished;

#[async_trait]
impl CallbackStore for SqliteStore {
    async fn due_callbacks(&self, limit: u32) -> Result<Vec<Due>, StoreError> {
        self.read_by_key(move |connection| due(connection, limit)).await
    }

    async fn waiting_runs(&self, now: Timestamp, limit: u32) -> Result<Vec<WaitingRun>, StoreError> {
        self.read(move |connection| waiting::runs(connection, now, limit)).await
    }

    async fn children_to_come(&self, session_id: &SessionId) -> Result<Vec<SessionId>, StoreError> {
        let session_id = session_id.clone();
        self.read(move |connection| waiting::children(connection, &session_id)).await
    }

    async fn children_to_stop(&self, limit: u32) -> Result<Vec<RunId>, StoreError> {
        self.read(move |connection| orphans::runs(connection, limit)).await
    }

    async fn undelivered(&self, parent: &SessionId, limit: u32) -> Result<Vec<Undelivered>, StoreError> {
        let parent = parent.clone();
        self.read(move |connection| undelivered(connection, &parent, limit)).await
    }

    async fn delay_callbacks(&self, parent: &SessionId, now: Timestamp) -> Result<(), StoreError> {
        let parent = parent.clone();
        self.write(move |write| {
            let sql = "UPDATE callbacks SET failing_since = ?2 WHERE delivered_by IS NULL AND held_reason IS NULL \
                       AND failing_since IS NULL AND parent = (SELECT seq FROM sessions WHERE id = ?1)";
            write.connection().prepare_cached(sql)?.execute(params![parent.as_str(), micros(now)])?;
            Ok(())
        })
        .await
    }

    async fn hold_callbacks(&self, hold: CallbackHold) -> Result<(), StoreError> {
        self.write(move |write| keep_back(write, &hold)).await
    }
}

fn due(connection: &Connection, limit: u32) -> DbResult<Vec<Due>> {
    let sql = "SELECT p.id, r.id, c.failing_since \
               FROM callbacks c JOIN sessions p ON p.seq = c.parent JOIN runs r ON r.seq = c.run \
               WHERE c.delivered_by IS NULL AND c.held_reason IS NULL \
               AND p.status IN ('idle', 'finished', 'stopped', 'failed') ORDER BY c.created_at, c.seq";
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query([])?;
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let mut due: Vec<Due> = Vec::new();
    while let Some(row) = rows.next()? {
        let parent_session_id = SessionId::try_from(row.get::<_, String>(0)?)?;
        let run_id = RunId::try_from(row.get::<_, String>(1)?)?;
        let failing_since = time_if(row.get(2)?)?;
        let full = due.len() >= limit;
        match due.iter_mut().find(|due| due.parent_session_id == parent_session_id) {
            Some(known) => {
                known.run_ids.push(run_id);
                known.failing_since = [known.failing_since, failing_since].into_iter().flatten().min();
            }
            None if full => {}
            None => due.push(Due { parent_session_id, run_ids: vec![run_id], failing_since }),
        }
    }
    Ok(due)
}

fn undelivered(connection: &Connection, parent: &SessionId, limit: u32) -> DbResult<Vec<Undelivered>> {
    let sql = "SELECT r.id, s.id, c.created_at, c.held_reason, c.held_message, c.held_at \
               FROM callbacks c JOIN runs r ON r.seq = c.run JOIN sessions s ON s.seq = r.session \
               WHERE c.parent = (SELECT seq FROM sessions WHERE id = ?1) AND c.delivered_by IS NULL \
               ORDER BY c.created_at, c.seq LIMIT ?2";
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(params![parent.as_str(), count(limit)])?;
    let mut all = Vec::new();
    while let Some(row) = rows.next()? {
        all.push(Undelivered {
            run_id: RunId::try_from(row.get::<_, String>(0)?)?,
            session_id: SessionId::try_from(row.get::<_, String>(1)?)?,
            created_at: time(row.get(2)?)?,
            held: held(row, 3)?,
        });
    }
    Ok(all)
}

/// Why an end is held, from the columns that begin at this place.
fn held(row: &Row<'_>, from: usize) -> DbResult<Option<Held>> {
    let Some(reason) = row.get::<_, Option<String>>(from)? else { return Ok(None) };
    let at = time_if(row.get(from + 2)?)?.ok_or_else(|| corrupt("an end is held since no time"))?;
    Ok(Some(Held { reason: named(&reason)?, message: row.get(from + 1)?, at }))
}

pub(crate) fn keep_back(write: &mut Write<'_>, hold: &CallbackHold) -> DbResult<()> {
    let connection = write.connection();
    let (seq, parent) = match session::find(connection, &hold.parent_session_id) {
        Err(crate::error::DbError::Answer(StoreError::NoSession(_))) => return Ok(()),
        found => found?,
    };
    if parent.last_run_id != hold.last_run_id || parent.status.is_busy() {
        return Ok(());
    }
    let children = held_children(connection, seq, hold)?;
    if children.is_empty() {
        return Ok(());
    }
    let body = Body::CallbackHeld { children, reason: hold.reason, message: hold.message.clone() };
    event::insert(connection, micros(hold.now), seq, None, &event::Prepared::new(&body)?)?;
    let still = still_to_come(connection, seq, &parent.id)?;
    let after = callback::settle(parent.clone(), still, hold.now);
    if after != parent {
        session::update(connection, seq, &after)?;
    }
    write.notify(Notice::Events { session_id: after.id, run_id: None });
    Ok(())
}

/// Marks the ends, and gives whose they are, each once.
fn held_children(connection: &Connection, parent: i64, hold: &CallbackHold) -> DbResult<Vec<SessionId>> {
    let sql = "UPDATE callbacks SET held_reason = ?3, held_message = ?4, held_at = ?5 \
               WHERE run = (SELECT seq FROM runs WHERE id = ?1) AND parent = ?2 \
               AND delivered_by IS NULL AND held_reason IS NULL \
               RETURNING (SELECT s.id FROM runs r JOIN sessions s ON s.seq = r.session WHERE r.seq = callbacks.run)";
    let mut statement = connection.prepare_cached(sql)?;
    let mut children = Vec::new();
    for run_id in &hold.run_ids {
        let values =
            params![run_id.as_str(), parent, hold.reason.as_str(), hold.message.as_str(), micros(hold.now)];
        let child: Option<String> = statement.query_row(values, |row| row.get(0)).optional()?;
        if let Some(child) = child.map(SessionId::try_from).transpose()?
            && !children.contains(&child)
        {
            children.push(child);
        }
    }
    Ok(children)
}

/// Whether children have still to call this session back.
pub(crate) fn still_to_come(connection: &Connection, session: i64, id: &SessionId) -> DbResult<Children> {
    let sql = concat!(
        "SELECT EXISTS (SELECT 1 FROM callbacks WHERE parent = ?1 AND delivered_by IS NULL AND held_reason IS NULL) \
         OR EXISTS (SELECT 1 FROM ",
        unfinished!("?2"),
        ")"
    );
    let mut statement = connection.prepare_cached(sql)?;
    let some: bool = statement.query_row(params![session, id.as_str()], |row| row.get(0))?;
    Ok(if some { Children::WillCallBack } else { Children::Quiet })
}

/// The session is resumed: its callbacks are no longer held.
pub(crate) fn let_go(connection: &Connection, parent: i64) -> DbResult<()> {
    let sql = "UPDATE callbacks SET held_reason = NULL, held_message = NULL, held_at = NULL, failing_since = NULL \
               WHERE parent = ?1 AND delivered_by IS NULL";
    connection.prepare_cached(sql)?.execute([parent])?;
    Ok(())
}

/// The callbacks that a run was to deliver are pending again.
pub(crate) fn take_back(connection: &Connection, run: i64) -> DbResult<()> {
    let sql = "UPDATE callbacks SET delivered_by = NULL WHERE delivered_by = ?1";
    connection.prepare_cached(sql)?.execute([run])?;
    Ok(())
}

/// The callbacks of a run are delivered for good, even if it fails.
pub(crate) fn settle(connection: &Connection, run: i64) -> DbResult<()> {
    connection.prepare_cached("DELETE FROM callbacks WHERE delivered_by = ?1")?.execute([run])?;
    Ok(())
}
