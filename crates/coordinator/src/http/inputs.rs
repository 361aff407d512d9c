//! `/inputs`: what people are asked.

use std::sync::Arc;

use accord_api::{AnswerInput, ErrorBody, InputLink, InputQuery, InputRequest, Page};
use accord_domain::audit::Actor;
use accord_domain::id::InputId;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::{Extension, Json};

use super::body;
use super::extract::{Id, JsonBody, Query};
use super::routes::{Route, route};
use crate::app::{App, Caller};
use crate::error::Error;

pub(super) fn routes() -> Vec<Route> {
    vec![
        route!(list, Read),
        route!(one, Read),
        route!(answer, Call).audited("input.answered"),
        route!(link, Call).audited("input_link.created"),
        route!(by_link, Open),
        route!(answer_by_link, Open).not_audited("the request itself says that it was answered by a link"),
    ]
}

/// Lists requests for a person's input, newest first.
#[utoipa::path(
    get,
    path = "/inputs",
    operation_id = "listInputs",
    tag = "inputs",
    params(InputQuery),
    responses(
        (status = 200, description = "A page of requests", body = Page<InputRequest>),
    )
)]
pub(super) async fn list(
    State(app): State<Arc<App>>,
    Query(query): Query<InputQuery>,
) -> Result<Json<Page<InputRequest>>, Error> {
    app.inputs.list(query).await.map(Json)
}

/// Returns a request for input.
#[utoipa::path(
    get,
    path = "/inputs/{id}",
    operation_id = "getInput",
    tag = "inputs",
    params(("id" = InputId, Path, description = "The request")),
    responses(
        (status = 200, description = "The request", body = InputRequest),
        (status = 404, description = "InputNotFound", body = ErrorBody),
    )
)]
pub(super) async fn one(
    State(app): State<Arc<App>>,
    Id(id): Id<InputId>,
) -> Result<Json<InputRequest>, Error> {
    app.inputs.one(&id).await.map(Json)
}

/// Answers a request for input.
///
/// The answer is validated like a model's output. An answer that does not conform is refused with the location of each error, and
/// the request stays open. The first answer that conforms counts.
#[utoipa::path(
    post,
    path = "/inputs/{id}",
    operation_id = "answerInput",
    tag = "inputs",
    params(("id" = InputId, Path, description = "The request")),
    request_body = AnswerInput,
    responses(
        (status = 200, description = "The request, answered", body = InputRequest),
        (status = 400, description = "InvalidRequest", body = ErrorBody),
        (status = 404, description = "InputNotFound", body = ErrorBody),
        (status = 409, description = "InputClosed", body = ErrorBody),
        (status = 412, description = "PreconditionFailed", body = ErrorBody),
        (status = 422, description = "ContractViolation", body = ErrorBody),
    )
)]
pub(super) async fn answer(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Id(id): Id<InputId>,
    JsonBody(bytes): JsonBody,
) -> Result<Json<InputRequest>, Error> {
    app.inputs.answer(&id, body::read(&bytes)?, caller.actor()).await.map(Json)
}

/// Creates a one-time link to a request for input.
///
/// It can be used without an API key, once. A link that was created before is no longer valid.
#[utoipa::path(
    post,
    path = "/inputs/{id}/link",
    operation_id = "createInputLink",
    tag = "inputs",
    params(("id" = InputId, Path, description = "The request")),
    responses(
        (status = 201, description = "The link", body = InputLink),
        (status = 404, description = "InputNotFound", body = ErrorBody),
        (status = 409, description = "InputClosed", body = ErrorBody),
    )
)]
pub(super) async fn link(
    State(app): State<Arc<App>>,
    Id(id): Id<InputId>,
) -> Result<(StatusCode, Json<InputLink>), Error> {
    app.inputs.link(&id).await.map(|link| (StatusCode::CREATED, Json(link)))
}

/// Returns the request for input of a one-time link.
#[utoipa::path(
    get,
    path = "/input-links/{token}",
    operation_id = "getInputByLink",
    tag = "inputs",
    params(("token" = String, Path, description = "The token of the link")),
    responses(
        (status = 200, description = "The request", body = InputRequest),
        (status = 403, description = "Forbidden: the link was altered, used or replaced", body = ErrorBody),
    )
)]
pub(super) async fn by_link(
    State(app): State<Arc<App>>,
    Path(token): Path<String>,
) -> Result<Json<InputRequest>, Error> {
    app.inputs.by_link(&token).await.map(Json)
}

/// Answers the request for input of a one-time link.
#[utoipa::path(
    post,
    path = "/input-links/{token}",
    operation_id = "answerInputByLink",
    tag = "inputs",
    params(("token" = String, Path, description = "The token of the link")),
    request_body = AnswerInput,
    responses(
        (status = 200, description = "The request, answered", body = InputRequest),
        (status = 400, description = "InvalidRequest", body = ErrorBody),
        (status = 403, description = "Forbidden: the link was altered, used or replaced", body = ErrorBody),
        (status = 409, description = "InputClosed", body = ErrorBody),
        (status = 412, description = "PreconditionFailed", body = ErrorBody),
        (status = 422, description = "ContractViolation", body = ErrorBody),
    )
)]
pub(super) async fn answer_by_link(
    State(app): State<Arc<App>>,
    Path(token): Path<String>,
    JsonBody(bytes): JsonBody,
) -> Result<Json<InputRequest>, Error> {
    let request = app.inputs.by_link(&token).await?;
    app.inputs.answer(&request.id, body::read(&bytes)?, Actor::Link).await.map(Json)
}
