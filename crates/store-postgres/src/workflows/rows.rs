//! Rows as workflow runs, and workflow runs as rows.

use accord_domain::id::WorkflowRunId;
use accord_domain::workflow::WorkflowRun;
use accord_store::{NewWorkflowRun, StoreError, WorkflowRequest};
use sqlx::postgres::PgRow;
use sqlx::{PgConnection, Row};

use crate::convert::{count, counted, from_json, id, json, micros, named, time};
use crate::error::DbError;
use crate::runs::documents;
use crate::text::{escape, unescape};

/// A workflow run and its pending request.
pub(super) fn run(row: &PgRow) -> Result<(WorkflowRun, Option<WorkflowRequest>), DbError> {
    let parent: Option<&str> = row.try_get("parent")?;
    let asked: Option<&str> = row.try_get("asked")?;
    let requested_by: Option<&str> = row.try_get("requested_by")?;
    let run = WorkflowRun {
        id: id(row.try_get("id")?)?,
        workflow_name: unescape(row.try_get("workflow_name")?),
        status: named(row.try_get("status")?)?,
        version: counted(row.try_get("version")?)?,
        parent: parent.map(id).transpose()?,
        depth: counted(row.try_get("depth")?)?,
        requested_by: requested_by.map(from_json).transpose()?,
        created_at: time(row.try_get("created_at")?)?,
        updated_at: time(row.try_get("updated_at")?)?,
        finished_at: row.try_get::<Option<i64>, _>("finished_at")?.map(time).transpose()?,
        failure: row.try_get::<Option<&str>, _>("failure")?.map(from_json).transpose()?,
    };
    Ok((run, asked.map(asked_by_name).transpose()?))
}

fn asked_by_name(name: &str) -> Result<WorkflowRequest, StoreError> {
    WorkflowRequest::named(name)
        .ok_or_else(|| StoreError::Corrupt(format!("unknown request {name:?} to a workflow run")))
}

/// One workflow run, locked until the transaction ends.
pub(super) async fn locked(
    connection: &mut PgConnection,
    id: &WorkflowRunId,
) -> Result<(WorkflowRun, Option<WorkflowRequest>), DbError> {
    let query = sqlx::query("SELECT * FROM workflow_runs WHERE id = $1 FOR UPDATE").bind(id.as_str());
    run(&query.fetch_optional(connection).await?.ok_or_else(|| absent(id))?)
}

pub(super) fn absent(id: &WorkflowRunId) -> StoreError {
    StoreError::NoSuch { kind: "workflow run", name: id.to_string() }
}

/// The definition is shared by all runs of one version of a workflow.
const INSERT: &str = "
WITH document AS (
    INSERT INTO documents (hash, body) VALUES (sha256(convert_to($1, 'UTF8')), $1) ON CONFLICT DO NOTHING
), own AS (
    INSERT INTO workflow_documents (workflow_run_id, definition, head)
    VALUES ($2, sha256(convert_to($1, 'UTF8')), $3)
), input AS (
    INSERT INTO workflow_inputs (workflow_run_id, preview, searched) VALUES ($2, $14, $15)
)
INSERT INTO workflow_runs
    (id, workflow_name, status, version, parent, depth, asked, created_at, updated_at, finished_at, requested_by)
VALUES ($2, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)";

/// Writes a new workflow run, which is asked to begin.
pub(super) async fn insert(connection: &mut PgConnection, new: &NewWorkflowRun) -> Result<(), DbError> {
    let run = &new.run;
    documents::refer(connection).await?;
    let inserted = sqlx::query(INSERT)
        .bind(new.definition.as_str())
        .bind(run.id.as_str())
        .bind(new.head.as_str())
        .bind(escape(&run.workflow_name))
        .bind(run.status.as_str())
        .bind(count(run.version))
        .bind(run.parent.as_ref().map(WorkflowRunId::as_str))
        .bind(i64::from(run.depth))
        .bind(WorkflowRequest::Begin.as_str())
        .bind(micros(run.created_at))
        .bind(micros(run.updated_at))
        .bind(run.finished_at.map(micros))
        .bind(run.requested_by.as_ref().map(json).transpose()?)
        .bind(new.input.preview.as_str())
        .bind(new.input.searched.as_str())
        .execute(connection)
        .await
        .map_err(DbError::from);
    match inserted {
        Err(error) if error.taken().is_some() => {
            Err(StoreError::Exists { kind: "workflow run", name: run.id.to_string() }.into())
        }
        inserted => inserted.map(|_| ()),
    }
}

const UPDATE: &str = "
UPDATE workflow_runs SET status = $2, version = $3, asked = $4, updated_at = $5, finished_at = $6 WHERE id = $1";

/// Writes the mutable columns of a workflow run, and its pending request.
pub(super) async fn update(
    connection: &mut PgConnection,
    run: &WorkflowRun,
    asked: Option<WorkflowRequest>,
) -> Result<(), DbError> {
    sqlx::query(UPDATE)
        .bind(run.id.as_str())
        .bind(run.status.as_str())
        .bind(count(run.version))
        .bind(asked.map(WorkflowRequest::as_str))
        .bind(micros(run.updated_at))
        .bind(run.finished_at.map(micros))
        .execute(connection)
        .await?;
    Ok(())
}
