//! `/config`.

use std::sync::Arc;

use accord_api::ServerConfig;
use axum::Json;
use axum::extract::State;

use super::route::{Route, route};
use crate::app::App;
use crate::error::Error;

pub(super) fn routes() -> Vec<Route> {
    vec![route!(config, Read)]
}

/// Returns the configuration of the server: version, database, address, limits. Contains no secrets.
#[utoipa::path(
    get,
    path = "/config",
    operation_id = "getConfig",
    tag = "server",
    responses((status = 200, description = "The configuration", body = ServerConfig))
)]
pub(super) async fn config(State(app): State<Arc<App>>) -> Result<Json<ServerConfig>, Error> {
    app.server.config().await.map(Json)
}
