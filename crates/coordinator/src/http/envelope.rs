//! Errors from before a handler is reached have the same shape.

use accord_api::ErrorName;
use axum::body::to_bytes;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};

use crate::error::Error;

/// The framework's own messages are a line long.
const MESSAGE_BYTES: usize = 4_096;

/// Turns the framework's refusals, which are plain text, into our shape.
pub(super) async fn wrap(response: Response) -> Response {
    let name = match response.status() {
        StatusCode::BAD_REQUEST | StatusCode::UNPROCESSABLE_ENTITY => ErrorName::InvalidRequest,
        StatusCode::PAYLOAD_TOO_LARGE => ErrorName::RequestTooLarge,
        StatusCode::UNSUPPORTED_MEDIA_TYPE => ErrorName::UnsupportedMediaType,
        _ => return response,
    };
    let content_type = response.headers().get(header::CONTENT_TYPE);
    if content_type.is_some_and(|value| value == "application/json") {
        return response;
    }
    let message = match to_bytes(response.into_body(), MESSAGE_BYTES).await {
        Ok(bytes) if !bytes.is_empty() => String::from_utf8_lossy(&bytes).into_owned(),
        _ => "invalid request".to_owned(),
    };
    Error::new(name, message).into_response()
}
