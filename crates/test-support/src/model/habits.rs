//! What servers that are compatible with the Chat wire do with a schema. The script never sees a request that a
//! habit answers.

use serde_json::{Value, json};

use super::request::RecordedRequest;
use super::wire::Wire;

/// What the server does with a `response_format` of the type `json_schema`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum JsonSchemaHabit {
    /// Takes it and lets the script answer. A server that ignores the schema looks the same from outside: it is
    /// for the script to answer with something that does not conform.
    #[default]
    Takes,
    /// Answers 400, as servers do that know only `json_object`.
    Refuses,
    /// Answers 400 when there are tools too.
    RefusesBesideTools,
}

impl JsonSchemaHabit {
    /// The body of the 400 with which the habit answers, if it does.
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
