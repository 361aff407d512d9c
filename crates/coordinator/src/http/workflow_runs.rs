//! `/workflow-runs`.

use std::sync::Arc;

use accord_api::{
    ErrorBody, Page, QuarantineView, WaitQuery, WorkflowRunQuery, WorkflowRunSummary, WorkflowRunView,
};
use accord_domain::id::WorkflowRunId;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::{Extension, Json};

use super::answers::{Written, written};
use super::extract::{Id, Query};
use super::incoming::Received;
use super::route::{Route, Scope, route};
use super::{auth, conditions};
use crate::app::{App, Caller, LONGEST_WAIT_SECONDS, check_wait};
use crate::error::Error;
use crate::outstanding::Holder;

pub(super) fn routes() -> Vec<Route> {
    vec![
        route!(list, Read),
        route!(one, Read).for_runs(Scope::WorkflowRun),
        route!(remove, Administer).audited("workflow_run.deleted"),
        route!(stop, Call).for_runs(Scope::WorkflowRun).audited("workflow_run.stopped"),
        route!(retry, Call).audited("workflow_run.retried"),
        route!(quarantine, Read),
    ]
}

/// Lists workflow runs, newest first, without their nodes.
#[utoipa::path(
    get,
    path = "/workflow-runs",
    operation_id = "listWorkflowRuns",
    tag = "workflow_runs",
    params(WorkflowRunQuery),
    responses(
        (status = 200, description = "A page of workflow runs", body = Page<WorkflowRunSummary>),
    )
)]
pub(super) async fn list(
    State(app): State<Arc<App>>,
    Query(query): Query<WorkflowRunQuery>,
) -> Result<Json<Page<WorkflowRunSummary>>, Error> {
    app.workflow_runs.list(query).await.map(Json)
}

/// Returns a workflow run: status, inputs and output of each node, and contradictions between upstream outputs.
///
/// With `wait`, the response is sent when it has finished or the time has passed.
#[utoipa::path(
    get,
    path = "/workflow-runs/{id}",
    operation_id = "getWorkflowRun",
    tag = "workflow_runs",
    params(WaitQuery, ("id" = WorkflowRunId, Path, description = "The workflow run")),
    responses(
        (status = 200, description = "The workflow run", body = WorkflowRunView),
        (status = 404, description = "WorkflowRunNotFound", body = ErrorBody),
    )
)]
pub(super) async fn one(
    State(app): State<Arc<App>>,
    Id(id): Id<WorkflowRunId>,
    Extension(caller): Extension<Caller>,
    Extension(holder): Extension<Holder>,
    Query(query): Query<WaitQuery>,
) -> Result<Written, Error> {
    let wait = query.wait.unwrap_or_default();
    check_wait("wait", wait, LONGEST_WAIT_SECONDS)?;
    written(auth::while_admitted(&app, &caller, app.workflow_runs.wait(&holder, &id, wait)).await?).await
}

/// Deletes a finished workflow run with its nodes and events. The sessions of its agents are kept.
#[utoipa::path(
    delete,
    path = "/workflow-runs/{id}",
    operation_id = "deleteWorkflowRun",
    tag = "workflow_runs",
    params(("id" = WorkflowRunId, Path, description = "The workflow run")),
    responses(
        (status = 204, description = "Deleted"),
        (status = 404, description = "WorkflowRunNotFound", body = ErrorBody),
        (status = 409, description = "WorkflowRunBusy", body = ErrorBody),
    )
)]
pub(super) async fn remove(
    State(app): State<Arc<App>>,
    Id(id): Id<WorkflowRunId>,
) -> Result<StatusCode, Error> {
    app.workflow_runs.remove(&id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Stops a workflow run: nothing more is started, and running nodes are stopped. Can be repeated.
#[utoipa::path(
    post,
    path = "/workflow-runs/{id}/stop",
    operation_id = "stopWorkflowRun",
    tag = "workflow_runs",
    params(("id" = WorkflowRunId, Path, description = "The workflow run")),
    responses(
        (status = 200, description = "The current state of the workflow run", body = WorkflowRunView),
        (status = 404, description = "WorkflowRunNotFound", body = ErrorBody),
    )
)]
pub(super) async fn stop(
    State(app): State<Arc<App>>,
    Id(id): Id<WorkflowRunId>,
) -> Result<Json<WorkflowRunView>, Error> {
    app.workflow_runs.stop(&id).await.map(Json)
}

/// Continues a workflow run that failed or was stopped.
///
/// Finished nodes keep their outputs. The failed or stopped nodes, and those that depend on them, run again, in the same workflow run.
#[utoipa::path(
    post,
    path = "/workflow-runs/{id}/retry",
    operation_id = "retryWorkflowRun",
    tag = "workflow_runs",
    params(
        ("id" = WorkflowRunId, Path, description = "The workflow run"),
        ("Idempotency-Key" = Option<String>, Header, description = "Idempotency key: repeating the request continues the workflow run only once"),
    ),
    responses(
        (status = 200, description = "The continued workflow run", body = WorkflowRunSummary),
        (status = 404, description = "WorkflowRunNotFound", body = ErrorBody),
        (status = 409, description = "NotRetryable, IdempotencyConflict", body = ErrorBody),
    )
)]
pub(super) async fn retry(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Id(id): Id<WorkflowRunId>,
    headers: HeaderMap,
) -> Result<Json<WorkflowRunSummary>, Error> {
    let route = format!("POST /workflow-runs/{id}/retry");
    let promise = conditions::promise(&headers, &caller, &route, None::<&Received>).await?;
    app.workflow_runs.retry(&id, promise).await.map(Json)
}

/// Lists quarantined work: runs and workflow runs that failed with `poisoned`.
#[utoipa::path(
    get,
    path = "/quarantine",
    operation_id = "listQuarantine",
    tag = "quarantine",
    responses((status = 200, description = "The quarantined work", body = QuarantineView))
)]
pub(super) async fn quarantine(State(app): State<Arc<App>>) -> Result<Json<QuarantineView>, Error> {
    app.workflow_runs.quarantined().await.map(Json)
}
