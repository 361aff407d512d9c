//! `/metrics`.

use std::sync::Arc;

use accord_api::ErrorName;
use axum::Router;
use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;
use axum::routing::get;

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
