//! `/health` and `/ready`.

use std::sync::Arc;

use accord_api::{ErrorBody, Health};
use axum::Json;
use axum::extract::State;

use super::route::{Route, route};
use crate::app::App;
use crate::error::Error;

pub(super) fn routes() -> Vec<Route> {
    vec![route!(health, Open), route!(ready, Open)]
}

/// Returns whether the server is alive, and its id.
#[utoipa::path(
    get,
    path = "/health",
    operation_id = "getHealth",
    tag = "server",
    responses((status = 200, description = "The server is alive", body = Health))
)]
pub(super) async fn health(State(app): State<Arc<App>>) -> Json<Health> {
    Json(is("ok", &app))
}

fn is(status: &str, app: &App) -> Health {
    Health { status: status.to_owned(), instance: app.instance().to_owned() }
}

/// Returns whether the server is ready: the database is reachable and up to date.
#[utoipa::path(
    get,
    path = "/ready",
    operation_id = "getReadiness",
    tag = "server",
    responses(
        (status = 200, description = "The server is ready", body = Health),
        (status = 503, description = "StoreUnavailable", body = ErrorBody),
    )
)]
pub(super) async fn ready(State(app): State<Arc<App>>) -> Result<Json<Health>, Error> {
    app.server.ready().await?;
    Ok(Json(is("ready", &app)))
}
