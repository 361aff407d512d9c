//! `/metrics`.

use std::sync::Arc;
use std::time::Duration;

use accord_api::ErrorName;
use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;
use tokio::time::timeout;

use super::route::{Route, route};
use crate::app::App;
use crate::error::Error;
use crate::metrics;

/// Where they are.
pub(super) const METRICS: &str = "/metrics";

/// How long the store may take to count the queue. All other metrics are in this process, and shown without it too.
const LONGEST_COUNT: Duration = Duration::from_secs(2);

pub(super) fn routes() -> Vec<Route> {
    vec![route!(render, Read)]
}

/// Returns metrics in the Prometheus text format.
#[utoipa::path(
    get,
    path = "/metrics",
    operation_id = "getMetrics",
    tag = "health",
    responses((status = 200, description = "Metrics in the Prometheus text format", body = String, content_type = "text/plain"))
)]
pub(super) async fn render(State(app): State<Arc<App>>) -> Result<impl IntoResponse, Error> {
    let counted = timeout(LONGEST_COUNT, app.server.queue()).await.ok().and_then(Result::ok);
    let Some(text) = metrics::render(counted) else {
        let message = "this process collects its metrics elsewhere";
        return Err(Error::new(ErrorName::RouteNotFound, message));
    };
    Ok(([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], text))
}
