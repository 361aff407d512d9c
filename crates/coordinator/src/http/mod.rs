//! HTTP: extract, one call of the application, body.
//!
//! Every route is in [`routes::ROUTES`], from which the router is made.

mod agents;
mod answers;
mod audit;
mod auth;
mod body;
mod conditions;
mod config;
mod dashboard;
mod documents;
mod endpoints;
mod envelope;
mod events;
mod extract;
mod files;
mod health;
mod incoming;
mod inputs;
mod keys;
mod mcp;
mod me;
mod metrics;
mod middleware;
mod openai;
mod openapi;
mod paging;
mod route;
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

/// The router over an application.
pub fn router(app: Arc<App>) -> Router {
    routes::router()
        // One layer and not four: the framework boxes and copies each of them for every request.
        .layer(from_fn_with_state(Arc::clone(&app), middleware::handle))
        .with_state(app)
}
