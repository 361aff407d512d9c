//! `/schemas`.

use std::sync::Arc;

use accord_api::{
    CreateSchema, ErrorBody, InferSchema, InferSchemaAnswer, Page, PageQuery, SchemaView, ValidateSchema,
    ValidateSchemaAnswer,
};
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Extension, Json, Router};

use super::extract::{JsonBody, Query};
use super::{body, conditions};
use crate::app::{App, Caller, Expected};
use crate::error::Error;
use crate::outstanding::Turn;

pub(super) fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/schemas", get(list).post(create))
        .route("/schemas/validate", post(validate))
        .route("/schemas/infer", post(infer))
        .route("/schemas/{name}", get(show).delete(remove))
}

/// The registered schemas, by name.
#[utoipa::path(
    get,
    path = "/schemas",
    tag = "schemas",
    params(PageQuery),
    responses((status = 200, description = "A page of schemas", body = Page<SchemaView>))
)]
pub(super) async fn list(
    State(app): State<Arc<App>>,
    Query(query): Query<PageQuery>,
) -> Result<Json<Page<SchemaView>>, Error> {
    Ok(Json(app.schemas(query).await?))
}

/// Registers a schema. A registered schema does not change: the same name with another schema is refused.
#[utoipa::path(
    post,
    path = "/schemas",
    tag = "schemas",
    params(("Idempotency-Key" = Option<String>, Header, description = "Makes the request safe to repeat")),
    request_body = CreateSchema,
    responses(
        (status = 201, description = "The schema", body = SchemaView),
        (status = 400, description = "InvalidRequest, InvalidSchema", body = ErrorBody),
        (status = 409, description = "SchemaExists, IdempotencyConflict", body = ErrorBody),
    )
)]
pub(super) async fn create(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    JsonBody(bytes): JsonBody,
) -> Result<impl IntoResponse, Error> {
    let promise = conditions::promise(&headers, &caller, "POST /schemas", &bytes)?;
    let create: CreateSchema = body::read(&bytes)?;
    let schema = app.create_schema(create, promise).await?;
    Ok((StatusCode::CREATED, conditions::etag(&schema.hash), Json(schema)))
}

/// One registered schema.
#[utoipa::path(
    get,
    path = "/schemas/{name}",
    tag = "schemas",
    params(
        ("name" = String, Path, description = "The schema's name"),
        ("If-None-Match" = Option<String>, Header, description = "Only if the schema has another ETag"),
    ),
    responses(
        (status = 200, description = "The schema, its hash as the ETag", body = SchemaView),
        (status = 304, description = "The schema has this ETag"),
        (status = 404, description = "SchemaNotFound", body = ErrorBody),
    )
)]
pub(super) async fn show(
    State(app): State<Arc<App>>,
    Path(name): Path<String>,
    headers: HeaderMap,
    _turn: Turn,
) -> Result<Response, Error> {
    let schema = app.schema(&name).await?;
    conditions::shown(&headers, &schema.hash, &schema)
}

/// Removes a schema that no agent refers to.
#[utoipa::path(
    delete,
    path = "/schemas/{name}",
    tag = "schemas",
    params(
        ("name" = String, Path, description = "The schema's name"),
        ("If-Match" = Option<String>, Header, description = "Only if the schema has this ETag"),
    ),
    responses(
        (status = 204, description = "It is gone"),
        (status = 404, description = "SchemaNotFound", body = ErrorBody),
        (status = 409, description = "SchemaInUse", body = ErrorBody),
        (status = 412, description = "PreconditionFailed", body = ErrorBody),
    )
)]
pub(super) async fn remove(
    State(app): State<Arc<App>>,
    Path(name): Path<String>,
    headers: HeaderMap,
) -> Result<StatusCode, Error> {
    let expected = match conditions::expected(&headers)? {
        Expected::OneOf(hashes) => Some(hashes),
        Expected::Absent => Some(Vec::new()),
        Expected::Anything | Expected::Present => None,
    };
    app.delete_schema(&name, expected.as_deref()).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Compiles and lints a schema, and judges a text or a value by it. Nothing is stored.
#[utoipa::path(
    post,
    path = "/schemas/validate",
    tag = "schemas",
    request_body = ValidateSchema,
    responses(
        (status = 200, description = "What was found", body = ValidateSchemaAnswer),
        (status = 400, description = "InvalidRequest", body = ErrorBody),
    )
)]
pub(super) async fn validate(
    State(app): State<Arc<App>>,
    JsonBody(bytes): JsonBody,
) -> Result<Json<ValidateSchemaAnswer>, Error> {
    let request: ValidateSchema = body::read(&bytes)?;
    Ok(Json(app.validate_schema(request).await?))
}

/// Makes a schema that all examples conform to. Nothing is stored.
#[utoipa::path(
    post,
    path = "/schemas/infer",
    tag = "schemas",
    request_body = InferSchema,
    responses(
        (status = 200, description = "The schema", body = InferSchemaAnswer),
        (status = 400, description = "InvalidRequest", body = ErrorBody),
    )
)]
pub(super) async fn infer(
    State(app): State<Arc<App>>,
    JsonBody(bytes): JsonBody,
) -> Result<Json<InferSchemaAnswer>, Error> {
    let request: InferSchema = body::read(&bytes)?;
    Ok(Json(app.infer_schema(request).await?))
}

#[cfg(test)]
mod tests;
