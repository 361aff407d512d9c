//! `/mcp`: the Model Context Protocol, answered by a guest.

use std::sync::Arc;

use accord_api::{ErrorBody, ErrorName};
use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, Request};
use axum::response::Response;
use axum::routing::post;
use futures_util::StreamExt as _;

use super::extract::JsonBody;
use crate::app::App;
use crate::error::Error;

pub(super) fn routes() -> Router<Arc<App>> {
    Router::new().route("/mcp", post(answer))
}

/// One message of the Model Context Protocol, by streamable HTTP without sessions.
///
/// The answer is JSON, or a stream of events where the client asked for progress.
#[utoipa::path(
    post,
    path = "/mcp",
    tag = "mcp",
    request_body = Object,
    responses(
        (status = 200, description = "The answer to a request", body = Object),
        (status = 202, description = "A notification was taken"),
        (status = 400, description = "This is no message", body = Object),
        (status = 404, description = "This coordinator serves no MCP", body = ErrorBody),
    )
)]
pub(super) async fn answer(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
    JsonBody(bytes): JsonBody,
) -> Result<Response, Error> {
    let Some(guest) = app.mcp.get() else {
        return Err(Error::new(ErrorName::RouteNotFound, "this coordinator serves no MCP"));
    };
    let mut request = Request::new(bytes);
    *request.headers_mut() = headers;
    let answered = tokio::select! {
        answered = guest(request) => answered,
        () = app.closing.cancelled() => {
            return Err(Error::new(ErrorName::StoreUnavailable, "the coordinator is about to end; try again later"));
        }
    };
    let (parts, body) = answered.into_parts();
    // An open stream would hold up the end of the server.
    let body = body.take_until(app.closing.clone().cancelled_owned());
    Ok(Response::from_parts(parts, Body::from_stream(body)))
}
