//! `/mcp`: the Model Context Protocol, answered by a guest.

use std::net::SocketAddr;
use std::sync::Arc;

use accord_api::{ErrorBody, ErrorName};
use axum::Extension;
use axum::body::Body;
use axum::extract::{ConnectInfo, State};
use axum::http::{HeaderMap, HeaderValue, Request};
use axum::response::Response;
use futures_util::StreamExt as _;

use super::extract::JsonBody;
use super::incoming::Takes;
use super::route::{Route, Scope, route};
use crate::app::App;
use crate::error::Error;

pub(super) fn routes() -> Vec<Route> {
    vec![
        route!(answer, Read)
            .takes(Takes::DEFINITION)
            .for_runs(Scope::Free)
            .not_audited("its tools call the other routes, which are recorded"),
    ]
}

/// Accepts a message of the Model Context Protocol, or a batch, over streamable HTTP without sessions.
///
/// The response is JSON, or a stream of events if the client requested progress. A batch gets a list.
#[utoipa::path(
    post,
    path = "/mcp",
    operation_id = "postMcp",
    tag = "mcp",
    request_body(content = serde_json::Value, description = "A message of JSON-RPC, or a batch of them"),
    responses(
        (status = 200, description = "The response to a request, or the responses to a batch", content(
            (serde_json::Value = "application/json"),
            (String = "text/event-stream"),
        )),
        (status = 202, description = "Notifications accepted"),
        (status = 400, description = "Not a valid message", body = Object),
        (status = 404, description = "MCP is disabled on this coordinator", body = ErrorBody),
    )
)]
pub(super) async fn answer(
    State(app): State<Arc<App>>,
    peer: Option<Extension<ConnectInfo<SocketAddr>>>,
    mut headers: HeaderMap,
    JsonBody(body): JsonBody,
) -> Result<Response, Error> {
    let Some(guest) = app.mcp.get() else {
        return Err(Error::new(ErrorName::RouteNotFound, "MCP is disabled on this coordinator"));
    };
    // The tools act for the client of this request.
    if let Some(Extension(ConnectInfo(address))) = peer
        && let Ok(address) = HeaderValue::try_from(address.ip().to_canonical().to_string())
    {
        headers.append("x-forwarded-for", address);
    }
    let mut request = Request::new(body.text());
    *request.headers_mut() = headers;
    let answered = tokio::select! {
        answered = guest(request) => answered,
        () = app.closing.cancelled() => {
            return Err(Error::new(ErrorName::StoreUnavailable, "the coordinator is shutting down; retry later"));
        }
    };
    let (parts, body) = answered.into_parts();
    // An open stream would hold up the end of the server.
    let body = body.take_until(app.closing.clone().cancelled_owned());
    Ok(Response::from_parts(parts, Body::from_stream(body)))
}
