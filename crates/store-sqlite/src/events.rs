//! Reads events. One writer at a time assigns their ids, so ids become visible in order.

use accord_domain::event::Event;
use accord_domain::id::{EventId, RunId};
use accord_store::{EventFilter, EventLimit, EventStore, Notices, StoreError};
use async_trait::async_trait;
use rusqlite::{Connection, OptionalExtension, ToSql};

use crate::error::DbResult;
use crate::rows::{event, session};
use crate::store::SqliteStore;

#[async_trait]
impl EventStore for SqliteStore {
    async fn events(
        &self,
        filter: &EventFilter,
        after: EventId,
        limit: EventLimit,
    ) -> Result<Vec<Event>, StoreError> {
        let filter = filter.clone();
        self.read(move |connection| list(connection, &filter, after, limit)).await
    }

    async fn last_event(&self) -> Result<EventId, StoreError> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached("SELECT max(id) FROM events")?;
            let last: Option<i64> = statement.query_row([], |row| row.get(0))?;
            Ok(EventId(last.unwrap_or_default()))
        })
        .await
    }

    fn notices(&self) -> Notices {
        self.subscribe()
    }
}

/// The numbers of a run and of its session.
fn place(connection: &Connection, id: &RunId) -> DbResult<Option<(i64, i64)>> {
    let mut statement = connection.prepare_cached("SELECT seq, session FROM runs WHERE id = ?1")?;
    Ok(statement.query_row([id.as_str()], |row| Ok((row.get(0)?, row.get(1)?))).optional()?)
}

fn list(
    connection: &Connection,
    filter: &EventFilter,
    after: EventId,
    limit: EventLimit,
) -> DbResult<Vec<Event>> {
    let mut sql = "SELECT e.id, e.at, s.id, r.id, w.id, e.kind, e.body FROM events e \
                   LEFT JOIN sessions s ON s.seq = e.session LEFT JOIN runs r ON r.seq = e.run \
                   LEFT JOIN workflow_runs w ON w.seq = e.workflow_run WHERE e.id > :after AND e.kind <> ''"
        .to_owned();
    let mut values: Vec<(&str, &dyn ToSql)> = vec![(":after", &after.0), (":limit", &limit.events)];
    let owner = match &filter.session_id {
        None => None,
        Some(id) => match session::number(connection, id)? {
            None => return Ok(Vec::new()),
            found => found,
        },
    };
    if owner.is_some() {
        sql.push_str(" AND e.session = :session");
        values.push((":session", &owner));
    }
    let run = match &filter.run_id {
        None => None,
        Some(id) => match place(connection, id)? {
            None => return Ok(Vec::new()),
            found => found,
        },
    };
    if let Some((run, session)) = &run {
        sql.push_str(" AND e.session = :session_of_run AND e.run = :run");
        values.push((":session_of_run", session));
        values.push((":run", run));
    }
    let workflow_run = match &filter.workflow_run_id {
        None => None,
        Some(id) => {
            let mut statement = connection.prepare_cached("SELECT seq FROM workflow_runs WHERE id = ?1")?;
            match statement.query_row([id.as_str()], |row| row.get::<_, i64>(0)).optional()? {
                None => return Ok(Vec::new()),
                found => found,
            }
        }
    };
    if workflow_run.is_some() {
        sql.push_str(" AND e.workflow_run = :workflow_run");
        values.push((":workflow_run", &workflow_run));
    }
    let kinds = serde_json::to_string(&filter.kinds)?;
    if !filter.kinds.is_empty() {
        sql.push_str(" AND e.kind IN (SELECT value FROM json_each(:kinds))");
        values.push((":kinds", &kinds));
    }
    sql.push_str(" ORDER BY e.id LIMIT :limit");
    let mut statement = connection.prepare_cached(&sql)?;
    let mut rows = statement.query(values.as_slice())?;
    let (mut events, mut bytes) = (Vec::new(), 0);
    while bytes < limit.bytes
        && let Some(row) = rows.next()?
    {
        let event = event::read(row)?;
        bytes += event.body.len();
        events.push(event);
    }
    Ok(events)
}
