//! The table `events`.

use accord_domain::event::{Body, Event};
use accord_domain::id::{EventId, RunId, SessionId};
use rusqlite::{Connection, Row, params};

use crate::fault::Done;
use crate::value::{json, time};

/// What happened, ready to be written.
pub(crate) struct Prepared {
    kind: &'static str,
    body: String,
}

impl Prepared {
    pub(crate) fn new(body: &Body) -> Done<Self> {
        Ok(Self { kind: body.kind(), body: json(body)? })
    }
}

/// Writes an event.
pub(crate) fn insert(
    connection: &Connection,
    at: i64,
    session: i64,
    run: Option<i64>,
    event: &Prepared,
) -> Done<()> {
    let sql = "INSERT INTO events (at, session, run, kind, body) VALUES (?1, ?2, ?3, ?4, ?5)";
    connection.prepare_cached(sql)?.execute(params![at, session, run, event.kind, event.body])?;
    Ok(())
}

/// An event from a row of `id, at, session's id, run's id, kind, body`.
pub(crate) fn read(row: &Row<'_>) -> Done<Event> {
    let run_id: Option<String> = row.get(3)?;
    Ok(Event {
        id: EventId(row.get(0)?),
        at: time(row.get(1)?)?,
        session_id: SessionId::try_from(row.get::<_, String>(2)?)?,
        run_id: run_id.map(RunId::try_from).transpose()?,
        kind: row.get(4)?,
        body: row.get(5)?,
    })
}
