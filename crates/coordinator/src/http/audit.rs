//! `/audit`, and how its entries come about.

mod record;

use std::sync::Arc;

use accord_api::{AuditQuery, AuditView, ErrorBody, Page};
use axum::extract::State;
use axum::routing::get;
use axum::{Json, Router};

use super::extract::Query;
use crate::app::App;
use crate::error::Error;
pub(super) use record::{Pending, Repeated, route};

pub(super) fn routes() -> Router<Arc<App>> {
    Router::new().route("/audit", get(list))
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
        (status = 400, description = "InvalidRequest", body = ErrorBody),
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
