//! `/stats`.

use std::sync::Arc;

use accord_api::{ErrorBody, Stats, StatsQuery};
use axum::extract::State;
use axum::routing::get;
use axum::{Json, Router};

use super::extract::Query;
use crate::app::App;
use crate::error::Error;

pub(super) fn routes() -> Router<Arc<App>> {
    Router::new().route("/stats", get(stats))
}

/// Returns statistics of runs: success rates, errors, tokens, cost and latency, in total and by agent, model, strategy and day.
#[utoipa::path(
    get,
    path = "/stats",
    operation_id = "getStats",
    tag = "stats",
    params(StatsQuery),
    responses(
        (status = 200, description = "The statistics", body = Stats),
        (status = 400, description = "InvalidRequest", body = ErrorBody),
    )
)]
pub(super) async fn stats(
    State(app): State<Arc<App>>,
    Query(query): Query<StatsQuery>,
) -> Result<Json<Stats>, Error> {
    Ok(Json(app.stats.count(query).await?))
}
