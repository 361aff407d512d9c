//! HTTP: extract, one call of the application, body.
//!
//! Every route stands in [`routes::ROUTES`] with who may use it. The router is made from the same files that the table
//! names, and a test compares the two.

mod agents;
mod answers;
mod audit;
mod auth;
mod body;
mod conditions;
mod config;
mod dashboard;
mod door;
mod endpoints;
mod envelope;
mod events;
mod extract;
mod health;
mod keys;
mod mcp;
mod me;
mod metrics;
mod openapi;
mod paging;
mod routes;
mod runner;
mod runs;
mod schemas;
mod sessions;
mod stats;
mod unread;
mod workflow_runs;
mod workflows;

use std::sync::Arc;

use axum::Router;
use axum::middleware::from_fn_with_state;

use crate::app::App;

pub use openapi::agent_file_schema;

/// The router over an application.
pub fn router(app: Arc<App>) -> Router {
    Router::new()
        .merge(agents::routes())
        .merge(audit::routes())
        .merge(config::routes())
        .merge(dashboard::routes())
        .merge(events::routes())
        .merge(health::routes())
        .merge(endpoints::routes())
        .merge(keys::routes())
        .merge(mcp::routes())
        .merge(me::routes())
        .merge(metrics::routes())
        .merge(openapi::routes())
        .merge(runner::routes())
        .merge(runs::routes())
        .merge(schemas::routes())
        .merge(sessions::routes())
        .merge(stats::routes())
        .merge(workflow_runs::routes())
        .merge(workflows::routes())
        // One layer and not four: the framework boxes and copies each of them for every request.
        .layer(from_fn_with_state(Arc::clone(&app), door::pass))
        .with_state(app)
}
