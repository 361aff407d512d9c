//! `/workflows`.

use std::sync::Arc;

use accord_api::{
    CreateWorkflowRun, CreatedWorkflowRun, ErrorBody, Page, PageQuery, ValidateWorkflowAnswer, WaitQuery,
    WorkflowSummary, WorkflowView,
};
use accord_blueprint::Workflows;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use serde_json::Value;

use super::documents::{definition_handlers, document_handlers};
use super::extract::{JsonBody, Query};
use super::incoming::Takes;
use super::route::{CHANGES_NOTHING, Route, Scope, route};
use super::{auth, body, conditions};
use crate::app::{App, Caller, LONGEST_WAIT_SECONDS, check_wait};
use crate::error::Error;
use crate::outstanding::Holder;

pub(super) fn routes() -> Vec<Route> {
    vec![
        route!(list, Read).for_runs(Scope::Free),
        route!(create, Administer).takes(Takes::DEFINITION).audited_as("workflow.created", "/summary/name"),
        route!(validate, Read).takes(Takes::DEFINITION).not_audited(CHANGES_NOTHING),
        route!(show, Read).for_runs(Scope::Free),
        route!(replace, Administer)
            .takes(Takes::DEFINITION)
            .audited_put("workflow.updated", "workflow.created"),
        route!(remove, Administer).audited("workflow.deleted"),
        route!(run, Call)
            .takes(Takes::DATA)
            .for_runs(Scope::Free)
            .not_audited("the workflow run itself says who asked for it, and when"),
    ]
}

document_handlers! {
    service: blueprints<Workflows>, view: WorkflowView, names: "Workflow" "workflow",
    show: "Returns a workflow.",
    remove: "Deletes a workflow. For a file workflow the file is deleted. Its runs are kept.", conflict: "WorkflowReadOnly",
}

definition_handlers! {
    kind: Workflows, view: WorkflowView, names: "Workflow" "workflow" "graph",
    body: (content = Object, description = "The graph: name, description, nodes, edges"),
    invalid: "InvalidRequest, InvalidWorkflow",
    create: "Creates a workflow in the database.",
    replace: "Replaces a workflow, or creates it. For a file workflow the file is written.",
}

/// Lists all workflows, including invalid ones.
#[utoipa::path(
    get,
    path = "/workflows",
    operation_id = "listWorkflows",
    tag = "workflows",
    params(PageQuery),
    responses(
        (status = 200, description = "The workflows by name, on one page if no limit is set", body = Page<WorkflowSummary>),
    )
)]
pub(super) async fn list(
    State(app): State<Arc<App>>,
    Query(query): Query<PageQuery>,
) -> Result<Json<Page<WorkflowSummary>>, Error> {
    app.blueprints.page::<Workflows>(query.limit, query.cursor.as_deref(), |_| true).await.map(Json)
}

/// Validates a workflow: structure, agents, templates, conditions and contracts. Nothing is stored.
#[utoipa::path(
    post,
    path = "/workflows/validate",
    operation_id = "validateWorkflow",
    tag = "workflows",
    request_body(content = Object, description = "The graph: name, description, nodes, edges"),
    responses(
        (status = 200, description = "The result of the validation", body = ValidateWorkflowAnswer),
    )
)]
pub(super) async fn validate(
    State(app): State<Arc<App>>,
    JsonBody(bytes): JsonBody,
) -> Result<Json<ValidateWorkflowAnswer>, Error> {
    let value: Value = body::read(&bytes).await?;
    Ok(Json(app.blueprints.validate_workflow(value).await?))
}

/// Runs a workflow.
///
/// With `wait`, the response is sent when the run has finished or the time has passed, and includes its nodes.
#[utoipa::path(
    post,
    path = "/workflows/{name}/runs",
    operation_id = "runWorkflow",
    tag = "workflows",
    params(
        WaitQuery,
        ("name" = String, Path, description = "Workflow name"),
        ("Idempotency-Key" = Option<String>, Header, description = "Idempotency key: repeating the request returns the first response"),
    ),
    request_body = CreateWorkflowRun,
    responses(
        (status = 201, description = "The run; with `wait`, a WorkflowRunView", body = CreatedWorkflowRun),
        (status = 400, description = "InvalidRequest, ParameterValidationFailed", body = ErrorBody),
        (status = 404, description = "WorkflowNotFound, SessionNotFound (parent_session_id)", body = ErrorBody),
        (status = 409, description = "WorkflowBroken, IdempotencyConflict", body = ErrorBody),
    )
)]
pub(super) async fn run(
    State(app): State<Arc<App>>,
    Path(name): Path<String>,
    Extension(caller): Extension<Caller>,
    Extension(holder): Extension<Holder>,
    Query(query): Query<WaitQuery>,
    headers: HeaderMap,
    JsonBody(bytes): JsonBody,
) -> Result<Response, Error> {
    let wait = query.wait.unwrap_or_default();
    check_wait("wait", wait, LONGEST_WAIT_SECONDS)?;
    let request: CreateWorkflowRun = match bytes.is_empty() {
        true => CreateWorkflowRun::default(),
        false => body::read(&bytes).await?,
    };
    let route = format!("POST /workflows/{name}/runs");
    let promise = conditions::promise(&headers, &caller, &route, &bytes).await?;
    let created = app.workflow_runs.create(&caller, &name, request, promise).await?;
    if wait == 0 {
        return Ok((StatusCode::CREATED, Json(created)).into_response());
    }
    // Boxed, so that requests which do not wait keep a small future.
    let end = app.workflow_runs.wait(&holder, &created.workflow_run_id, wait);
    Ok(match Box::pin(auth::end_of_created(&app, &caller, end)).await? {
        Some(run) => (StatusCode::CREATED, Json(run)).into_response(),
        None => (StatusCode::CREATED, Json(created)).into_response(),
    })
}

#[cfg(test)]
mod tests {
    use axum::http::Method;
    use serde_json::json;

    use crate::app::agents::fixture::Fixture;

    #[tokio::test]
    async fn a_repeated_request_returns_the_first_workflow() {
        let fixture = Fixture::new(&[]);
        let nodes = json!({"input": {"type": "input"}, "output": {"type": "output", "value": "x"}});
        let edges = json!([{"from": "input", "to": "output"}]);
        let graph = json!({"name": "echo", "nodes": nodes, "edges": edges}).to_string();
        let send = || fixture.send(Method::POST, "/workflows", &[("idempotency-key", "k")], graph.clone());
        let (first, again) = (send().await, send().await);
        assert_eq!(first.status, 201, "{}", first.text);
        assert_eq!((again.status, again.json(), again.etag()), (first.status, first.json(), first.etag()));
    }
}
