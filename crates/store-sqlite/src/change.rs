//! Writes what the domain has decided.

use accord_domain::callback::Callback;
use accord_domain::run::change::{Change, ChildReports};
use accord_domain::run::{Run, Status};
use accord_domain::session::Status as SessionStatus;
use accord_store::Notice;
use jiff::Timestamp;
use rusqlite::params;

use crate::callbacks;
use crate::error::DbResult;
use crate::kept;
use crate::rows::run::Loaded;
use crate::rows::{attempt, event, run, session};
use crate::value::micros;
use crate::writer::Write;

/// The rows of a change, and their state before it.
pub(crate) struct ChangedRows {
    pub(crate) run: i64,
    pub(crate) session: i64,
    run_status: Status,
    session_before: (SessionStatus, Timestamp),
}

impl ChangedRows {
    pub(crate) fn of(loaded: &Loaded) -> Self {
        Self {
            run: loaded.seq,
            session: loaded.session_seq,
            run_status: loaded.run.status,
            session_before: (loaded.session.status, loaded.session.updated_at),
        }
    }
}

/// Writes a change without a runner's report. If it ends a run, the usage comes from its attempts.
pub(crate) fn apply_without_runner(
    write: &mut Write<'_>,
    changed_rows: &ChangedRows,
    change: Change,
) -> DbResult<Run> {
    let change = match change.ends_without_runner() {
        true => change.with_attempts(&attempt::all(write.connection(), changed_rows.run)?),
        false => change,
    };
    apply(write, changed_rows, change)
}

/// Writes a change whole, and gives the run as it is now.
pub(crate) fn apply(write: &mut Write<'_>, changed_rows: &ChangedRows, change: Change) -> DbResult<Run> {
    let Change { run, session, events, callback, child_reports } = change;
    // A change says something or moves the status; what does neither is "nothing changed".
    if events.is_empty() && run.status == changed_rows.run_status {
        return Ok(run);
    }
    let connection = write.connection();
    run::update(connection, changed_rows.run, &run)?;
    if (session.status, session.updated_at) != changed_rows.session_before {
        session::update(connection, changed_rows.session, &session)?;
    }
    for happened in &events {
        let owner = happened.run_id.as_ref().map(|_| changed_rows.run);
        let prepared = event::Prepared::new(&happened.body)?;
        event::insert(connection, micros(happened.at), changed_rows.session, owner, &prepared)?;
    }
    if run.status.is_over() {
        // Behind the events of the end: the id of the last event is never given again.
        let sql = "DELETE FROM events WHERE run = ?1 AND kind = 'output.delta'";
        connection.prepare_cached(sql)?.execute([changed_rows.run])?;
        kept::mark(connection, changed_rows.run)?;
    }
    match child_reports {
        ChildReports::Unchanged => {}
        ChildReports::Returned => callbacks::take_back(connection, changed_rows.run)?,
        ChildReports::Settled => callbacks::settle(connection, changed_rows.run)?,
    }
    if let Some(callback) = callback {
        owe(write, changed_rows.run, &callback)?;
    }
    if !events.is_empty() {
        write.notify(Notice::Events { session_id: session.id, run_id: Some(run.id.clone()) });
    }
    match run.status {
        Status::Pending => write.notify(Notice::Queued),
        Status::Claimed | Status::Running => {}
        status => write.notify(Notice::Changed { run_id: run.id.clone(), over: status.is_over() }),
    }
    Ok(run)
}

/// Writes what a parent is owed. One that was removed is owed nothing.
fn owe(write: &Write<'_>, run: i64, callback: &Callback) -> DbResult<()> {
    let connection = write.connection();
    let Some(parent) = session::number(connection, &callback.parent_session_id)? else { return Ok(()) };
    let sql = "INSERT INTO callbacks (run, parent, created_at) VALUES (?1, ?2, ?3)";
    connection.prepare_cached(sql)?.execute(params![run, parent, micros(callback.created_at)])?;
    Ok(())
}
