//! `/stats`.

use std::sync::Arc;

use accord_api::{ErrorBody, ErrorName, Stats, StatsQuery};
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::routing::get;
use axum::{Json, Router};

use crate::app::App;
use crate::error::Error;

pub(super) fn routes() -> Router<Arc<App>> {
    Router::new().route("/stats", get(stats))
}

/// Rates, errors, tokens, cost and latency: of all runs, by agent, model, strategy and day.
#[utoipa::path(
    get,
    path = "/stats",
    tag = "stats",
    params(StatsQuery),
    responses(
        (status = 200, description = "The figures", body = Stats),
        (status = 400, description = "InvalidRequest", body = ErrorBody),
    )
)]
pub(super) async fn stats(
    State(app): State<Arc<App>>,
    query: Result<Query<StatsQuery>, QueryRejection>,
) -> Result<Json<Stats>, Error> {
    let Query(query) = query.map_err(|error| Error::new(ErrorName::InvalidRequest, error.body_text()))?;
    Ok(Json(app.stats(query).await?))
}
