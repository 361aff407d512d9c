//! `/stats`.

use std::sync::Arc;

use accord_api::{Stats, StatsQuery};
use axum::Json;
use axum::extract::State;

use super::extract::Query;
use super::route::{Route, route};
use crate::app::App;
use crate::error::Error;

pub(super) fn routes() -> Vec<Route> {
    vec![route!(stats, Read)]
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
    )
)]
pub(super) async fn stats(
    State(app): State<Arc<App>>,
    Query(query): Query<StatsQuery>,
) -> Result<Json<Stats>, Error> {
    Ok(Json(app.stats.count(query).await?))
}
