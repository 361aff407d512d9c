//! HTTP: extract, one call of the application, body.
//!
//! Every route stands in [`routes::ROUTES`] with who may use it. The router is made from the same files that the table
//! names, and a test compares the two.

mod body;
mod routes;

use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::routing::get;

use crate::app::App;
use crate::error::Error;

/// The router over an application.
pub fn router(app: Arc<App>) -> Router {
    Router::new().route("/health", get(health)).route("/ready", get(ready)).with_state(app)
}

async fn health() -> &'static str {
    "ok"
}

async fn ready(State(app): State<Arc<App>>) -> Result<&'static str, Error> {
    app.store.ping().await?;
    Ok("ready")
}
