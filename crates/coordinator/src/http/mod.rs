//! HTTP: extract, one call of the application, body.
//!
//! Every route stands in [`routes::ROUTES`] with who may use it. The router is made from the same files that the table
//! names, and a test compares the two.

mod agents;
mod auth;
mod body;
mod conditions;
mod keys;
mod metrics;
mod routes;
mod schemas;
mod stats;

use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::routing::get;

use crate::app::App;
use crate::error::Error;

/// The router over an application.
pub fn router(app: Arc<App>) -> Router {
    Router::new()
        .route("/health", get(health))
        .route("/ready", get(ready))
        .merge(agents::routes())
        .merge(schemas::routes())
        .merge(stats::routes())
        .merge(keys::routes())
        .merge(metrics::routes())
        .layer(axum::middleware::from_fn_with_state(Arc::clone(&app), auth::guard))
        .layer(axum::middleware::from_fn(metrics::count))
        .with_state(app)
}

async fn health() -> &'static str {
    "ok"
}

async fn ready(State(app): State<Arc<App>>) -> Result<&'static str, Error> {
    app.store.ping().await?;
    Ok("ready")
}
