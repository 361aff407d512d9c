//! `/keys`.

use std::sync::Arc;

use accord_api::{CreateKey, CreatedKey, ErrorBody, KeyView, Page};
use axum::Json;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};

use super::extract::{JsonBody, Query};
use super::incoming::Takes;
use super::paging::FewQuery;
use super::route::{Route, route};
use super::{body, conditions};
use crate::app::App;
use crate::error::Error;

pub(super) fn routes() -> Vec<Route> {
    vec![
        route!(list, Administer),
        route!(create, Administer).takes(Takes::SETTINGS).audited_as("key.created", "/key_id"),
        route!(remove, Administer).audited("key.deleted"),
    ]
}

/// Why a request for a key cannot be repeated, and what to do instead.
const SHOWN_ONCE: &str = "the secret of a key is shown only once and not stored, so the response cannot be repeated; omit the header, and revoke a key whose response was lost (GET /keys, DELETE /keys/{id})";

/// Lists all API keys, without their secrets.
#[utoipa::path(
    get,
    path = "/keys",
    operation_id = "listKeys",
    tag = "keys",
    params(FewQuery),
    responses(
        (status = 200, description = "The keys, oldest first", body = Page<KeyView>),
    )
)]
pub(super) async fn list(
    State(app): State<Arc<App>>,
    Query(query): Query<FewQuery>,
) -> Result<Json<Page<KeyView>>, Error> {
    app.keys.list(query.limit, query.cursor.as_deref()).await.map(Json)
}

/// Creates an API key. The secret is shown only once.
///
/// It is not stored, so the response cannot be repeated: an `Idempotency-Key` is rejected.
#[utoipa::path(
    post,
    path = "/keys",
    operation_id = "createKey",
    tag = "keys",
    request_body = CreateKey,
    responses(
        (status = 201, description = "The key, with its secret", body = CreatedKey),
    )
)]
pub(super) async fn create(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
    JsonBody(bytes): JsonBody,
) -> Result<(StatusCode, Json<CreatedKey>), Error> {
    conditions::no_promise(&headers, SHOWN_ONCE)?;
    let create: CreateKey = body::read(&bytes).await?;
    Ok((StatusCode::CREATED, Json(app.keys.create(create).await?)))
}

/// Revokes an API key.
#[utoipa::path(
    delete,
    path = "/keys/{id}",
    operation_id = "deleteKey",
    tag = "keys",
    params(("id" = String, Path, description = "Key id")),
    responses(
        (status = 204, description = "Deleted"),
        (status = 404, description = "KeyNotFound", body = ErrorBody),
    )
)]
pub(super) async fn remove(State(app): State<Arc<App>>, Path(id): Path<String>) -> Result<StatusCode, Error> {
    let id = id
        .parse()
        .map_err(|_| Error::new(accord_api::ErrorName::KeyNotFound, format!("API key '{id}' not found")))?;
    app.keys.delete(&id).await?;
    Ok(StatusCode::NO_CONTENT)
}
