//! `/inputs`: what people are asked.

use std::sync::Arc;

use accord_api::{AnswerInput, ErrorBody, InputLink, InputQuery, InputRequest, Page};
use accord_domain::audit::Actor;
use accord_domain::id::InputId;
use axum::extract::{FromRequestParts, State};
use axum::http::header::{CACHE_CONTROL, REFERRER_POLICY};
use axum::http::request::Parts;
use axum::http::{HeaderName, StatusCode};
use axum::response::IntoResponse;
use axum::{Extension, Json};

use super::answers::{Written, written};
use super::body;
use super::extract::{Id, JsonBody, Query};
use super::incoming::Takes;
use super::route::{Route, route};
use crate::app::{App, Caller};
use crate::error::Error;

pub(super) fn routes() -> Vec<Route> {
    vec![
        route!(list, Read),
        route!(one, Read),
        route!(answer, Call).takes(Takes::PAGE).audited("input.answered"),
        route!(link, Call).audited("input_link.created"),
        route!(by_link, Open),
        route!(answer_by_link, Open).takes(Takes::PAGE).audited_as("input.answered", "/id"),
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
) -> Result<Written, Error> {
    written(app.inputs.list(query).await?).await
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
    app.inputs.answer(&id, body::read(&bytes).await?, caller.actor()).await.map(Json)
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
) -> Result<impl IntoResponse, Error> {
    app.inputs.link(&id).await.map(|link| (StatusCode::CREATED, PRIVATE, Json(link)))
}

/// The header with the token of a link. It is not in the path, because servers and proxies write paths to their logs.
const LINK: &str = "accord-input-link";

/// The request of the link in the header. A body is not read before it was found.
pub(super) struct Linked(InputRequest);

impl FromRequestParts<Arc<App>> for Linked {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Error> {
        let token = parts.headers.get(LINK).and_then(|token| token.to_str().ok());
        app.inputs.by_link(token.unwrap_or_default()).await.map(Self)
    }
}

/// Whoever has seen the answer to a link may not be the next who uses this browser.
const PRIVATE: [(HeaderName, &str); 2] = [(CACHE_CONTROL, "no-store"), (REFERRER_POLICY, "no-referrer")];

/// Returns the request for input of a one-time link.
#[utoipa::path(
    get,
    path = "/input-links",
    operation_id = "getInputByLink",
    tag = "inputs",
    params(("Accord-Input-Link" = String, Header, description = "The token of the link")),
    responses(
        (status = 200, description = "The request", body = InputRequest),
        (status = 403, description = "Forbidden: the link was altered, used or replaced", body = ErrorBody),
    )
)]
pub(super) async fn by_link(Linked(request): Linked) -> impl IntoResponse {
    (PRIVATE, Json(request))
}

/// Answers the request for input of a one-time link.
#[utoipa::path(
    post,
    path = "/input-links",
    operation_id = "answerInputByLink",
    tag = "inputs",
    params(("Accord-Input-Link" = String, Header, description = "The token of the link")),
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
    Linked(request): Linked,
    JsonBody(bytes): JsonBody,
) -> Result<impl IntoResponse, Error> {
    let answered = app.inputs.answer(&request.id, body::read(&bytes).await?, Actor::Link).await?;
    Ok((PRIVATE, Json(answered)))
}
