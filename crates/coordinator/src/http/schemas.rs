//! `/schemas`.

use std::sync::Arc;

use accord_api::{
    CreateSchema, ErrorBody, InferSchema, InferSchemaAnswer, Page, PageQuery, SchemaView, ValidateSchema,
    ValidateSchemaAnswer,
};
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::IntoResponse;

use super::answers::{Written, written};
use super::documents::{Create, document_handlers};
use super::extract::{JsonBody, Query};
use super::incoming::Takes;
use super::route::{CHANGES_NOTHING, Route, Scope, route};
use super::{body, conditions};
use crate::app::App;
use crate::error::Error;

pub(super) fn routes() -> Vec<Route> {
    vec![
        route!(list, Read).for_runs(Scope::Free),
        route!(create, Administer).takes(Takes::DEFINITION).audited_as("schema.created", "/name"),
        route!(validate, Read).takes(Takes::DATA).not_audited(CHANGES_NOTHING),
        route!(infer, Read).takes(Takes::DATA).not_audited(CHANGES_NOTHING),
        route!(show, Read).for_runs(Scope::Free),
        route!(remove, Administer).audited("schema.deleted"),
    ]
}

document_handlers! {
    service: schemas, view: SchemaView, names: "Schema" "schema",
    show: "Returns a registered schema.",
    remove: "Deletes a schema that no agent references.", conflict: "SchemaInUse",
}

/// Lists registered schemas by name.
#[utoipa::path(
    get,
    path = "/schemas",
    operation_id = "listSchemas",
    tag = "schemas",
    params(PageQuery),
    responses((status = 200, description = "A page of schemas", body = Page<SchemaView>))
)]
pub(super) async fn list(
    State(app): State<Arc<App>>,
    Query(query): Query<PageQuery>,
) -> Result<Written, Error> {
    written(app.schemas.list(query).await?).await
}

/// Registers a schema. Registered schemas are immutable: the same name with a different schema is rejected.
#[utoipa::path(
    post,
    path = "/schemas",
    operation_id = "createSchema",
    tag = "schemas",
    params(("Idempotency-Key" = Option<String>, Header, description = "Idempotency key: repeating the request returns the first response")),
    request_body = CreateSchema,
    responses(
        (status = 201, description = "The schema", body = SchemaView),
        (status = 400, description = "InvalidRequest, InvalidSchema", body = ErrorBody),
        (status = 409, description = "SchemaExists, IdempotencyConflict", body = ErrorBody),
    )
)]
pub(super) async fn create(
    Create { app, body, promise }: Create<CreateSchema>,
) -> Result<impl IntoResponse, Error> {
    let schema = app.schemas.create(body, promise).await?;
    Ok((StatusCode::CREATED, conditions::etag(&schema.hash), Json(schema)))
}

/// Validates and lints a schema, and validates a text or a value against it. Nothing is stored.
#[utoipa::path(
    post,
    path = "/schemas/validate",
    operation_id = "validateSchema",
    tag = "schemas",
    request_body = ValidateSchema,
    responses(
        (status = 200, description = "The result of the validation", body = ValidateSchemaAnswer),
    )
)]
pub(super) async fn validate(
    State(app): State<Arc<App>>,
    JsonBody(bytes): JsonBody,
) -> Result<Json<ValidateSchemaAnswer>, Error> {
    let request: ValidateSchema = body::read(&bytes).await?;
    Ok(Json(app.schemas.validate(request).await?))
}

/// Infers a schema from examples. Nothing is stored.
#[utoipa::path(
    post,
    path = "/schemas/infer",
    operation_id = "inferSchema",
    tag = "schemas",
    request_body = InferSchema,
    responses(
        (status = 200, description = "The schema", body = InferSchemaAnswer),
    )
)]
pub(super) async fn infer(
    State(app): State<Arc<App>>,
    JsonBody(bytes): JsonBody,
) -> Result<Json<InferSchemaAnswer>, Error> {
    let request: InferSchema = body::read(&bytes).await?;
    Ok(Json(app.schemas.infer(request).await?))
}

#[cfg(test)]
mod tests;
