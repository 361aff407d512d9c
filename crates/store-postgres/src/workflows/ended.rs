//! Workflow runs that are ended without a step, and retries of them.

use accord_domain::id::WorkflowRunId;
use accord_domain::quarantine::Kind;
use accord_domain::workflow::WorkflowRun;
use accord_store::{Idempotency, StoreError, TaskRun, WorkflowRequest};
use jiff::Timestamp;
use sqlx::{PgConnection, Row};

use super::rows::{locked, run};
use crate::convert::{count, id, json, micros};
use crate::error::DbError;
use crate::event_rows::WorkflowEvent;
use crate::idempotency;
use crate::notices::Announcement;
use crate::quarantine::clear;
use crate::store::{PostgresStore, conclude};
use crate::write::all_events;

const PUT: &str = "
UPDATE workflow_runs SET status = $2, version = $3, updated_at = $4, finished_at = $5, failure = $6 WHERE id = $1";

const POISONED: &str = "
SELECT w.* FROM workflow_runs w WHERE w.failure IS NOT NULL AND w.status = 'failed'
ORDER BY w.created_at DESC, w.id DESC LIMIT $1";

const HANDS: &str = "SELECT run_id, child_id FROM workflow_hands WHERE workflow_run_id = $1 ORDER BY number";

impl PostgresStore {
    pub(crate) async fn retry_ended(
        &self,
        id: &WorkflowRunId,
        promise: Option<&Idempotency>,
        now: Timestamp,
    ) -> Result<WorkflowRun, DbError> {
        let mut transaction = self.begin().await?;
        let retried = retry(&mut transaction, id, promise, now).await;
        let run = conclude(transaction, retried).await?;
        self.hub.announce(Announcement::of_workflows(false, false, vec![id.clone()]));
        Ok(run)
    }

    /// Stops it at once, and releases its task runs.
    pub(crate) async fn stop_at_once(
        &self,
        id: &WorkflowRunId,
        now: Timestamp,
    ) -> Result<WorkflowRun, DbError> {
        let mut transaction = self.begin().await?;
        let stopped = stop(&mut transaction, id, now).await;
        let run = conclude(transaction, stopped).await?;
        self.hub.announce(Announcement::of_workflows(false, true, vec![id.clone()]));
        Ok(run)
    }

    pub(crate) async fn read_task_runs(&self, workflow_run: &WorkflowRunId) -> Result<Vec<TaskRun>, DbError> {
        let rows = sqlx::query(HANDS).bind(workflow_run.as_str()).fetch_all(&self.pool).await?;
        let mut task_runs = Vec::with_capacity(rows.len());
        for row in &rows {
            let (run, child): (Option<&str>, Option<&str>) =
                (row.try_get("run_id")?, row.try_get("child_id")?);
            if let Some(run) = run {
                task_runs.push(TaskRun::Run(id(run)?));
            }
            if let Some(child) = child {
                task_runs.push(TaskRun::Workflow(id(child)?));
            }
        }
        Ok(task_runs)
    }

    pub(crate) async fn read_poisoned_workflow_runs(&self, limit: u32) -> Result<Vec<WorkflowRun>, DbError> {
        let rows = sqlx::query(POISONED).bind(i64::from(limit)).fetch_all(&self.pool).await?;
        rows.iter().map(|row| Ok(run(row)?.0)).collect()
    }
}

/// Marks it as poisoned. Its request and its task runs stay, for a retry. False: it had finished, or is gone.
pub(crate) async fn poison(
    connection: &mut PgConnection,
    id: &WorkflowRunId,
    now: Timestamp,
) -> Result<bool, DbError> {
    let (run, _) = locked(connection, id).await?;
    let poisoned = run.poisoned(now);
    if let Some(run) = &poisoned {
        end(connection, run).await?;
    }
    Ok(poisoned.is_some())
}

async fn retry(
    connection: &mut PgConnection,
    id: &WorkflowRunId,
    promise: Option<&Idempotency>,
    now: Timestamp,
) -> Result<WorkflowRun, DbError> {
    let (run, _) = locked(connection, id).await?;
    if idempotency::take(connection, promise, now).await?.is_some() {
        return Ok(run);
    }
    let Some(retried) = run.retried(now) else {
        return Err(StoreError::NotRetryable { id: run.id, status: run.status }.into());
    };
    put(connection, &retried).await?;
    if !run.is_poisoned() {
        sqlx::query("UPDATE workflow_runs SET asked = $2 WHERE id = $1")
            .bind(id.as_str())
            .bind(WorkflowRequest::Resume.as_str())
            .execute(&mut *connection)
            .await?;
    }
    Ok(retried)
}

async fn stop(
    connection: &mut PgConnection,
    id: &WorkflowRunId,
    now: Timestamp,
) -> Result<WorkflowRun, DbError> {
    let (run, _) = locked(connection, id).await?;
    let Some(stopped) = run.stopped_at_once(now) else { return Ok(run) };
    end(connection, &stopped).await?;
    sqlx::query("DELETE FROM workflow_hands WHERE workflow_run_id = $1")
        .bind(id.as_str())
        .execute(&mut *connection)
        .await?;
    clear(connection, Kind::WorkflowStep, id.as_str()).await?;
    Ok(stopped)
}

async fn end(connection: &mut PgConnection, run: &WorkflowRun) -> Result<(), DbError> {
    put(connection, run).await?;
    let body = run.end_event();
    let event = WorkflowEvent { at: run.updated_at, workflow_run_id: &run.id, body: &body };
    all_events(connection, &[], &[event]).await
}

async fn put(connection: &mut PgConnection, run: &WorkflowRun) -> Result<(), DbError> {
    sqlx::query(PUT)
        .bind(run.id.as_str())
        .bind(run.status.as_str())
        .bind(count(run.version))
        .bind(micros(run.updated_at))
        .bind(run.finished_at.map(micros))
        .bind(run.failure.as_ref().map(json).transpose()?)
        .execute(connection)
        .await?;
    Ok(())
}
