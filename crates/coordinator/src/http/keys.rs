//! `/keys`.

use std::sync::Arc;

use accord_api::{CreateKey, CreatedKey, ErrorBody, KeyView, Page};
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::routing::{delete, get};
use axum::{Json, Router};

use super::body;
use super::extract::JsonBody;
use crate::app::App;
use crate::error::Error;

pub(super) fn routes() -> Router<Arc<App>> {
    Router::new().route("/keys", get(list).post(create)).route("/keys/{id}", delete(remove))
}

/// All keys, without their secrets.
#[utoipa::path(
    get,
    path = "/keys",
    tag = "keys",
    responses((status = 200, description = "The keys, oldest first", body = Page<KeyView>))
)]
pub(super) async fn list(State(app): State<Arc<App>>) -> Result<Json<Page<KeyView>>, Error> {
    Ok(Json(Page { items: app.list_keys().await?, next_cursor: None }))
}

/// Makes a key. Its secret is shown this once.
#[utoipa::path(
    post,
    path = "/keys",
    tag = "keys",
    request_body = CreateKey,
    responses(
        (status = 201, description = "The key, with its secret", body = CreatedKey),
        (status = 400, description = "InvalidRequest", body = ErrorBody),
    )
)]
pub(super) async fn create(
    State(app): State<Arc<App>>,
    JsonBody(bytes): JsonBody,
) -> Result<(StatusCode, Json<CreatedKey>), Error> {
    let create: CreateKey = body::read(&bytes)?;
    Ok((StatusCode::CREATED, Json(app.create_key(create).await?)))
}

/// Removes a key. It opens nothing from then on.
#[utoipa::path(
    delete,
    path = "/keys/{id}",
    tag = "keys",
    params(("id" = String, Path, description = "The key's id")),
    responses(
        (status = 204, description = "It is gone"),
        (status = 404, description = "KeyNotFound", body = ErrorBody),
    )
)]
pub(super) async fn remove(State(app): State<Arc<App>>, Path(id): Path<String>) -> Result<StatusCode, Error> {
    let id = id.parse().map_err(|_| {
        Error::new(
            accord_api::ErrorName::KeyNotFound,
            format!("there is no key '{id}'; GET /keys lists them"),
        )
    })?;
    app.delete_key(&id).await?;
    Ok(StatusCode::NO_CONTENT)
}
