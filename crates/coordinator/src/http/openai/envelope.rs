//! Errors as OpenAI's clients expect them: `{"error": {"message", "type", "param", "code"}}`.
//!
//! Every error of these routes passes here, also those from before a handler is reached. `code` is our name of the error, or why
//! the run failed; two of OpenAI's own codes are kept, because clients look for them.

use accord_api::{ErrorBody, ErrorName, FailureType, RunStatus, RunView, WorkflowRunView, WorkflowStatus};
use axum::Json;
use axum::body::to_bytes;
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use serde::Serialize;
use serde_json::{Value, json};

use super::statuses::{self, Unanswered};
use crate::error::Error;

/// The body of an error.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub(in crate::http) struct OpenAiError {
    error: ErrorFields,
}

/// An error.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
#[schema(as = OpenAiErrorFields)]
pub(super) struct ErrorFields {
    /// What happened, and what to do.
    pub(super) message: String,
    /// `invalid_request_error`, `authentication_error`, `permission_error`, `rate_limit_error` or `server_error`.
    #[serde(rename = "type")]
    pub(super) kind: &'static str,
    /// The field that is wrong.
    pub(super) param: Option<String>,
    /// A stable identifier: `model_not_found`, `invalid_api_key`, another error name, or why the run failed.
    pub(super) code: String,
    /// Additional data; depends on the error.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub(super) details: Option<Value>,
}

/// Tells the official clients that the same request would fail again. Without it they repeat some errors twice.
const SHOULD_RETRY: HeaderName = HeaderName::from_static("x-should-retry");

/// Errors are small; a larger body is none of ours.
const MOST_BYTES: usize = 1024 * 1024;

/// The same response, with an error of ours in OpenAI's envelope.
pub(in crate::http) async fn wrap(response: Response) -> Response {
    let is_error = response.status().is_client_error() || response.status().is_server_error();
    if !is_error || response.headers().get(CONTENT_TYPE).is_none_or(|kind| kind != "application/json") {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let Ok(bytes) = to_bytes(body, MOST_BYTES).await else {
        return Error::internal("an error larger than the limit").into_response();
    };
    let Ok(body) = serde_json::from_slice::<ErrorBody>(&bytes) else {
        // In the envelope already.
        return Response::from_parts(parts, bytes.into());
    };
    parts.headers.remove(CONTENT_LENGTH);
    parts.headers.remove(CONTENT_TYPE);
    if let Some(name) = ErrorName::ALL.iter().find(|name| name.as_str() == body.error) {
        parts.status = statuses::of_error(*name);
    }
    if !statuses::may_pass(parts.status) {
        parts.headers.insert(SHOULD_RETRY, HeaderValue::from_static("false"));
    }
    let error = fields(body, parts.status);
    (parts.status, parts.headers, parts.extensions, Json(OpenAiError { error })).into_response()
}

fn fields(body: ErrorBody, status: StatusCode) -> ErrorFields {
    let mut details = body.details;
    let param = details.as_mut().and_then(|details| details.as_object_mut()?.shift_remove("param"));
    let param = param.and_then(|param| param.as_str().map(str::to_owned));
    let is_model = [ErrorName::AgentNotFound, ErrorName::WorkflowNotFound]
        .iter()
        .any(|name| name.as_str() == body.error);
    ErrorFields {
        message: body.message,
        kind: kind(status),
        param: param.or_else(|| is_model.then(|| "model".to_owned())),
        code: match body.error.as_str() {
            _ if is_model => "model_not_found".to_owned(),
            "Unauthorized" => "invalid_api_key".to_owned(),
            other => other.to_owned(),
        },
        details: details.filter(|details| details.as_object().is_none_or(|members| !members.is_empty())),
    }
}

/// An error that is found after a stream has begun.
pub(super) fn of_error(error: &Error) -> ErrorFields {
    fields(error.body(), statuses::of_error(error.name()))
}

fn kind(status: StatusCode) -> &'static str {
    match status {
        StatusCode::UNAUTHORIZED => "authentication_error",
        StatusCode::FORBIDDEN => "permission_error",
        StatusCode::TOO_MANY_REQUESTS => "rate_limit_error",
        status if status.is_client_error() => "invalid_request_error",
        _ => "server_error",
    }
}

/// Why a run has no answer, with the status for clients that wait for it.
pub(super) fn of_run(run: &RunView) -> (StatusCode, ErrorFields) {
    let failure = run.error.as_ref();
    let reason = match (failure, run.status) {
        (Some(failure), _) => failure.kind,
        (None, RunStatus::Stopped) => FailureType::Stopped,
        (None, _) => FailureType::ExecutorFailed,
    };
    let message =
        failure.map_or_else(|| format!("the run was {}", run.status), |failure| failure.message.clone());
    let errors = failure.map(|failure| failure.validation_errors.as_slice()).unwrap_or_default();
    let mut details = json!({"run_id": run.run_id});
    if let (false, Some(details)) = (errors.is_empty(), details.as_object_mut()) {
        details.insert("validation_errors".to_owned(), json!(errors));
    }
    failure_fields(statuses::of_failure(reason), message, details)
}

/// The same for a workflow run.
pub(super) fn of_workflow_run(run: &WorkflowRunView) -> (StatusCode, ErrorFields) {
    let reason = match (run.failure_kind(), run.status) {
        (Some(kind), _) => kind,
        (None, WorkflowStatus::Stopped) => FailureType::Stopped.as_str(),
        (None, _) => "workflow_failed",
    };
    let message = run
        .error
        .as_ref()
        .map_or_else(|| format!("the workflow run was {}", run.status), |failure| failure.message.clone());
    let details = json!({"workflow_run_id": run.workflow_run_id});
    failure_fields(statuses::of_workflow_failure(reason), message, details)
}

fn failure_fields(unanswered: Unanswered<'_>, message: String, details: Value) -> (StatusCode, ErrorFields) {
    let Unanswered { status, code } = unanswered;
    let code = code.to_owned();
    (status, ErrorFields { message, kind: kind(status), param: None, code, details: Some(details) })
}

/// A response that says why a run has no answer. It is not repeated by itself: that would be another run.
pub(super) fn failed(status: StatusCode, error: ErrorFields) -> Response {
    (status, [(SHOULD_RETRY, "false")], Json(OpenAiError { error })).into_response()
}

/// The same as the data of an event.
pub(super) fn event(error: ErrorFields) -> OpenAiError {
    OpenAiError { error }
}
