//! The client side of JSON-RPC.

use serde_json::{Map, Value, json};

#[derive(Debug, PartialEq)]
pub(super) enum Incoming {
    /// An answer. No id where it has one that we cannot have given.
    Answer {
        id: Option<u64>,
        outcome: Result<Value, String>,
    },
    Request {
        id: Value,
        method: String,
    },
    Progress(u64),
    /// Anything else that wants no answer.
    Notification,
}

/// Reads a message, if it is one.
pub(super) fn read(text: &str) -> Option<Incoming> {
    let Ok(Value::Object(mut message)) = serde_json::from_str::<Value>(text) else { return None };
    if message.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return None;
    }
    match (message.remove("method"), message.remove("id")) {
        (Some(Value::String(method)), Some(id)) => Some(Incoming::Request { id, method }),
        (Some(Value::String(method)), None) => Some(notification(&method, &message)),
        (None, Some(id)) => Some(Incoming::Answer { id: id.as_u64(), outcome: outcome(message)? }),
        _ => None,
    }
}

fn notification(method: &str, message: &Map<String, Value>) -> Incoming {
    let token = message.get("params").and_then(|params| params.get("progressToken")).and_then(Value::as_u64);
    match (method, token) {
        ("notifications/progress", Some(token)) => Incoming::Progress(token),
        _ => Incoming::Notification,
    }
}

fn outcome(mut message: Map<String, Value>) -> Option<Result<Value, String>> {
    if let Some(result) = message.remove("result") {
        return Some(Ok(result));
    }
    let error = message.remove("error")?;
    let words = error.get("message").and_then(Value::as_str).unwrap_or("no reason given");
    let code = error.get("code").and_then(Value::as_i64).map(|code| format!(" ({code})")).unwrap_or_default();
    Some(Err(format!("{words}{code}")))
}

pub(super) fn request(id: u64, method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

pub(super) fn telling(method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "method": method, "params": params})
}

/// The answer to a question of the server's own: it may know whether we live, and nothing else.
pub(super) fn reply(id: Value, method: &str) -> Value {
    match method {
        "ping" => json!({"jsonrpc": "2.0", "id": id, "result": {}}),
        _ => {
            let message = format!("unknown method '{method}'");
            json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32601, "message": message}})
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distinguishes_messages() {
        let cases = [
            (
                r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
                Some(Incoming::Answer { id: Some(1), outcome: Ok(json!({})) }),
            ),
            (
                r#"{"jsonrpc":"2.0","id":"1","error":{"code":-1,"message":"no"}}"#,
                Some(Incoming::Answer { id: None, outcome: Err("no (-1)".to_owned()) }),
            ),
            (
                r#"{"jsonrpc":"2.0","id":"a","method":"ping"}"#,
                Some(Incoming::Request { id: json!("a"), method: "ping".to_owned() }),
            ),
            (
                r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":1}}"#,
                Some(Incoming::Progress(7)),
            ),
            (r#"{"jsonrpc":"2.0","method":"notifications/message"}"#, Some(Incoming::Notification)),
            (r#"{"jsonrpc":"2.0","id":1}"#, None),
            (r#"{"id":1,"result":{}}"#, None),
            ("hello", None),
            ("[]", None),
        ];
        for (text, expected) in cases {
            assert_eq!(read(text), expected, "{text}");
        }
    }
}
