//! `/runner` and `/runners`: the runner protocol.

use std::sync::Arc;

use accord_api::{
    ClaimRuns, ClaimedRuns, ErrorBody, FinishRun, FinishedRun, Heartbeat, HeartbeatAnswer, Holding, Page,
    RegisterRunner, RegisteredRunner, ReportAttempts, ReportEvents, ReportedAttempts, RunnerView,
};
use accord_domain::id::{RunId, RunnerId};
use axum::extract::State;
use axum::http::StatusCode;
use axum::{Extension, Json};
use serde::de::DeserializeOwned;
use utoipa::ToSchema;

use super::extract::{Id, JsonBody, Query};
use super::incoming::{Received, Takes};
use super::paging::FewQuery;
use super::route::{Route, route};
use super::{auth, body};
use crate::app::runner_owner::{self, OfRunner};
use crate::app::{App, Caller};
use crate::error::Error;

pub(super) fn routes() -> Vec<Route> {
    const WORK: &str = "the work of a runner: the run, its attempts and its events say what it did";
    vec![
        route!(register, Run).takes(Takes::PAGE).not_audited(WORK),
        route!(claim, Run).takes(Takes::SETTINGS).not_audited(WORK),
        route!(heartbeat, Run).takes(Takes::PAGE).not_audited(WORK),
        route!(started, Run).takes(Takes::SETTINGS).not_audited(WORK),
        route!(events, Run).takes(Takes::DATA).not_audited(WORK),
        route!(attempts, Run).takes(Takes::DATA).not_audited(WORK),
        route!(finish, Run).takes(Takes::RESULT).not_audited(WORK),
        route!(remove, Run).not_audited(WORK),
        route!(list, Read),
    ]
}

/// Lists all runners, newest first.
#[utoipa::path(
    get,
    path = "/runners",
    operation_id = "listRunners",
    tag = "runners",
    params(FewQuery),
    responses(
        (status = 200, description = "The runners, newest first", body = Page<RunnerView>),
    )
)]
pub(super) async fn list(
    State(app): State<Arc<App>>,
    Query(query): Query<FewQuery>,
) -> Result<Json<Page<RunnerView>>, Error> {
    app.runners.list(query.limit, query.cursor.as_deref()).await.map(Json)
}

/// The request of a runner, if it belongs to the key of the caller.
async fn own<T>(caller: &Caller, body: &Received) -> Result<T, Error>
where
    T: OfRunner + DeserializeOwned + ToSchema + Send + 'static,
{
    let request: T = body::read(body).await?;
    runner_owner::check(caller, request.runner_id())?;
    Ok(request)
}

/// Registers a runner.
///
/// Each call registers a new runner; an `Idempotency-Key` is ignored. An unused registration gets no runs.
#[utoipa::path(
    post,
    path = "/runner/register",
    operation_id = "registerRunner",
    tag = "runners",
    request_body = RegisterRunner,
    responses(
        (status = 201, description = "The registered runner", body = RegisteredRunner),
    )
)]
pub(super) async fn register(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    JsonBody(bytes): JsonBody,
) -> Result<(StatusCode, Json<RegisteredRunner>), Error> {
    let registered = app.runners.register(&caller, body::read(&bytes).await?).await?;
    Ok((StatusCode::CREATED, Json(registered)))
}

/// Claims runs for a runner, waiting until there are some.
#[utoipa::path(
    post,
    path = "/runner/claims",
    operation_id = "claimRuns",
    tag = "runners",
    request_body = ClaimRuns,
    responses(
        (status = 200, description = "The claimed runs; empty if the wait time expired", body = ClaimedRuns),
        (status = 404, description = "RunnerNotFound", body = ErrorBody),
    )
)]
pub(super) async fn claim(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    JsonBody(bytes): JsonBody,
) -> Result<Json<ClaimedRuns>, Error> {
    app.runners.claim(&caller, own(&caller, &bytes).await?).await.map(Json)
}

/// Sends a heartbeat: leases are renewed, and stop requests are returned.
#[utoipa::path(
    post,
    path = "/runner/heartbeat",
    operation_id = "sendHeartbeat",
    tag = "runners",
    request_body = Heartbeat,
    responses(
        (status = 200, description = "Instructions for each run", body = HeartbeatAnswer),
        (status = 404, description = "RunnerNotFound", body = ErrorBody),
    )
)]
pub(super) async fn heartbeat(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    JsonBody(bytes): JsonBody,
) -> Result<Json<HeartbeatAnswer>, Error> {
    let answer = app.runners.heartbeat(own(&caller, &bytes).await?);
    auth::while_admitted(&app, &caller, answer).await.map(Json)
}

/// Deregisters a runner. Runs it still holds are queued again when their leases expire.
#[utoipa::path(
    delete,
    path = "/runner/{id}",
    operation_id = "deleteRunner",
    tag = "runners",
    params(("id" = RunnerId, Path, description = "The runner")),
    responses(
        (status = 204, description = "Deleted"),
        (status = 404, description = "RunnerNotFound", body = ErrorBody),
    )
)]
pub(super) async fn remove(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Id(id): Id<RunnerId>,
) -> Result<StatusCode, Error> {
    runner_owner::check(&caller, &id)?;
    app.runners.remove(&id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Reports that a run has started.
#[utoipa::path(
    post,
    path = "/runner/runs/{id}/started",
    operation_id = "reportRunStarted",
    tag = "runners",
    params(("id" = RunId, Path, description = "The run")),
    request_body = Holding,
    responses(
        (status = 200, description = "The current state of the run", body = FinishedRun),
        (status = 404, description = "RunNotFound", body = ErrorBody),
        (status = 409, description = "LeaseLost", body = ErrorBody),
    )
)]
pub(super) async fn started(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Id(id): Id<RunId>,
    JsonBody(bytes): JsonBody,
) -> Result<Json<FinishedRun>, Error> {
    let holding: Holding = own(&caller, &bytes).await?;
    app.runners.run_started(id, &holding).await.map(Json)
}

/// Reports events of a run.
#[utoipa::path(
    post,
    path = "/runner/runs/{id}/events",
    operation_id = "reportEvents",
    tag = "runners",
    params(("id" = RunId, Path, description = "The run")),
    request_body = ReportEvents,
    responses(
        (status = 204, description = "Accepted"),
        (status = 404, description = "RunNotFound", body = ErrorBody),
        (status = 409, description = "LeaseLost", body = ErrorBody),
    )
)]
pub(super) async fn events(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Id(id): Id<RunId>,
    JsonBody(bytes): JsonBody,
) -> Result<StatusCode, Error> {
    app.runners.report_events(id, own::<ReportEvents>(&caller, &bytes).await?).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Reports validated attempts of a run. Repeated reports have no effect.
#[utoipa::path(
    post,
    path = "/runner/runs/{id}/attempts",
    operation_id = "reportAttempts",
    tag = "runners",
    params(("id" = RunId, Path, description = "The run")),
    request_body = ReportAttempts,
    responses(
        (status = 200, description = "Accepted", body = ReportedAttempts),
        (status = 404, description = "RunNotFound", body = ErrorBody),
        (status = 409, description = "LeaseLost", body = ErrorBody),
    )
)]
pub(super) async fn attempts(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Id(id): Id<RunId>,
    JsonBody(bytes): JsonBody,
) -> Result<Json<ReportedAttempts>, Error> {
    app.runners.report_attempts(id, own::<ReportAttempts>(&caller, &bytes).await?).await.map(Json)
}

/// Reports that a run finished. A result that does not conform to the run's contract is rejected, and the run stays with its runner.
#[utoipa::path(
    post,
    path = "/runner/runs/{id}/finish",
    operation_id = "finishRun",
    tag = "runners",
    params(("id" = RunId, Path, description = "The run")),
    request_body = FinishRun,
    responses(
        (status = 200, description = "The current state of the run", body = FinishedRun),
        (status = 404, description = "RunNotFound", body = ErrorBody),
        (status = 409, description = "LeaseLost", body = ErrorBody),
        (status = 413, description = "RequestTooLarge", body = ErrorBody),
        (status = 422, description = "ContractViolation", body = ErrorBody),
    )
)]
pub(super) async fn finish(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Id(id): Id<RunId>,
    JsonBody(bytes): JsonBody,
) -> Result<Json<FinishedRun>, Error> {
    app.runs.finish(id, own(&caller, &bytes).await?).await.map(Json)
}
