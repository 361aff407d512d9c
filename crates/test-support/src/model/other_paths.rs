//! Other endpoints that clients call. Agent CLIs and SDKs query them before they start; these
//! requests are neither scripted nor recorded.

use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::json;

/// The model in the model lists. Requests may name any other.
const MODEL: &str = "scripted-model";

/// A plausible count that nothing depends on.
const COUNTED_TOKENS: u64 = 42;

pub(super) fn answer(method: &Method, path: &str) -> Response {
    let body = match (method.as_str(), path) {
        ("GET" | "HEAD", "/") => return StatusCode::OK.into_response(),
        ("POST", "/v1/messages/count_tokens") => json!({"input_tokens": COUNTED_TOKENS}),
        ("GET", "/v1/models" | "/models") => json!({
            "object": "list",
            "data": [{"id": MODEL, "object": "model", "type": "model", "created": 0, "owned_by": "tests"}],
            "has_more": false,
        }),
        ("GET", "/api/version") => json!({"version": "0.13.0"}),
        ("GET", "/api/tags") => json!({"models": [{"name": MODEL, "model": MODEL}]}),
        ("POST", "/api/show") => {
            json!({"capabilities": ["completion", "tools", "thinking"], "model_info": {}})
        }
        _ => {
            let message = format!("The model server of the tests knows no {method} {path}");
            let body = json!({"error": {"message": message, "type": "not_found_error"}});
            return (StatusCode::NOT_FOUND, axum::Json(body)).into_response();
        }
    };
    axum::Json(body).into_response()
}
