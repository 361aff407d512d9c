//! Messages of JSON-RPC, one a line, as the app server of Codex and ACP agents write them.

use serde_json::Value;

use super::{Program, excerpt};
use crate::json;

/// An error that the program reports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RpcError {
    pub(super) code: i64,
    pub(super) message: String,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Message {
    /// The answer to a request of ours.
    Response {
        id: u64,
        result: Result<Value, RpcError>,
    },
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
    /// Reads a line of a program, or says what is wrong with it.
    pub(super) fn read(program: &Program, line: &str) -> Result<Self, String> {
        let wrong = || format!("{} wrote an invalid message: '{}'", program.title, excerpt(line));
        let mut value: Value = json::read_message(line).map_err(|_| wrong())?;
        let mut take = |name: &str| value.get_mut(name).map(Value::take);
        let (method, id) = (take("method"), take("id"));
        let method = method.and_then(|method| method.as_str().map(str::to_owned));
        match (method, id) {
            (Some(method), None) => {
                Ok(Self::Notification { method, params: take("params").unwrap_or_default() })
            }
            (Some(method), Some(id)) => {
                Ok(Self::Request { id, method, params: take("params").unwrap_or_default() })
            }
            (None, Some(id)) => {
                let id = id.as_u64().ok_or_else(wrong)?;
                let result = match take("error").filter(|error| !error.is_null()) {
                    None => Ok(take("result").unwrap_or_default()),
                    Some(error) => Err(RpcError::read(&error)),
                };
                Ok(Self::Response { id, result })
            }
            (None, None) => Err(wrong()),
        }
    }
}

impl RpcError {
    /// The message, and the details where there are some: "Internal error" alone says nothing.
    fn read(error: &Value) -> Self {
        let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
        let message = text(error.get("message")).unwrap_or_else(|| "no reason given".to_owned());
        let details = error.get("data").and_then(|data| {
            let named = ["details", "message", "error"].iter().find_map(|name| text(data.get(*name)));
            named.or_else(|| data.as_str().map(str::to_owned))
        });
        let message = match details.filter(|details| *details != message) {
            Some(details) => format!("{message}: {details}"),
            None => message,
        };
        Self {
            code: error.get("code").and_then(Value::as_i64).unwrap_or_default(),
            message: excerpt(&message),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::ACP;
    use super::*;

    #[test]
    fn distinguishes_messages() {
        let read = |text: &str| Message::read(&ACP, text).unwrap();
        let params = json!({"a": 1});
        let told = Message::Notification { method: "session/update".to_owned(), params: params.clone() };
        assert_eq!(read(r#"{"jsonrpc": "2.0", "method": "session/update", "params": {"a": 1}}"#), told);
        let asked = Message::Request { id: json!("q"), method: "x".to_owned(), params: json!(null) };
        assert_eq!(read(r#"{"id": "q", "method": "x"}"#), asked);
        assert_eq!(read(r#"{"id": 3, "result": {"a": 1}}"#), Message::Response { id: 3, result: Ok(params) });
        for text in ["Loading…", "[1]", "{}", r#"{"id": "x", "result": 1}"#] {
            let expected = format!("the ACP agent wrote an invalid message: '{text}'");
            assert_eq!(Message::read(&ACP, text).unwrap_err(), expected);
        }
    }

    #[test]
    fn errors_say_their_details() {
        let read = |error: Value| match Message::read(&ACP, &json!({"id": 1, "error": error}).to_string()) {
            Ok(Message::Response { result: Err(RpcError { code, message }), .. }) => (code, message),
            other => panic!("{other:?}"),
        };
        let detailed = json!({"code": -32603, "message": "Internal error", "data": {"details": "no key"}});
        assert_eq!(read(detailed), (-32603, "Internal error: no key".to_owned()));
        assert_eq!(read(json!({"code": 1, "message": "a", "data": "a"})), (1, "a".to_owned()));
        assert_eq!(read(json!({})), (0, "no reason given".to_owned()));
    }
}
