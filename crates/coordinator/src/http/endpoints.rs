//! `/endpoints`: what was learned about them.

use std::sync::Arc;

use accord_api::{EndpointFact, EndpointFilter, EndpointQuery, ForgottenFacts, Page};
use axum::Json;
use axum::extract::State;

use super::extract::Query;
use super::route::{Route, route};
use crate::app::App;
use crate::error::Error;

pub(super) fn routes() -> Vec<Route> {
    vec![route!(list, Read), route!(forget, Administer).audited_as("endpoints.forgotten", "/matching")]
}

/// Lists what was learned about endpoints.
///
/// Each entry says how a model at an endpoint responded to a feature. Weights decay: a run counts 1, and half of that a day
/// later.
#[utoipa::path(
    get,
    path = "/endpoints",
    operation_id = "listEndpoints",
    tag = "endpoints",
    params(EndpointQuery),
    responses(
        (status = 200, description = "The entries, by endpoint, model and feature", body = Page<EndpointFact>),
    )
)]
pub(super) async fn list(
    State(app): State<Arc<App>>,
    Query(query): Query<EndpointQuery>,
) -> Result<Json<Page<EndpointFact>>, Error> {
    app.endpoints.list(query).await.map(Json)
}

/// Forgets what was learned about endpoints.
///
/// Without a filter, everything is forgotten. The next runs learn anew.
#[utoipa::path(
    delete,
    path = "/endpoints",
    operation_id = "forgetEndpoints",
    tag = "endpoints",
    params(EndpointFilter),
    responses(
        (status = 200, description = "What was forgotten", body = ForgottenFacts),
    )
)]
pub(super) async fn forget(
    State(app): State<Arc<App>>,
    Query(filter): Query<EndpointFilter>,
) -> Result<Json<ForgottenFacts>, Error> {
    app.endpoints.forget(filter).await.map(Json)
}
