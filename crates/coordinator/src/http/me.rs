//! `/me`.

use std::sync::Arc;

use accord_api::MeView;
use axum::routing::get;
use axum::{Extension, Json, Router};

use crate::app::{App, Caller};

pub(super) fn routes() -> Router<Arc<App>> {
    Router::new().route("/me", get(me))
}

/// Returns the role and the name of the API key that the request was sent with.
#[utoipa::path(
    get,
    path = "/me",
    operation_id = "getMe",
    tag = "keys",
    responses((status = 200, description = "Who is asking", body = MeView))
)]
pub(super) async fn me(Extension(caller): Extension<Caller>) -> Json<MeView> {
    let name = caller.requested_by.and_then(|by| by.key_name);
    Json(MeView {
        role: caller.role,
        key_required: caller.key_id.is_some(),
        key_id: caller.key_id,
        name,
        expires_at: caller.expires_at,
    })
}
