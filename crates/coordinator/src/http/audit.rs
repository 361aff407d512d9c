//! `/audit`, and how its entries come about.

mod record;

use std::sync::Arc;

use accord_api::{AuditQuery, AuditView, Page};
use axum::Json;
use axum::extract::State;

use super::extract::Query;
use super::route::{Route, route};
use crate::app::App;
use crate::error::Error;
pub(super) use record::{Pending, Repeated};

pub(super) fn routes() -> Vec<Route> {
    vec![route!(list, Administer)]
}

/// Lists the audit log, newest first.
#[utoipa::path(
    get,
    path = "/audit",
    operation_id = "listAuditLog",
    tag = "audit",
    params(AuditQuery),
    responses(
        (status = 200, description = "A page of entries", body = Page<AuditView>),
    )
)]
pub(super) async fn list(
    State(app): State<Arc<App>>,
    Query(query): Query<AuditQuery>,
) -> Result<Json<Page<AuditView>>, Error> {
    app.audit.list(query).await.map(Json)
}

#[cfg(test)]
mod tests;
