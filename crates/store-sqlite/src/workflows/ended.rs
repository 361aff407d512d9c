//! Workflow runs that are ended without a step, and retries of them.

use accord_domain::id::{RunId, WorkflowRunId};
use accord_domain::workflow::WorkflowRun;
use accord_store::{Idempotency, Notice, StoreError, TaskRun, WorkflowRequest};
use jiff::Timestamp;
use rusqlite::{Connection, params};

use super::rows::{WorkflowRow, find};
use crate::error::DbResult;
use crate::rows::{event, idempotency};
use crate::value::{count, json, micros};
use crate::writer::Write;

/// Marks it as poisoned. Its request and its task runs stay, for a retry. False: it had finished.
pub(crate) fn poison(write: &mut Write<'_>, id: &WorkflowRunId, now: Timestamp) -> DbResult<bool> {
    let found = find(write.connection(), id)?;
    let poisoned = found.run.poisoned(now);
    if let Some(run) = &poisoned {
        end(write, found.seq, run)?;
    }
    Ok(poisoned.is_some())
}

pub(crate) fn retry(
    write: &mut Write<'_>,
    id: &WorkflowRunId,
    promise: Option<&Idempotency>,
    now: Timestamp,
) -> DbResult<WorkflowRun> {
    let WorkflowRow { seq, run, .. } = find(write.connection(), id)?;
    if idempotency::replay(write.connection(), promise)?.is_some() {
        return Ok(run);
    }
    let Some(retried) = run.retried(now) else {
        return Err(StoreError::NotRetryable { id: run.id, status: run.status }.into());
    };
    put(write.connection(), seq, &retried)?;
    if !run.is_poisoned() {
        let sql = "UPDATE workflow_runs SET asked = ?2 WHERE seq = ?1";
        let asked = WorkflowRequest::Resume.as_str();
        write.connection().prepare_cached(sql)?.execute(params![seq, asked])?;
    }
    idempotency::keep(write.connection(), promise, now)?;
    write.notify(Notice::WorkflowChanged { workflow_run_id: retried.id.clone() });
    Ok(retried)
}

/// Stops it at once, and releases its task runs.
pub(crate) fn stop_at_once(
    write: &mut Write<'_>,
    id: &WorkflowRunId,
    now: Timestamp,
) -> DbResult<WorkflowRun> {
    let WorkflowRow { seq, run, .. } = find(write.connection(), id)?;
    let Some(stopped) = run.stopped_at_once(now) else { return Ok(run) };
    end(write, seq, &stopped)?;
    let sql = "DELETE FROM workflow_hands WHERE workflow_run = ?1";
    write.connection().prepare_cached(sql)?.execute([seq])?;
    Ok(stopped)
}

fn end(write: &mut Write<'_>, seq: i64, run: &WorkflowRun) -> DbResult<()> {
    put(write.connection(), seq, run)?;
    let told = event::Prepared::new(&run.end_event())?;
    event::insert_of_workflow(write.connection(), micros(run.updated_at), seq, &told)?;
    write.notify(Notice::WorkflowEvents { workflow_run_id: run.id.clone() });
    write.notify(Notice::WorkflowChanged { workflow_run_id: run.id.clone() });
    Ok(())
}

fn put(connection: &Connection, seq: i64, run: &WorkflowRun) -> DbResult<()> {
    let sql = "UPDATE workflow_runs SET status = ?2, version = ?3, updated_at = ?4, finished_at = ?5, failure = ?6 \
               WHERE seq = ?1";
    connection.prepare_cached(sql)?.execute(params![
        seq,
        run.status.as_str(),
        count(run.version),
        micros(run.updated_at),
        run.finished_at.map(micros),
        run.failure.as_ref().map(json).transpose()?,
    ])?;
    Ok(())
}

/// Its task runs, finished or not.
pub(crate) fn task_runs(connection: &Connection, id: &WorkflowRunId) -> DbResult<Vec<TaskRun>> {
    let sql = "SELECT h.run_id, h.child_id FROM workflow_hands h JOIN workflow_runs w ON w.seq = h.workflow_run \
               WHERE w.id = ?1 ORDER BY h.seq";
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query([id.as_str()])?;
    let mut task_runs = Vec::new();
    while let Some(row) = rows.next()? {
        let (run, child): (Option<String>, Option<String>) = (row.get(0)?, row.get(1)?);
        if let Some(run) = run {
            task_runs.push(TaskRun::Run(RunId::try_from(run)?));
        }
        if let Some(child) = child {
            task_runs.push(TaskRun::Workflow(WorkflowRunId::try_from(child)?));
        }
    }
    Ok(task_runs)
}

/// Those that coordinators died of, newest first.
pub(crate) fn poisoned(connection: &Connection, limit: u32) -> DbResult<Vec<WorkflowRun>> {
    let sql = concat!(
        "SELECT ",
        super::rows::columns!(),
        " FROM workflow_runs w WHERE w.failure IS NOT NULL AND w.status = 'failed' ORDER BY w.created_at DESC LIMIT ?1"
    );
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query([limit])?;
    let mut runs = Vec::new();
    while let Some(row) = rows.next()? {
        runs.push(super::rows::read(row)?.run);
    }
    Ok(runs)
}
