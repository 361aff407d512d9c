//! `/config`.

use std::sync::Arc;

use accord_api::ServerConfig;
use axum::extract::State;
use axum::routing::get;
use axum::{Json, Router};

use crate::app::App;
use crate::error::Error;

pub(super) fn routes() -> Router<Arc<App>> {
    Router::new().route("/config", get(config))
}

/// How the server is set up: version, store, address, bounds. Never a secret.
#[utoipa::path(
    get,
    path = "/config",
    tag = "server",
    responses((status = 200, description = "What is in force", body = ServerConfig))
)]
pub(super) async fn config(State(app): State<Arc<App>>) -> Result<Json<ServerConfig>, Error> {
    app.config().await.map(Json)
}
