//! `/sessions`.

use std::sync::Arc;

use accord_api::{
    ErrorBody, EventList, Page, PageQuery, SessionQuery, SessionResult, SessionStatusView, SessionView,
};
use accord_domain::id::SessionId;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use axum::{Extension, Json, Router};

use super::extract::{Id, Query};
use crate::app::{App, Caller};
use crate::error::Error;
use crate::outstanding::Turn;

pub(super) fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/sessions", get(list))
        .route("/sessions/{id}", get(one).delete(remove))
        .route("/sessions/{id}/status", get(status))
        .route("/sessions/{id}/result", get(result))
        .route("/sessions/{id}/events", get(events))
        .route("/sessions/{id}/children", get(children))
        .route("/sessions/{id}/stop", post(stop))
}

/// Sessions, newest first.
#[utoipa::path(
    get,
    path = "/sessions",
    tag = "sessions",
    params(SessionQuery),
    responses(
        (status = 200, description = "A page of sessions", body = Page<SessionView>),
        (status = 400, description = "InvalidRequest", body = ErrorBody),
    )
)]
pub(super) async fn list(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Query(mut query): Query<SessionQuery>,
) -> Result<Json<Page<SessionView>>, Error> {
    app.narrow(&caller, &mut query).await?;
    app.sessions(query).await.map(Json)
}

/// One session.
#[utoipa::path(
    get,
    path = "/sessions/{id}",
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
    app.session(&id).await.map(Json)
}

/// Removes a session with its runs, attempts, events and conversation. Its children stay.
#[utoipa::path(
    delete,
    path = "/sessions/{id}",
    tag = "sessions",
    params(("id" = SessionId, Path, description = "The session")),
    responses(
        (status = 204, description = "It is gone"),
        (status = 404, description = "SessionNotFound", body = ErrorBody),
        (status = 409, description = "SessionBusy", body = ErrorBody),
    )
)]
pub(super) async fn remove(State(app): State<Arc<App>>, Id(id): Id<SessionId>) -> Result<StatusCode, Error> {
    app.remove_session(&id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Where a session stands, and why its last run failed, if it did.
#[utoipa::path(
    get,
    path = "/sessions/{id}/status",
    tag = "sessions",
    params(("id" = SessionId, Path, description = "The session")),
    responses(
        (status = 200, description = "Where it stands", body = SessionStatusView),
        (status = 404, description = "SessionNotFound", body = ErrorBody),
    )
)]
pub(super) async fn status(
    State(app): State<Arc<App>>,
    Id(id): Id<SessionId>,
) -> Result<Json<SessionStatusView>, Error> {
    app.session_status(&id).await.map(Json)
}

/// The result of a session's newest run.
#[utoipa::path(
    get,
    path = "/sessions/{id}/result",
    tag = "sessions",
    params(("id" = SessionId, Path, description = "The session")),
    responses(
        (status = 200, description = "The result", body = SessionResult),
        (status = 404, description = "SessionNotFound", body = ErrorBody),
        (status = 409, description = "SessionNotFinished: not yet, or its last run failed or was stopped", body = ErrorBody),
    )
)]
pub(super) async fn result(
    State(app): State<Arc<App>>,
    Id(id): Id<SessionId>,
    _turn: Turn,
) -> Result<Json<SessionResult>, Error> {
    app.session_result(&id).await.map(Json)
}

/// The events of a session, in order.
#[utoipa::path(
    get,
    path = "/sessions/{id}/events",
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
    let text = app.session_events(&id, query).await?;
    Ok(([(header::CONTENT_TYPE, "application/json")], text).into_response())
}

/// The sessions that a session started, newest first.
#[utoipa::path(
    get,
    path = "/sessions/{id}/children",
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
    app.children(&id, query).await.map(Json)
}

/// Stops the run of a session that is under way, if there is one. Can be repeated.
#[utoipa::path(
    post,
    path = "/sessions/{id}/stop",
    tag = "sessions",
    params(("id" = SessionId, Path, description = "The session")),
    responses(
        (status = 200, description = "The session as it stands now", body = SessionView),
        (status = 404, description = "SessionNotFound", body = ErrorBody),
    )
)]
pub(super) async fn stop(
    State(app): State<Arc<App>>,
    Id(id): Id<SessionId>,
) -> Result<Json<SessionView>, Error> {
    app.stop_session(&id).await.map(Json)
}
