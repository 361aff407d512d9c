//! `/sessions`.

use std::sync::Arc;

use accord_api::{
    ErrorBody, EventList, Page, PageQuery, SessionQuery, SessionResult, SessionStatusView, SessionView,
};
use accord_domain::id::SessionId;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::{Extension, Json};

use super::answers::{Written, written};
use super::extract::{Id, Query};
use super::route::{Route, Scope, route};
use crate::app::{App, Caller};
use crate::error::Error;
use crate::outstanding::Turn;

pub(super) fn routes() -> Vec<Route> {
    vec![
        route!(list, Read).for_runs(Scope::Free),
        route!(one, Read).for_runs(Scope::Session),
        route!(remove, Administer).audited("session.deleted"),
        route!(status, Read).for_runs(Scope::Session),
        route!(result, Read).for_runs(Scope::Session),
        route!(events, Read),
        route!(children, Read),
        route!(stop, Call).for_runs(Scope::Session).audited("session.stopped"),
    ]
}

/// Lists sessions, newest first.
#[utoipa::path(
    get,
    path = "/sessions",
    operation_id = "listSessions",
    tag = "sessions",
    params(SessionQuery),
    responses(
        (status = 200, description = "A page of sessions", body = Page<SessionView>),
    )
)]
pub(super) async fn list(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Query(query): Query<SessionQuery>,
) -> Result<Json<Page<SessionView>>, Error> {
    app.sessions.list(&caller, query).await.map(Json)
}

/// Returns a session.
#[utoipa::path(
    get,
    path = "/sessions/{id}",
    operation_id = "getSession",
    tag = "sessions",
    params(("id" = SessionId, Path, description = "The session")),
    responses(
        (status = 200, description = "The session", body = SessionView),
        (status = 404, description = "SessionNotFound", body = ErrorBody),
    )
)]
pub(super) async fn one(
    State(app): State<Arc<App>>,
    Id(id): Id<SessionId>,
) -> Result<Json<SessionView>, Error> {
    app.sessions.get(&id).await.map(Json)
}

/// Deletes a session with its runs, attempts, events and conversation. Its children are kept.
#[utoipa::path(
    delete,
    path = "/sessions/{id}",
    operation_id = "deleteSession",
    tag = "sessions",
    params(("id" = SessionId, Path, description = "The session")),
    responses(
        (status = 204, description = "Deleted"),
        (status = 404, description = "SessionNotFound", body = ErrorBody),
        (status = 409, description = "SessionBusy", body = ErrorBody),
    )
)]
pub(super) async fn remove(State(app): State<Arc<App>>, Id(id): Id<SessionId>) -> Result<StatusCode, Error> {
    app.sessions.remove(&id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Returns the status of a session and, if its last run failed, the error.
#[utoipa::path(
    get,
    path = "/sessions/{id}/status",
    operation_id = "getSessionStatus",
    tag = "sessions",
    params(("id" = SessionId, Path, description = "The session")),
    responses(
        (status = 200, description = "The status", body = SessionStatusView),
        (status = 404, description = "SessionNotFound", body = ErrorBody),
    )
)]
pub(super) async fn status(
    State(app): State<Arc<App>>,
    Id(id): Id<SessionId>,
) -> Result<Json<SessionStatusView>, Error> {
    app.sessions.status(&id).await.map(Json)
}

/// The result of a session's latest run.
#[utoipa::path(
    get,
    path = "/sessions/{id}/result",
    operation_id = "getSessionResult",
    tag = "sessions",
    params(("id" = SessionId, Path, description = "The session")),
    responses(
        (status = 200, description = "The result", body = SessionResult),
        (status = 404, description = "SessionNotFound", body = ErrorBody),
        (status = 409, description = "SessionNotFinished: still running, or its last run failed or was stopped", body = ErrorBody),
    )
)]
pub(super) async fn result(
    State(app): State<Arc<App>>,
    Id(id): Id<SessionId>,
    _turn: Turn,
) -> Result<Written, Error> {
    written(app.sessions.result(&id).await?).await
}

/// Lists the events of a session, in order.
#[utoipa::path(
    get,
    path = "/sessions/{id}/events",
    operation_id = "listSessionEvents",
    tag = "sessions",
    params(("id" = SessionId, Path, description = "The session"), PageQuery),
    responses(
        (status = 200, description = "A page of events", body = EventList),
        (status = 404, description = "SessionNotFound", body = ErrorBody),
    )
)]
pub(super) async fn events(
    State(app): State<Arc<App>>,
    Id(id): Id<SessionId>,
    Query(query): Query<PageQuery>,
    _turn: Turn,
) -> Result<Response, Error> {
    let text = app.events.of_session(&id, query).await?;
    Ok(([(header::CONTENT_TYPE, "application/json")], text).into_response())
}

/// Lists the child sessions of a session, newest first.
#[utoipa::path(
    get,
    path = "/sessions/{id}/children",
    operation_id = "listSessionChildren",
    tag = "sessions",
    params(("id" = SessionId, Path, description = "The session"), PageQuery),
    responses(
        (status = 200, description = "A page of sessions", body = Page<SessionView>),
        (status = 404, description = "SessionNotFound", body = ErrorBody),
    )
)]
pub(super) async fn children(
    State(app): State<Arc<App>>,
    Id(id): Id<SessionId>,
    Query(query): Query<PageQuery>,
) -> Result<Json<Page<SessionView>>, Error> {
    app.sessions.children(&id, query).await.map(Json)
}

/// Stops the current run of a session, if any. Can be repeated.
#[utoipa::path(
    post,
    path = "/sessions/{id}/stop",
    operation_id = "stopSession",
    tag = "sessions",
    params(("id" = SessionId, Path, description = "The session")),
    responses(
        (status = 200, description = "The current state of the session", body = SessionView),
        (status = 404, description = "SessionNotFound", body = ErrorBody),
    )
)]
pub(super) async fn stop(
    State(app): State<Arc<App>>,
    Id(id): Id<SessionId>,
) -> Result<Json<SessionView>, Error> {
    app.sessions.stop(&id).await.map(Json)
}
