//! `/health` and `/ready`.

use std::sync::Arc;

use accord_api::ErrorBody;
use axum::extract::State;
use axum::routing::get;
use axum::{Json, Router};
use serde::Serialize;

use crate::app::App;
use crate::error::Error;

pub(super) fn routes() -> Router<Arc<App>> {
    Router::new().route("/health", get(health)).route("/ready", get(ready))
}

/// How the server is.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(super) struct Health {
    /// `ok` or `ready`.
    status: &'static str,
}

/// Whether the server is alive.
#[utoipa::path(
    get,
    path = "/health",
    tag = "server",
    responses((status = 200, description = "It is", body = Health))
)]
pub(super) async fn health() -> Json<Health> {
    Json(Health { status: "ok" })
}

/// Whether the server can do its work: the store is reachable and up to date.
#[utoipa::path(
    get,
    path = "/ready",
    tag = "server",
    responses(
        (status = 200, description = "It can", body = Health),
        (status = 503, description = "StoreUnavailable", body = ErrorBody),
    )
)]
pub(super) async fn ready(State(app): State<Arc<App>>) -> Result<Json<Health>, Error> {
    app.ready().await?;
    Ok(Json(Health { status: "ready" }))
}
