//! JSON-RPC as the app server speaks it: without the version, one message a line.

use serde_json::{Value, json};
use thiserror::Error;

use super::super::excerpt;

/// An error that Codex reports, or a line that is not a message.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0}")]
pub(super) struct RpcError(pub(super) String);

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Message {
    /// The answer to a request of ours.
    Response {
        id: u64,
        result: Result<Value, RpcError>,
    },
    /// A request to us, such as one for an approval.
    Request {
        id: Value,
        method: String,
        params: Value,
    },
    Notification {
        method: String,
        params: Value,
    },
}

impl Message {
    pub(super) fn read(line: &str) -> Result<Self, RpcError> {
        let wrong = || RpcError(format!("Codex wrote an invalid message: '{}'", excerpt(line)));
        let mut value: Value = serde_json::from_str(line).map_err(|_| wrong())?;
        let take = |value: &mut Value, name: &str| value.get_mut(name).map(Value::take);
        let method = value.get("method").and_then(Value::as_str).map(str::to_owned);
        match (method, take(&mut value, "id")) {
            (Some(method), None) => {
                Ok(Self::Notification { method, params: take(&mut value, "params").unwrap_or_default() })
            }
            (Some(method), Some(id)) => {
                Ok(Self::Request { id, method, params: take(&mut value, "params").unwrap_or_default() })
            }
            (None, Some(id)) => {
                let id = id.as_u64().ok_or_else(wrong)?;
                let error = value.get("error").filter(|error| !error.is_null());
                let message = error.map(|error| error.get("message").and_then(Value::as_str).map(excerpt));
                let result = match message {
                    None => Ok(take(&mut value, "result").unwrap_or_default()),
                    Some(message) => Err(RpcError(message.unwrap_or_else(|| "no reason given".to_owned()))),
                };
                Ok(Self::Response { id, result })
            }
            (None, None) => Err(wrong()),
        }
    }
}

pub(super) fn request(id: u64, method: &str, params: &Value) -> String {
    json!({"id": id, "method": method, "params": params}).to_string()
}

pub(super) fn notification(method: &str) -> String {
    json!({"method": method}).to_string()
}

pub(super) fn response(id: &Value, result: &Value) -> String {
    json!({"id": id, "result": result}).to_string()
}

pub(super) fn declined(id: &Value) -> String {
    json!({"id": id, "error": {"code": -32601, "message": "there is no interactive user"}}).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distinguishes_messages() {
        let read = |text: &str| Message::read(text).unwrap();
        let params = json!({"a": 1});
        let happened = Message::Notification { method: "x/y".to_owned(), params: params.clone() };
        assert_eq!(read(r#"{"method": "x/y", "params": {"a": 1}, "emittedAtMs": 3}"#), happened);
        assert_eq!(read(r#"{"id": 3, "result": {"a": 1}}"#), Message::Response { id: 3, result: Ok(params) });
        let refused = Message::Response { id: 3, result: Err(RpcError("no".to_owned())) };
        assert_eq!(read(r#"{"id": 3, "error": {"code": 1, "message": "no"}}"#), refused);
        let asked = Message::Request { id: json!("q"), method: "ask".to_owned(), params: Value::Null };
        assert_eq!(read(r#"{"id": "q", "method": "ask"}"#), asked);
        for text in ["hello", "[1]", "{}", r#"{"id": "x", "result": 1}"#] {
            let error = Message::read(text).unwrap_err();
            assert_eq!(error.to_string(), format!("Codex wrote an invalid message: '{text}'"));
        }
    }
}
