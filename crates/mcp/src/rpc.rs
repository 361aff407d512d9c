//! JSON-RPC 2.0: reading what came, writing what goes.

use accord_api::read_strictly;
use serde_json::{Map, Value, json};

/// The text is not JSON.
pub(crate) const NOT_JSON: i32 = -32700;
/// It is JSON, and no request.
pub(crate) const NOT_A_REQUEST: i32 = -32600;
pub(crate) const NO_SUCH_METHOD: i32 = -32601;
/// The parameters do not fit the method.
pub(crate) const BAD_PARAMETERS: i32 = -32602;
/// The server cannot do it now.
pub(crate) const BUSY: i32 = -32000;

/// The most messages of a batch. Clients that send batches at all send a few.
const MOST_IN_A_BATCH: usize = 64;

/// What came in one piece.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Incoming {
    One(Message),
    /// Several, to be answered together. A message that cannot be read is answered with its error.
    Batch(Vec<Result<Message, Value>>),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Message {
    /// Wants an answer.
    Request(Request),
    /// Wants none.
    Notification { method: String, params: Value },
    /// Answers something that we never asked.
    Response,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Request {
    /// A number or a string, given back as it came.
    pub(crate) id: Value,
    /// What is to be done.
    pub(crate) method: String,
    pub(crate) params: Value,
}

/// Reads what came. What cannot be read is answered with the error that comes back.
pub(crate) fn read(text: &[u8]) -> Result<Incoming, Value> {
    let value: Value = read_strictly(text).map_err(|error| unreadable(text, &error))?;
    match value {
        Value::Array(messages) if messages.is_empty() => Err(refused("the batch is empty")),
        Value::Array(messages) if messages.len() > MOST_IN_A_BATCH => {
            let count = messages.len();
            Err(refused(&format!("the batch has {count} messages; the limit is {MOST_IN_A_BATCH}")))
        }
        Value::Array(messages) => Ok(Incoming::Batch(messages.into_iter().map(one).collect())),
        value => one(value).map(Incoming::One),
    }
}

/// If only a key is duplicate, the request id is known: the error answers that request.
fn unreadable(text: &[u8], error: &serde_json::Error) -> Value {
    let said = serde_json::from_slice::<Value>(text).ok().filter(|_| error.is_data());
    match said {
        Some(said) => {
            let id = said.get("id").filter(|id| id.is_string() || id.is_number());
            failure(id.cloned().unwrap_or_default(), NOT_A_REQUEST, &error.to_string())
        }
        None => failure(Value::Null, NOT_JSON, &format!("invalid JSON: {error}")),
    }
}

fn one(value: Value) -> Result<Message, Value> {
    match value {
        Value::Object(members) => message(members),
        _ => Err(refused("expected a JSON object")),
    }
}

fn message(mut members: Map<String, Value>) -> Result<Message, Value> {
    if members.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return Err(refused("jsonrpc must be \"2.0\""));
    }
    let params = members.remove("params").unwrap_or(Value::Null);
    match (members.remove("method"), members.remove("id")) {
        (Some(Value::String(method)), None) => Ok(Message::Notification { method, params }),
        (Some(Value::String(method)), Some(id @ (Value::String(_) | Value::Number(_)))) => {
            Ok(Message::Request(Request { id, method, params }))
        }
        (Some(Value::String(_)), Some(_)) => Err(refused("id must be a string or a number")),
        (None, _) if members.contains_key("result") || members.contains_key("error") => Ok(Message::Response),
        _ => Err(refused("method must be a string")),
    }
}

fn refused(message: &str) -> Value {
    failure(Value::Null, NOT_A_REQUEST, message)
}

/// The answer to a request that went well.
pub(crate) fn success(id: Value, result: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "result": result})
}

/// The answer to one that did not.
pub(crate) fn failure(id: Value, code: i32, message: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})
}

/// Sets a member of an object; other values are left as they are.
pub(crate) fn set(object: &mut Value, key: &str, value: Value) {
    if let Value::Object(members) = object {
        members.insert(key.to_owned(), value);
    }
}

/// Something that wants no answer.
pub(crate) fn notification(method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "method": method, "params": params})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_classified() {
        let request =
            |id: Value| Message::Request(Request { id, method: "ping".into(), params: Value::Null });
        let cases = [
            (json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}), request(json!(1))),
            (json!({"jsonrpc": "2.0", "id": "a", "method": "ping"}), request(json!("a"))),
            (
                json!({"jsonrpc": "2.0", "method": "notifications/initialized", "params": {}}),
                Message::Notification { method: "notifications/initialized".into(), params: json!({}) },
            ),
            (json!({"jsonrpc": "2.0", "id": 1, "result": {}}), Message::Response),
            (json!({"jsonrpc": "2.0", "id": 1, "error": {}}), Message::Response),
        ];
        for (text, expected) in cases {
            assert_eq!(read(text.to_string().as_bytes()), Ok(Incoming::One(expected)), "{text}");
        }
    }

    #[test]
    fn a_batch_has_messages_and_not_too_many() {
        let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
        let batch = |count: usize| read(Value::from(vec![ping.clone(); count]).to_string().as_bytes());
        assert!(
            matches!(batch(MOST_IN_A_BATCH), Ok(Incoming::Batch(messages)) if messages.len() == MOST_IN_A_BATCH)
        );
        let answer = batch(MOST_IN_A_BATCH + 1).unwrap_err();
        assert_eq!(answer["error"]["message"], "the batch has 65 messages; the limit is 64");
    }

    #[test]
    fn rejects_duplicate_keys() {
        let text = br#"{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"arguments": {"k": 1, "k": 2}}}"#;
        let answer = read(text).unwrap_err();
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(7), &json!(NOT_A_REQUEST)));
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.starts_with("duplicate key \"k\"; give it once at line 1 "), "{message}");
    }

    #[test]
    fn invalid_messages_are_answered_with_an_error() {
        let cases: [(&[u8], i32); 9] = [
            (b"", NOT_JSON),
            (b"{", NOT_JSON),
            (b"\xff", NOT_JSON),
            (b"1", NOT_A_REQUEST),
            (b"[]", NOT_A_REQUEST),
            (b"{}", NOT_A_REQUEST),
            (br#"{"jsonrpc": "1.0", "id": 1, "method": "ping"}"#, NOT_A_REQUEST),
            (br#"{"jsonrpc": "2.0", "id": null, "method": "ping"}"#, NOT_A_REQUEST),
            (br#"{"jsonrpc": "2.0", "id": 1, "method": 2}"#, NOT_A_REQUEST),
        ];
        for (text, code) in cases {
            let answer = read(text).unwrap_err();
            assert_eq!((&answer["id"], &answer["error"]["code"]), (&Value::Null, &json!(code)), "{answer}");
        }
    }
}
