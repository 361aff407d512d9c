//! How servers that imitate OpenAI Chat treat a schema. The script never sees a request that is
//! rejected here.

use serde_json::{Value, json};

use super::request::RecordedRequest;
use super::wire::Wire;

/// What the server does with a `response_format` of the type `json_schema`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum JsonSchemaHabit {
    /// Accepts it and lets the script answer. A server that ignores the schema looks the same to a
    /// client; to simulate one, script an answer that does not conform.
    #[default]
    Takes,
    /// Answers 400, like servers that only support `json_object`.
    Refuses,
    /// Answers 400 if the request also has tools.
    RefusesBesideTools,
}

impl JsonSchemaHabit {
    /// The body of the 400 response, if the server rejects the request.
    pub(super) fn refusal(self, request: &RecordedRequest) -> Option<Value> {
        if request.wire != Wire::Chat || request.schema().is_none() {
            return None;
        }
        let message = match self {
            Self::Takes => return None,
            Self::RefusesBesideTools if request.tools().is_empty() => return None,
            Self::Refuses => "This response_format type is unavailable now",
            Self::RefusesBesideTools => {
                "json_schema response format cannot be combined with tool/function calling"
            }
        };
        Some(json!({"error": {
            "message": message,
            "type": "invalid_request_error",
            "param": null,
            "code": "invalid_request_error",
        }}))
    }
}
