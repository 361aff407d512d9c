//! Requests for a person's input.

use accord_domain::id::{InputId, RunId};
use accord_domain::input_request::{InputRequest, Status};
use accord_domain::run::{Status as RunStatus, change};
use accord_domain::step::Step;
use accord_store::{CloseInput, ClosedInput, InputFilter, InputStore, Page, PageRequest, StoreError};
use async_trait::async_trait;
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::change::{ChangedRows, apply};
use crate::error::DbResult;
use crate::page::{self, List, bound};
use crate::rows::{outcome, run, step};
use crate::store::SqliteStore;
use crate::value::{from_json, json, micros, text};
use crate::writer::Write;

/// The columns that [`read`] reads, of [`SOURCE`].
const COLUMNS: &str = "i.document, r.status AS run_status, r.attempt AS run_attempt";
const SOURCE: &str = "inputs i JOIN runs r ON r.seq = i.run";

/// Whether a run waits for a request, as a status: one whose run does not is withdrawn.
const STATUS: &str = "CASE WHEN i.status <> 'open' THEN i.status \
                      WHEN r.status = 'input_required' AND r.attempt = i.delivery THEN 'open' \
                      ELSE 'withdrawn' END =";

#[async_trait]
impl InputStore for SqliteStore {
    async fn input(&self, input_id: &InputId) -> Result<InputRequest, StoreError> {
        let id = input_id.clone();
        self.read_by_key(move |connection| find(connection, &id)).await
    }

    async fn inputs(
        &self,
        filter: &InputFilter,
        page: &PageRequest,
    ) -> Result<Page<InputRequest>, StoreError> {
        let (filter, page) = (filter.clone(), page.clone());
        self.read(move |connection| list(connection, &filter, &page)).await
    }

    async fn close_input(&self, close: CloseInput) -> Result<ClosedInput, StoreError> {
        self.write_decided(move |write| close_input(write, close)).await
    }

    async fn due_inputs(&self, now: Timestamp, limit: u32) -> Result<Vec<InputRequest>, StoreError> {
        self.read(move |connection| {
            let sql = format!(
                "SELECT {COLUMNS} FROM {SOURCE} WHERE i.status = 'open' AND i.expires_at <= ?1 \
                 AND r.status = 'input_required' AND r.attempt = i.delivery ORDER BY i.expires_at LIMIT ?2"
            );
            let mut statement = connection.prepare_cached(&sql)?;
            let mut rows = statement.query(params![micros(now), limit])?;
            let mut due = Vec::new();
            while let Some(row) = rows.next()? {
                due.push(read(row)?);
            }
            Ok(due)
        })
        .await
    }

    async fn set_input_link(&self, input_id: &InputId, hash: &str) -> Result<(), StoreError> {
        let (id, hash) = (input_id.clone(), hash.to_owned());
        self.write(move |write| {
            let mut statement =
                write.connection().prepare_cached("UPDATE inputs SET link = ?2 WHERE id = ?1")?;
            if statement.execute([id.as_str(), &hash])? == 0 { Err(absent(&id).into()) } else { Ok(()) }
        })
        .await
    }

    async fn input_link(&self, input_id: &InputId) -> Result<Option<String>, StoreError> {
        let id = input_id.clone();
        self.read_by_key(move |connection| {
            let mut statement = connection.prepare_cached("SELECT link FROM inputs WHERE id = ?1")?;
            let found = statement.query_row([id.as_str()], |row| row.get(0)).optional()?;
            Ok(found.ok_or_else(|| absent(&id))?)
        })
        .await
    }
}

fn absent(id: &InputId) -> StoreError {
    StoreError::NoSuch { kind: "input", name: id.to_string() }
}

/// Writes new requests of a run.
pub(crate) fn insert<'a>(
    connection: &Connection,
    run: i64,
    requests: impl IntoIterator<Item = &'a InputRequest>,
) -> DbResult<()> {
    let sql = "INSERT INTO inputs (id, run, delivery, status, created_at, expires_at, document) \
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
    for request in requests {
        connection.prepare_cached(sql)?.execute(params![
            request.id.as_str(),
            run,
            request.delivery,
            request.status.as_str(),
            micros(request.created_at),
            micros(request.expires_at),
            json(request)?,
        ])?;
    }
    Ok(())
}

fn read(row: &Row<'_>) -> DbResult<InputRequest> {
    let request: InputRequest = from_json(text(row, "document")?)?;
    let is_waiting = text(row, "run_status")? == RunStatus::InputRequired.as_str()
        && row.get::<_, u32>("run_attempt")? == request.delivery;
    let status = match request.status {
        Status::Open if !is_waiting => Status::Withdrawn,
        status => status,
    };
    Ok(InputRequest { status, ..request })
}

fn find(connection: &Connection, id: &InputId) -> DbResult<InputRequest> {
    let sql = format!("SELECT {COLUMNS} FROM {SOURCE} WHERE i.id = ?1");
    let mut statement = connection.prepare_cached(&sql)?;
    let mut rows = statement.query([id.as_str()])?;
    rows.next()?.map(read).transpose()?.ok_or_else(|| absent(id).into())
}

fn list(connection: &Connection, filter: &InputFilter, page: &PageRequest) -> DbResult<Page<InputRequest>> {
    let status = filter.status.map(Status::as_str);
    let run_id = filter.run_id.as_ref().map(RunId::as_str);
    let session_id = filter.session_id.as_ref().map(|id| id.as_str());
    let root = filter.root_session_id.as_ref().map(|id| id.as_str());
    let workflow = filter.workflow_run_id.as_ref().map(|id| id.as_str());
    let conditions = [
        (STATUS, bound(&status)),
        ("r.id =", bound(&run_id)),
        (SESSION, bound(&session_id)),
        (BELOW_SESSION, bound(&root)),
        (BELOW_WORKFLOW, bound(&workflow)),
    ];
    let list = List {
        columns: COLUMNS,
        source: SOURCE,
        alias: "i",
        conditions: &conditions,
        searched: "''",
        search: None,
    };
    page::newest_first(connection, &list, page, read)
}

/// The session of a run, by its id.
const SESSION: &str = "(SELECT s.id FROM sessions s WHERE s.seq = r.session) =";

/// Whether the session of a run is this one or below it.
const BELOW_SESSION: &str = "r.session IN (WITH RECURSIVE below (id) AS ( \
     SELECT ? UNION \
     SELECT s.id FROM below JOIN sessions s ON s.parent_session_id = below.id) \
     SELECT s.seq FROM below JOIN sessions s ON s.id = below.id)";

/// Whether the session of a run, or one above it, works for this workflow run or for one that it started.
const BELOW_WORKFLOW: &str = "r.session IN (WITH RECURSIVE flows (id) AS ( \
     SELECT ? UNION \
     SELECT h.child_id FROM flows JOIN workflow_runs w ON w.id = flows.id \
     JOIN workflow_hands h ON h.workflow_run = w.seq WHERE h.child_id IS NOT NULL), \
     below (id) AS ( \
     SELECT s.id FROM flows JOIN workflow_runs w ON w.id = flows.id \
     JOIN workflow_hands h ON h.workflow_run = w.seq JOIN runs q ON q.id = h.run_id JOIN sessions s ON s.seq = q.session \
     UNION SELECT s.id FROM below JOIN sessions s ON s.parent_session_id = below.id) \
     SELECT s.seq FROM below JOIN sessions s ON s.id = below.id)";

fn close_input(write: &mut Write<'_>, close: CloseInput) -> DbResult<ClosedInput> {
    let CloseInput { input_id, resolution, end, now } = close;
    let connection = write.connection();
    let request = find(connection, &input_id)?;
    if request.status != Status::Open {
        return Err(StoreError::InputClosed { id: input_id, status: request.status }.into());
    }
    let loaded = run::load(connection, &request.run_id)?;
    let changed_rows = ChangedRows::of(&loaded);
    let closed = request.closed(resolution, now);
    let sql = "UPDATE inputs SET status = ?2, document = ?3 WHERE id = ?1";
    connection.prepare_cached(sql)?.execute(params![
        closed.id.as_str(),
        closed.status.as_str(),
        json(&closed)?
    ])?;
    let together = of_delivery(connection, changed_rows.run, closed.delivery)?;
    let is_last = together.iter().all(|request| request.status != Status::Open);
    if end.is_none() && is_last {
        let next = step::next_number(connection, changed_rows.run)?;
        for (number, request) in (next..).zip(&together) {
            let told = Step { number, delivery: 0, at: now, body: request.step() };
            step::insert(connection, changed_rows.run, &step::Prepared::new(&told)?)?;
        }
    }
    if let Some(change::End::Completed(made)) = &end {
        outcome::insert(connection, changed_rows.run, made)?;
    }
    let change = change::close_input(loaded.run, loaded.session, &closed, is_last, end, now)?;
    let run = apply(write, &changed_rows, change)?;
    Ok(ClosedInput { request: closed, run })
}

/// The requests that one delivery of a run has made, in order.
fn of_delivery(connection: &Connection, run: i64, delivery: u32) -> DbResult<Vec<InputRequest>> {
    let sql = "SELECT document FROM inputs WHERE run = ?1 AND delivery = ?2 ORDER BY seq";
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(params![run, delivery])?;
    let mut requests = Vec::new();
    while let Some(row) = rows.next()? {
        requests.push(from_json(text(row, "document")?)?);
    }
    Ok(requests)
}
