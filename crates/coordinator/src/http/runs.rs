//! `/runs`.

use std::sync::Arc;

use accord_api::{
    AttemptList, CreateRun, CreatedRun, ErrorBody, ErrorName, Page, RunQuery, RunView, WaitQuery,
};
use accord_domain::id::RunId;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::{get, post};
use axum::{Extension, Json, Router};
use serde::Serialize;

use super::extract::{Id, JsonBody, Query};
use super::paging::FewQuery;
use super::{body, conditions, door};
use crate::app::{App, Caller, LONGEST_WAIT_SECONDS, check_wait};
use crate::error::Error;
use crate::outstanding::{Holder, Turn};

pub(super) fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/runs", get(list).post(create))
        .route("/runs/{id}", get(one))
        .route("/runs/{id}/attempts", get(attempts))
        .route("/runs/{id}/stop", post(stop))
        .route("/runs/{id}/retry", post(retry))
}

/// A run that was made. The larger shape comes first, because whoever reads the other one into it notices.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(untagged)]
pub(super) enum NewRun {
    /// As it is at its end, or when the time is over.
    Whole(Box<RunView>),
    /// As it was made.
    Created(CreatedRun),
}

/// Makes a run: starts a session with an agent, or resumes one.
///
/// With `wait` the answer comes when the run is over, or when the seconds have passed, and is the run with its result.
#[utoipa::path(
    post,
    path = "/runs",
    tag = "runs",
    params(
        WaitQuery,
        ("Idempotency-Key" = Option<String>, Header, description = "The same key and body get the first answer again"),
    ),
    request_body = CreateRun,
    responses(
        (status = 201, description = "The run; with `wait` the whole of it, unless it is gone since", body = NewRun),
        (status = 400, description = "InvalidRequest, ParameterValidationFailed, InvalidSchema", body = ErrorBody),
        (status = 404, description = "AgentNotFound, SchemaNotFound, SessionNotFound", body = ErrorBody),
        (status = 409, description = "OutputSchemaConflict, AgentBroken, SessionBusy, IdempotencyConflict", body = ErrorBody),
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
    let request: CreateRun = body::read(&bytes)?;
    let promise = conditions::promise(&headers, &caller, "POST /runs", &bytes)?;
    let created = app.create_run(&caller, request, promise).await?;
    if wait == 0 {
        return Ok((StatusCode::CREATED, Json(NewRun::Created(created))));
    }
    // Boxed: what is rarer would make every other request as large.
    let end = app.wait_for_run(&holder, &created.run_id, wait);
    let run = match Box::pin(door::while_admitted(&app, &caller, end)).await {
        Ok(run) => NewRun::Whole(Box::new(run)),
        // Gone since, as it can be where the request is a repeated one, or too large for a caller that does not read: what was
        // said first is still so.
        Err(error)
            if matches!(
                error.name(),
                ErrorName::RunNotFound | ErrorName::UnreadAnswers | ErrorName::Overloaded
            ) =>
        {
            NewRun::Created(created)
        }
        Err(error) => return Err(error),
    };
    Ok((StatusCode::CREATED, Json(run)))
}

/// Runs, newest first, without their documents.
#[utoipa::path(
    get,
    path = "/runs",
    tag = "runs",
    params(RunQuery),
    responses(
        (status = 200, description = "A page of runs", body = Page<RunView>),
        (status = 400, description = "InvalidRequest", body = ErrorBody),
    )
)]
pub(super) async fn list(
    State(app): State<Arc<App>>,
    Query(query): Query<RunQuery>,
) -> Result<Json<Page<RunView>>, Error> {
    app.runs(query).await.map(Json)
}

/// One run, with its parameters, its contract and its result.
///
/// With `wait` the answer comes when the run is over, or when the seconds have passed.
#[utoipa::path(
    get,
    path = "/runs/{id}",
    tag = "runs",
    params(WaitQuery, ("id" = RunId, Path, description = "The run")),
    responses(
        (status = 200, description = "The run", body = RunView),
        (status = 400, description = "InvalidRequest", body = ErrorBody),
        (status = 404, description = "RunNotFound", body = ErrorBody),
    )
)]
pub(super) async fn one(
    State(app): State<Arc<App>>,
    Id(id): Id<RunId>,
    Extension(caller): Extension<Caller>,
    Extension(holder): Extension<Holder>,
    Query(query): Query<WaitQuery>,
) -> Result<Json<RunView>, Error> {
    let wait = query.wait.unwrap_or_default();
    check_wait("wait", wait, LONGEST_WAIT_SECONDS)?;
    let end = app.wait_for_run(&holder, &id, wait);
    match wait {
        0 => end.await.map(Json),
        _ => Box::pin(door::while_admitted(&app, &caller, end)).await.map(Json),
    }
}

/// Every answer of the model in a run, with what was made of it.
#[utoipa::path(
    get,
    path = "/runs/{id}/attempts",
    tag = "runs",
    params(FewQuery, ("id" = RunId, Path, description = "The run")),
    responses(
        (status = 200, description = "The attempts, in order", body = AttemptList),
        (status = 400, description = "InvalidRequest", body = ErrorBody),
        (status = 404, description = "RunNotFound", body = ErrorBody),
    )
)]
pub(super) async fn attempts(
    State(app): State<Arc<App>>,
    Id(id): Id<RunId>,
    Query(query): Query<FewQuery>,
    _turn: Turn,
) -> Result<Json<AttemptList>, Error> {
    app.attempts(&id, query.limit, query.cursor.as_deref()).await.map(Json)
}

/// Stops a run: at once where it waits, by its runner where it is at work. Can be repeated.
#[utoipa::path(
    post,
    path = "/runs/{id}/stop",
    tag = "runs",
    params(("id" = RunId, Path, description = "The run")),
    responses(
        (status = 200, description = "The run as it stands now", body = RunView),
        (status = 404, description = "RunNotFound", body = ErrorBody),
    )
)]
pub(super) async fn stop(State(app): State<Arc<App>>, Id(id): Id<RunId>) -> Result<Json<RunView>, Error> {
    app.stop_run(&id).await.map(Json)
}

/// Runs again what failed or was stopped, with the same agent, input and contract.
///
/// The new run has an id of its own. One that began a session begins another; one that resumed a session resumes it again.
#[utoipa::path(
    post,
    path = "/runs/{id}/retry",
    tag = "runs",
    params(("id" = RunId, Path, description = "The run that came to nothing")),
    responses(
        (status = 201, description = "The new run", body = CreatedRun),
        (status = 404, description = "RunNotFound", body = ErrorBody),
        (status = 409, description = "NotRetryable, SessionBusy", body = ErrorBody),
    )
)]
pub(super) async fn retry(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Id(id): Id<RunId>,
) -> Result<(StatusCode, Json<CreatedRun>), Error> {
    Ok((StatusCode::CREATED, Json(app.retry_run(&caller, &id).await?)))
}
