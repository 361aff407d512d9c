//! `/metrics`, and what is told of each request: a count and, for traces, a span.

use std::sync::Arc;

use accord_api::ErrorName;
use axum::Router;
use axum::extract::{MatchedPath, Request, State};
use axum::http::header;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use tracing::field::Empty;
use tracing::{Instrument as _, Span, debug_span};

use crate::app::App;
use crate::error::Error;
use crate::metrics;

pub(super) fn routes() -> Router<Arc<App>> {
    Router::new().route("/metrics", get(render))
}

/// Everything that is counted, for Prometheus.
#[utoipa::path(
    get,
    path = "/metrics",
    tag = "health",
    responses((status = 200, description = "Metrics in the text format of Prometheus", body = String, content_type = "text/plain"))
)]
pub(super) async fn render(State(app): State<Arc<App>>) -> Result<impl IntoResponse, Error> {
    let depth = app.store.queue_depth().await?;
    let Some(text) = metrics::render(depth) else {
        let message = "this process collects its metrics elsewhere";
        return Err(Error::new(ErrorName::RouteNotFound, message));
    };
    Ok(([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], text))
}

/// Counts a request when it is answered.
pub(super) async fn count(request: Request, next: Next) -> Response {
    let route = request.extensions().get::<MatchedPath>().cloned();
    let route = route.as_ref().map_or("none", MatchedPath::as_str);
    let span = span(request.method().as_str(), route);
    let response = next.run(request).instrument(span.clone()).await;
    let status = response.status();
    span.record("http.response.status_code", status.as_u16());
    if status.is_server_error() {
        span.record("otel.status_code", "ERROR");
    }
    metrics::http_request(route, status.as_u16());
    response
}

/// A request by its route, not by its path, and without headers and body: those hold keys and what people said.
fn span(method: &str, route: &str) -> Span {
    debug_span!(
        "request",
        otel.name = format!("{method} {route}"),
        otel.kind = "server",
        otel.status_code = Empty,
        http.request.method = method,
        http.route = route,
        http.response.status_code = Empty,
    )
}
