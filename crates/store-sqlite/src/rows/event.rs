//! The table `events`.

use accord_domain::event::{Body, Event};
use accord_domain::id::{EventId, RunId, SessionId, WorkflowRunId};
use rusqlite::{Connection, Row, params};

use crate::error::DbResult;
use crate::value::{json, time};

/// What happened, ready to be written.
pub(crate) struct Prepared {
    kind: &'static str,
    body: String,
}

impl Prepared {
    pub(crate) fn new(body: &Body) -> DbResult<Self> {
        Ok(Self { kind: body.kind(), body: json(body)? })
    }
}

/// Writes an event of a workflow run.
pub(crate) fn insert_of_workflow(
    connection: &Connection,
    at: i64,
    workflow_run: i64,
    event: &Prepared,
) -> DbResult<()> {
    let sql = "INSERT INTO events (at, workflow_run, kind, body) VALUES (?1, ?2, ?3, ?4)";
    connection.prepare_cached(sql)?.execute(params![at, workflow_run, event.kind, event.body])?;
    Ok(())
}

pub(crate) fn insert(
    connection: &Connection,
    at: i64,
    session: i64,
    run: Option<i64>,
    event: &Prepared,
) -> DbResult<()> {
    let sql = "INSERT INTO events (at, session, run, kind, body) VALUES (?1, ?2, ?3, ?4, ?5)";
    connection.prepare_cached(sql)?.execute(params![at, session, run, event.kind, event.body])?;
    Ok(())
}

/// An event from a row of `id, at, session's id, run's id, workflow run's id, kind, body`.
pub(crate) fn read(row: &Row<'_>) -> DbResult<Event> {
    let session_id: Option<String> = row.get(2)?;
    let run_id: Option<String> = row.get(3)?;
    let workflow_run_id: Option<String> = row.get(4)?;
    Ok(Event {
        id: EventId(row.get(0)?),
        at: time(row.get(1)?)?,
        session_id: session_id.map(SessionId::try_from).transpose()?,
        run_id: run_id.map(RunId::try_from).transpose()?,
        workflow_run_id: workflow_run_id.map(WorkflowRunId::try_from).transpose()?,
        kind: row.get(5)?,
        body: row.get(6)?,
    })
}
