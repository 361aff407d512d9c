//! The one door for errors: a public half that callers see, and a private half for the log.

use accord_api::{ErrorBody, ErrorName};
use accord_domain::run::change::Refused;
use accord_store::StoreError;
use axum::Json;
use axum::http::header::{RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::Value;

/// What went wrong.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{}: {message}", name.as_str())]
pub struct Error {
    name: ErrorName,
    message: String,
    /// Boxed: few errors have them, and every result would carry their size.
    details: Option<Box<Value>>,
    private: Option<String>,
    /// In how many seconds to try again.
    retry_after: Option<u32>,
}

/// An error about what is wrong in a request.
pub(crate) fn refuse(message: impl Into<String>) -> Error {
    Error::new(ErrorName::InvalidRequest, message)
}

impl Error {
    /// An error that callers see as it is.
    pub fn new(name: ErrorName, message: impl Into<String>) -> Self {
        Self { name, message: message.into(), details: None, private: None, retry_after: None }
    }

    /// Something that should not happen. The cause goes to the log only.
    pub fn internal(cause: impl ToString) -> Self {
        let message = "internal error; see the coordinator's log";
        Self { private: Some(cause.to_string()), ..Self::new(ErrorName::Internal, message) }
    }

    /// The same error with details.
    #[must_use]
    pub fn with_details(self, details: Value) -> Self {
        Self { details: Some(Box::new(details)), ..self }
    }

    /// The same error, with when to try again.
    #[must_use]
    pub(crate) fn with_retry_after(self, seconds: u32) -> Self {
        Self { retry_after: Some(seconds), ..self }
    }

    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    pub fn name(&self) -> ErrorName {
        self.name
    }

    /// What the log says: the private half, where there is one.
    pub(crate) fn cause(&self) -> &str {
        self.private.as_deref().unwrap_or(&self.message)
    }

    /// What callers see.
    pub fn body(&self) -> ErrorBody {
        ErrorBody {
            error: self.name.as_str().to_owned(),
            message: self.message.clone(),
            status_code: self.name.status(),
            details: self.details.as_deref().cloned(),
        }
    }
}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Self {
        let message = match &error {
            StoreError::Busy { .. } | StoreError::AtWork(_) => {
                format!("{error}; wait until it finishes, or stop it")
            }
            StoreError::NotRetryable { .. } => {
                format!("{error}; only a workflow run that failed or was stopped can be resumed")
            }
            StoreError::InputClosed { .. } => format!("{error}; it cannot be answered any more"),
            StoreError::Refused(_) => format!("{error}; abandon the run"),
            StoreError::IdempotencyConflict(_) => format!("{error}; use another key for another request"),
            _ => error.to_string(),
        };
        let name = match &error {
            StoreError::NoRun(_) => ErrorName::RunNotFound,
            StoreError::NoSession(_) => ErrorName::SessionNotFound,
            StoreError::NoSuch { kind, .. } => match *kind {
                "agent" => ErrorName::AgentNotFound,
                "schema" => ErrorName::SchemaNotFound,
                "runner" => ErrorName::RunnerNotFound,
                "key" => ErrorName::KeyNotFound,
                "input" => ErrorName::InputNotFound,
                "file" => ErrorName::FileNotFound,
                "workflow" => ErrorName::WorkflowNotFound,
                "workflow run" => ErrorName::WorkflowRunNotFound,
                _ => ErrorName::InvalidRequest,
            },
            StoreError::Exists { kind, .. } if *kind == "agent" => ErrorName::AgentExists,
            StoreError::Exists { kind, .. } if *kind == "workflow" => ErrorName::WorkflowExists,
            StoreError::Exists { .. } => ErrorName::SchemaExists,
            StoreError::Busy { .. } => ErrorName::SessionBusy,
            StoreError::InputClosed { .. } => ErrorName::InputClosed,
            StoreError::AtWork(_) => ErrorName::WorkflowRunBusy,
            StoreError::NotRetryable { .. } => ErrorName::NotRetryable,
            StoreError::Refused(Refused::LeaseLost { .. } | Refused::WrongStatus { .. }) => {
                ErrorName::LeaseLost
            }
            StoreError::IdempotencyConflict(_) => ErrorName::IdempotencyConflict,
            StoreError::Changed { .. } => ErrorName::PreconditionFailed,
            StoreError::Unavailable(_) => {
                let public = "the database is unavailable; retry, and see the coordinator's log";
                return Self { private: Some(message), ..Self::new(ErrorName::StoreUnavailable, public) };
            }
            StoreError::Corrupt(_) => return Self::internal(message),
        };
        Self::new(name, message)
    }
}

/// The private half of an error, in the extensions of its response, for the middleware that writes the log.
#[derive(Debug, Clone)]
pub(crate) struct Cause {
    pub(crate) error: ErrorName,
    pub(crate) cause: String,
}

impl IntoResponse for Error {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.name.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = (status, Json(self.body())).into_response();
        if let Some(cause) = self.private {
            response.extensions_mut().insert(Cause { error: self.name, cause });
        }
        if let Some(seconds) = self.retry_after {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
        if status == StatusCode::UNAUTHORIZED {
            // RFC 9110 requires the scheme here.
            response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        if matches!(self.name, ErrorName::UnreadAnswers | ErrorName::Overloaded) {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("1"));
        }
        response
    }
}

#[cfg(test)]
mod tests {
    use accord_domain::id::{RunId, SessionId};

    use super::*;

    #[test]
    fn errors_of_the_store_say_what_to_do() {
        let busy = StoreError::Busy { session: SessionId::new("a"), run: RunId::new("b") };
        let cases = [
            (busy, "ses_a has a run in progress: run_b; wait until it finishes, or stop it"),
            (
                StoreError::IdempotencyConflict("k".into()),
                "the idempotency key 'k' was already used with a different body; use another key for another request",
            ),
            (
                StoreError::Refused(Refused::LeaseLost { run: RunId::new("b") }),
                "this runner does not hold the lease on run_b, or no longer holds it; abandon the run",
            ),
        ];
        for (error, message) in cases {
            assert_eq!(Error::from(error).message(), message);
        }
    }
}
