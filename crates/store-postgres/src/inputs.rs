//! Requests for a person's input.

use accord_domain::id::InputId;
use accord_domain::input_request::{InputRequest, Status};
use accord_domain::run::Status as RunStatus;
use accord_domain::run::change::{self, End};
use accord_domain::step::Step as RunStep;
use accord_store::{CloseInput, ClosedInput, InputFilter, InputStore, Page, PageRequest, StoreError};
use async_trait::async_trait;
use jiff::Timestamp;
use sqlx::postgres::PgRow;
use sqlx::{PgConnection, Row};

use crate::convert::{from_json, json, micros, whole};
use crate::error::{DbError, retrying};
use crate::list::List;
use crate::load::{self, Step};
use crate::page;
use crate::runs::steps;
use crate::store::PostgresStore;
use crate::write::{self, Beside};

/// The columns that [`read`] reads, of [`source`].
macro_rules! columns {
    () => {
        "i.document, r.status AS run_status, r.attempt AS run_attempt"
    };
}

macro_rules! source {
    () => {
        "inputs i JOIN runs r ON r.id = i.run_id"
    };
}

const ONE: &str = concat!("SELECT ", columns!(), " FROM ", source!(), " WHERE i.id = $1");

const DUE: &str = concat!(
    "SELECT ",
    columns!(),
    " FROM ",
    source!(),
    " WHERE i.status = 'open' AND i.expires_at <= $1 AND r.status = 'input_required' AND r.attempt = i.delivery \
     ORDER BY i.expires_at LIMIT $2"
);

/// Whether a run waits for a request, as a status: one whose run does not is withdrawn.
const STATUS: &str = " AND CASE WHEN i.status <> 'open' THEN i.status \
                      WHEN r.status = 'input_required' AND r.attempt = i.delivery THEN 'open' \
                      ELSE 'withdrawn' END = ";

/// The sessions below those that a recursive query begins with.
const BELOW: &str = " COLLATE \"C\" UNION \
                     SELECT s.id FROM below JOIN sessions s ON s.parent_session_id = below.id) SELECT id FROM below)";

/// The sessions that work for a workflow run, or for one that it started.
const OF_FLOWS: &str = " COLLATE \"C\" UNION SELECT h.child_id FROM flows JOIN workflow_hands h ON h.workflow_run_id = flows.id \
                        WHERE h.child_id IS NOT NULL), \
                        below (id) AS (SELECT q.session_id FROM flows \
                        JOIN workflow_hands h ON h.workflow_run_id = flows.id JOIN runs q ON q.id = h.run_id";

#[async_trait]
impl InputStore for PostgresStore {
    async fn input(&self, input_id: &InputId) -> Result<InputRequest, StoreError> {
        retrying(|| self.read_input(input_id)).await
    }

    async fn inputs(
        &self,
        filter: &InputFilter,
        page: &PageRequest,
    ) -> Result<Page<InputRequest>, StoreError> {
        retrying(|| self.list_inputs(filter, page)).await
    }

    async fn close_input(&self, close: CloseInput) -> Result<ClosedInput, StoreError> {
        let close = CloseInput { now: whole(close.now), ..close };
        retrying(|| self.close(&close)).await
    }

    async fn due_inputs(&self, now: Timestamp, limit: u32) -> Result<Vec<InputRequest>, StoreError> {
        retrying(|| self.read_due_inputs(now, limit)).await
    }

    async fn set_input_link(&self, input_id: &InputId, hash: &str) -> Result<(), StoreError> {
        retrying(|| self.write_link(input_id, hash)).await
    }

    async fn input_link(&self, input_id: &InputId) -> Result<Option<String>, StoreError> {
        retrying(|| self.read_link(input_id)).await
    }
}

fn absent(id: &InputId) -> StoreError {
    StoreError::NoSuch { kind: "input", name: id.to_string() }
}

impl PostgresStore {
    async fn read_input(&self, id: &InputId) -> Result<InputRequest, DbError> {
        let row = sqlx::query(ONE).bind(id.as_str()).fetch_optional(&self.pool).await?;
        read(&row.ok_or_else(|| absent(id))?)
    }

    async fn list_inputs(
        &self,
        filter: &InputFilter,
        page: &PageRequest,
    ) -> Result<Page<InputRequest>, DbError> {
        let list = List { columns: columns!(), source: source!(), alias: "i", searched: "''", search: None };
        let narrow = |query: &mut sqlx::QueryBuilder<sqlx::Postgres>| {
            if let Some(status) = filter.status {
                query.push(STATUS).push_bind(status.as_str());
            }
            if let Some(run_id) = &filter.run_id {
                query.push(" AND r.id = ").push_bind(run_id.as_str().to_owned());
            }
            if let Some(session_id) = &filter.session_id {
                query.push(" AND r.session_id = ").push_bind(session_id.as_str().to_owned());
            }
            if let Some(root) = &filter.root_session_id {
                query.push(" AND r.session_id IN (WITH RECURSIVE below (id) AS (SELECT ");
                query.push_bind(root.as_str().to_owned()).push("::text").push(BELOW);
            }
            if let Some(workflow) = &filter.workflow_run_id {
                query.push(" AND r.session_id IN (WITH RECURSIVE flows (id) AS (SELECT ");
                query.push_bind(workflow.as_str().to_owned()).push("::text").push(OF_FLOWS).push(BELOW);
            }
        };
        let cursor = |request: &InputRequest| page::cursor(request.created_at, request.id.as_str());
        list.page(&self.pool, page, narrow, read, cursor).await
    }

    async fn read_due_inputs(&self, now: Timestamp, limit: u32) -> Result<Vec<InputRequest>, DbError> {
        let query = sqlx::query(DUE).bind(micros(now)).bind(i64::from(limit));
        query.fetch_all(&self.pool).await?.iter().map(read).collect()
    }

    async fn write_link(&self, id: &InputId, hash: &str) -> Result<(), DbError> {
        let query = sqlx::query("UPDATE inputs SET link = $2 WHERE id = $1").bind(id.as_str()).bind(hash);
        match query.execute(&self.pool).await?.rows_affected() {
            0 => Err(absent(id).into()),
            _ => Ok(()),
        }
    }

    async fn read_link(&self, id: &InputId) -> Result<Option<String>, DbError> {
        let query = sqlx::query("SELECT link FROM inputs WHERE id = $1").bind(id.as_str());
        Ok(query.fetch_optional(&self.pool).await?.ok_or_else(|| absent(id))?.try_get("link")?)
    }

    async fn close(&self, close: &CloseInput) -> Result<ClosedInput, DbError> {
        let mut transaction = self.begin().await?;
        match close_input(&mut transaction, close).await {
            Ok((request, step)) => {
                let run = self.conclude_one(transaction, Ok(step)).await?;
                Ok(ClosedInput { request, run })
            }
            Err(error) => {
                transaction.rollback().await.ok();
                Err(error)
            }
        }
    }
}

/// Writes new requests.
pub(crate) async fn insert<'a>(
    connection: &mut PgConnection,
    requests: impl IntoIterator<Item = &'a InputRequest>,
) -> Result<(), DbError> {
    let sql = "INSERT INTO inputs (id, run_id, delivery, status, created_at, expires_at, document) \
               VALUES ($1, $2, $3, $4, $5, $6, $7)";
    for request in requests {
        let request = InputRequest {
            created_at: whole(request.created_at),
            expires_at: whole(request.expires_at),
            ..request.clone()
        };
        sqlx::query(sql)
            .bind(request.id.as_str())
            .bind(request.run_id.as_str())
            .bind(i64::from(request.delivery))
            .bind(request.status.as_str())
            .bind(micros(request.created_at))
            .bind(micros(request.expires_at))
            .bind(json(&request)?)
            .execute(&mut *connection)
            .await?;
    }
    Ok(())
}

fn read(row: &PgRow) -> Result<InputRequest, DbError> {
    let request: InputRequest = from_json(row.try_get("document")?)?;
    let is_waiting = row.try_get::<&str, _>("run_status")? == RunStatus::InputRequired.as_str()
        && row.try_get::<i64, _>("run_attempt")? == i64::from(request.delivery);
    let status = match request.status {
        Status::Open if !is_waiting => Status::Withdrawn,
        status => status,
    };
    Ok(InputRequest { status, ..request })
}

/// Closes a request once: its run is locked first.
async fn close_input(
    connection: &mut PgConnection,
    close: &CloseInput,
) -> Result<(InputRequest, Step), DbError> {
    let id = &close.input_id;
    let found = sqlx::query("SELECT run_id FROM inputs WHERE id = $1").bind(id.as_str());
    let row = found.fetch_optional(&mut *connection).await?.ok_or_else(|| absent(id))?;
    let pair = load::pair(connection, &crate::convert::id(row.try_get("run_id")?)?).await?;
    let row = sqlx::query(ONE).bind(id.as_str()).fetch_optional(&mut *connection).await?;
    let request = read(&row.ok_or_else(|| absent(id))?)?;
    if request.status != Status::Open {
        return Err(StoreError::InputClosed { id: id.clone(), status: request.status }.into());
    }
    let closed = request.closed(close.resolution.clone(), close.now);
    sqlx::query("UPDATE inputs SET status = $2, document = $3 WHERE id = $1")
        .bind(id.as_str())
        .bind(closed.status.as_str())
        .bind(json(&closed)?)
        .execute(&mut *connection)
        .await?;
    let together = of_delivery(connection, &closed).await?;
    let is_last = together.iter().all(|request| request.status != Status::Open);
    let decide =
        |run, session| change::close_input(run, session, &closed, is_last, close.end.clone(), close.now);
    let step = pair.decide(decide)?;
    if close.end.is_none() && is_last {
        let next = steps::next_number(connection, &closed.run_id).await?;
        let told = (next..).zip(&together).map(|(number, request)| {
            (&closed.run_id, RunStep { number, delivery: 0, at: close.now, body: request.step() })
        });
        steps::insert(connection, &told.collect::<Vec<_>>()).await?;
    }
    let outcomes = match &close.end {
        Some(End::Completed(made)) => vec![(&step.change.run.id, made)],
        _ => Vec::new(),
    };
    write::all(connection, Beside { outcomes, ..Beside::default() }, std::slice::from_ref(&step)).await?;
    Ok((closed, step))
}

/// The requests that the same delivery of a run has made, in order.
async fn of_delivery(
    connection: &mut PgConnection,
    closed: &InputRequest,
) -> Result<Vec<InputRequest>, DbError> {
    let sql = "SELECT document FROM inputs WHERE run_id = $1 AND delivery = $2 ORDER BY created_at, id COLLATE \"C\"";
    let query = sqlx::query(sql).bind(closed.run_id.as_str()).bind(i64::from(closed.delivery));
    let rows = query.fetch_all(connection).await?;
    rows.iter().map(|row| Ok(from_json(row.try_get("document")?)?)).collect()
}
