//! `/me`.

use accord_api::MeView;
use axum::{Extension, Json};

use super::route::{Route, route};
use crate::app::Caller;

pub(super) fn routes() -> Vec<Route> {
    vec![route!(me, Known)]
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
