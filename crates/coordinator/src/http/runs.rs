//! `/runs`.

use std::sync::Arc;

use accord_api::{
    AttemptList, CreateRun, CreatedRun, ErrorBody, ForkRun, Page, RetryRun, RunQuery, RunView, StepList,
    WaitQuery,
};
use accord_domain::id::RunId;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::{Extension, Json};
use serde::Serialize;

use super::answers::{Written, written};
use super::extract::{Id, JsonBody, MaybeJson, Query};
use super::incoming::Takes;
use super::paging::FewQuery;
use super::route::{Route, Scope, route};
use super::{auth, body, conditions};
use crate::app::{App, Caller, LONGEST_WAIT_SECONDS, check_wait};
use crate::error::Error;
use crate::outstanding::{Holder, Turn};

pub(super) fn routes() -> Vec<Route> {
    vec![
        route!(list, Read),
        route!(create, Call)
            .takes(Takes::DATA)
            .for_runs(Scope::Free)
            .not_audited("the run itself says who asked for it, and when"),
        route!(one, Read).for_runs(Scope::Run),
        route!(attempts, Read),
        route!(steps, Read),
        route!(stop, Call).audited("run.stopped"),
        route!(retry, Call).takes(Takes::DATA).audited("run.retried"),
        route!(fork, Call).takes(Takes::DATA).audited("run.forked"),
    ]
}

/// A new run. The larger variant comes first: a client that reads a smaller one into it gets an error.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(untagged)]
pub(super) enum NewRun {
    /// The run, once it has finished or the time is up.
    Whole(Box<RunView>),
    /// The run as it was created.
    Created(CreatedRun),
}

/// Creates a run: starts a session with an agent, or resumes one.
///
/// With `wait`, the response is sent when the run has finished or the time has passed, and includes the result.
#[utoipa::path(
    post,
    path = "/runs",
    operation_id = "createRun",
    tag = "runs",
    params(
        WaitQuery,
        ("Idempotency-Key" = Option<String>, Header, description = "Idempotency key: repeating the request returns the first response"),
        ("Accord-Contract" = Option<String>, Header, description = "The `contract_hash` that the caller was written for: the run is created only if the agent still has this contract"),
    ),
    request_body = CreateRun,
    responses(
        (status = 201, description = "The run; with `wait`, including its result", body = NewRun),
        (status = 400, description = "InvalidRequest, ParameterValidationFailed, InvalidSchema", body = ErrorBody),
        (status = 404, description = "AgentNotFound, SchemaNotFound, SessionNotFound", body = ErrorBody),
        (status = 409, description = "OutputSchemaConflict, ContractChanged, AgentBroken, SessionBusy, IdempotencyConflict", body = ErrorBody),
    )
)]
pub(super) async fn create(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Extension(holder): Extension<Holder>,
    Query(query): Query<WaitQuery>,
    headers: HeaderMap,
    JsonBody(bytes): JsonBody,
) -> Result<(StatusCode, Json<NewRun>), Error> {
    let wait = query.wait.unwrap_or_default();
    check_wait("wait", wait, LONGEST_WAIT_SECONDS)?;
    let mut request: CreateRun = body::read(&bytes).await?;
    request.contract_hash = conditions::contract(&headers)?;
    let promise = conditions::promise(&headers, &caller, "POST /runs", &bytes).await?;
    let created = app.runs.create(&caller, request, promise).await?;
    if wait == 0 {
        return Ok((StatusCode::CREATED, Json(NewRun::Created(created))));
    }
    // Boxed, so that requests which do not wait keep a small future.
    let end = app.runs.wait(&holder, &created.run_id, wait);
    let run = match Box::pin(auth::end_of_created(&app, &caller, end)).await? {
        Some(run) => NewRun::Whole(Box::new(run)),
        None => NewRun::Created(created),
    };
    Ok((StatusCode::CREATED, Json(run)))
}

/// Lists runs, newest first, without parameters and results.
#[utoipa::path(
    get,
    path = "/runs",
    operation_id = "listRuns",
    tag = "runs",
    params(RunQuery),
    responses(
        (status = 200, description = "A page of runs", body = Page<RunView>),
    )
)]
pub(super) async fn list(
    State(app): State<Arc<App>>,
    Query(query): Query<RunQuery>,
) -> Result<Json<Page<RunView>>, Error> {
    app.runs.list(query).await.map(Json)
}

/// Returns a run with its parameters, contract and result.
///
/// With `wait`, the response is sent when the run has finished or the time has passed.
#[utoipa::path(
    get,
    path = "/runs/{id}",
    operation_id = "getRun",
    tag = "runs",
    params(WaitQuery, ("id" = RunId, Path, description = "The run")),
    responses(
        (status = 200, description = "The run", body = RunView),
        (status = 404, description = "RunNotFound", body = ErrorBody),
    )
)]
pub(super) async fn one(
    State(app): State<Arc<App>>,
    Id(id): Id<RunId>,
    Extension(caller): Extension<Caller>,
    Extension(holder): Extension<Holder>,
    Query(query): Query<WaitQuery>,
) -> Result<Written, Error> {
    let wait = query.wait.unwrap_or_default();
    check_wait("wait", wait, LONGEST_WAIT_SECONDS)?;
    let end = app.runs.wait(&holder, &id, wait);
    let run = match wait {
        0 => end.await?,
        _ => Box::pin(auth::while_admitted(&app, &caller, end)).await?,
    };
    written(run).await
}

/// Lists the attempts of a run: each answer of the model with its validation.
#[utoipa::path(
    get,
    path = "/runs/{id}/attempts",
    operation_id = "listRunAttempts",
    tag = "runs",
    params(FewQuery, ("id" = RunId, Path, description = "The run")),
    responses(
        (status = 200, description = "The attempts, in order", body = AttemptList),
        (status = 404, description = "RunNotFound", body = ErrorBody),
    )
)]
pub(super) async fn attempts(
    State(app): State<Arc<App>>,
    Id(id): Id<RunId>,
    Query(query): Query<FewQuery>,
    _turn: Turn,
) -> Result<Written, Error> {
    written(app.runs.attempts(&id, query.limit, query.cursor.as_deref()).await?).await
}

/// Stops a run: immediately if it is pending, through its runner if it is running. Can be repeated.
#[utoipa::path(
    post,
    path = "/runs/{id}/stop",
    operation_id = "stopRun",
    tag = "runs",
    params(("id" = RunId, Path, description = "The run")),
    responses(
        (status = 200, description = "The current state of the run", body = RunView),
        (status = 404, description = "RunNotFound", body = ErrorBody),
    )
)]
pub(super) async fn stop(State(app): State<Arc<App>>, Id(id): Id<RunId>) -> Result<Json<RunView>, Error> {
    app.runs.stop(&id).await.map(Json)
}

/// Lists the steps of a run: what was asked, answered, done and decided.
#[utoipa::path(
    get,
    path = "/runs/{id}/steps",
    operation_id = "listRunSteps",
    tag = "runs",
    params(FewQuery, ("id" = RunId, Path, description = "The run")),
    responses(
        (status = 200, description = "The steps, in order", body = StepList),
        (status = 404, description = "RunNotFound", body = ErrorBody),
    )
)]
pub(super) async fn steps(
    State(app): State<Arc<App>>,
    Id(id): Id<RunId>,
    Query(query): Query<FewQuery>,
    _turn: Turn,
) -> Result<Written, Error> {
    written(app.runs.steps(&id, query.limit, query.cursor.as_deref()).await?).await
}

/// Runs a finished run again, with the same agent, input and contract.
///
/// The new run has a new id. A run that started a session starts a new one; a run that resumed a session resumes it again. The body
/// can name other parameters or another model. The parent of the run's session is not told of the new run, unless `callback` is true.
#[utoipa::path(
    post,
    path = "/runs/{id}/retry",
    operation_id = "retryRun",
    tag = "runs",
    params(
        ("id" = RunId, Path, description = "The finished run"),
        ("Idempotency-Key" = Option<String>, Header, description = "Idempotency key: repeating the request returns the first response"),
    ),
    request_body(content = Option<RetryRun>, description = "What is different, if anything"),
    responses(
        (status = 201, description = "The new run", body = CreatedRun),
        (status = 400, description = "InvalidRequest, ParameterValidationFailed", body = ErrorBody),
        (status = 404, description = "RunNotFound, AgentNotFound", body = ErrorBody),
        (status = 409, description = "NotRetryable, SessionBusy, IdempotencyConflict", body = ErrorBody),
    )
)]
pub(super) async fn retry(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Id(id): Id<RunId>,
    headers: HeaderMap,
    MaybeJson(bytes): MaybeJson,
) -> Result<(StatusCode, Json<CreatedRun>), Error> {
    let route = format!("POST /runs/{id}/retry");
    let promise = conditions::promise(&headers, &caller, &route, bytes.as_ref()).await?;
    let changes = match bytes {
        Some(bytes) => body::read(&bytes).await?,
        None => RetryRun::default(),
    };
    Ok((StatusCode::CREATED, Json(app.runs.retry(&caller, &id, changes, promise).await?)))
}

/// Continues a run from one of its steps, as a new run in a new session.
///
/// What the run had answered and done until then is taken over and not paid for again. The run itself does not change. A tool call
/// without a result is made again, and a person who approved it is asked again. From the last step of a finished run, its last
/// answer is asked for again.
#[utoipa::path(
    post,
    path = "/runs/{id}/fork",
    operation_id = "forkRun",
    tag = "runs",
    params(
        ("id" = RunId, Path, description = "The run"),
        ("Idempotency-Key" = Option<String>, Header, description = "Idempotency key: repeating the request returns the first response"),
    ),
    request_body = ForkRun,
    responses(
        (status = 201, description = "The new run", body = CreatedRun),
        (status = 400, description = "InvalidRequest, InvalidSchema", body = ErrorBody),
        (status = 404, description = "RunNotFound, StepNotFound, AgentNotFound", body = ErrorBody),
        (status = 409, description = "OutputSchemaConflict, NotRetryable, IdempotencyConflict", body = ErrorBody),
    )
)]
pub(super) async fn fork(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Id(id): Id<RunId>,
    headers: HeaderMap,
    JsonBody(bytes): JsonBody,
) -> Result<(StatusCode, Json<CreatedRun>), Error> {
    let promise = conditions::promise(&headers, &caller, &format!("POST /runs/{id}/fork"), &bytes).await?;
    let changes = body::read(&bytes).await?;
    Ok((StatusCode::CREATED, Json(app.runs.fork(&caller, &id, changes, promise).await?)))
}
