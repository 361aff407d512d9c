//! HTTP: extract, one call of the application, body.
//!
//! Every route stands in [`routes::ROUTES`] with who may use it. The router is made from the same files that the table
//! names, and a test compares the two.

mod agents;
mod auth;
mod body;
mod conditions;
mod envelope;
mod events;
mod extract;
mod health;
mod keys;
mod mcp;
mod metrics;
mod openapi;
mod routes;
mod runner;
mod runs;
mod schemas;
mod sessions;
mod stats;

use std::sync::Arc;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::{from_fn, from_fn_with_state, map_response};

use crate::app::App;

/// The router over an application.
pub fn router(app: Arc<App>) -> Router {
    Router::new()
        .merge(agents::routes())
        .merge(events::routes())
        .merge(health::routes())
        .merge(keys::routes())
        .merge(mcp::routes())
        .merge(metrics::routes())
        .merge(openapi::routes())
        .merge(runner::routes())
        .merge(runs::routes())
        .merge(schemas::routes())
        .merge(sessions::routes())
        .merge(stats::routes())
        .layer(DefaultBodyLimit::max(app.settings.request_limit_bytes))
        .layer(map_response(envelope::wrap))
        .layer(from_fn_with_state(Arc::clone(&app), auth::guard))
        .layer(from_fn(metrics::count))
        .with_state(app)
}
