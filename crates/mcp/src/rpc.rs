//! Reads what came, as strictly as everything else that comes from outside.
//!
//! `rmcp` would take duplicate keys, and read messages from values, in which numbers are not kept as they are written.

use accord_api::read_strictly;
use rmcp::model::{ClientJsonRpcMessage, ErrorData, JsonRpcError, RequestId};
use rmcp::service::serve_directly;
use rmcp::transport::OneshotTransport;
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::handler::Handler;

/// The most messages of a batch. Clients that send batches at all send a few.
const MOST_IN_A_BATCH: usize = 64;

/// The answer to what cannot be read. Boxed, because it is large and rare.
pub(crate) type Refusal = Box<JsonRpcError>;

/// What came in one piece.
#[derive(Debug)]
pub(crate) enum Incoming {
    One(Box<ClientJsonRpcMessage>),
    /// Several, to be answered together. A message that cannot be read is answered with its error.
    Batch(Vec<Result<ClientJsonRpcMessage, Refusal>>),
}

/// Reads what came. What cannot be read is answered with the error that comes back.
pub(crate) fn read(text: &[u8]) -> Result<Incoming, Refusal> {
    match read_strictly(text).map_err(|error| unreadable(text, &error))? {
        Value::Array(messages) if messages.is_empty() => Err(refused("the batch is empty")),
        Value::Array(messages) if messages.len() > MOST_IN_A_BATCH => {
            let count = messages.len();
            Err(refused(format!("the batch has {count} messages; the limit is {MOST_IN_A_BATCH}")))
        }
        Value::Array(_) => {
            let messages: Vec<&RawValue> =
                serde_json::from_slice(text).map_err(|error| unreadable(text, &error))?;
            Ok(Incoming::Batch(messages.into_iter().map(|message| one(message.get().as_bytes())).collect()))
        }
        _ => one(text).map(|message| Incoming::One(Box::new(message))),
    }
}

/// If only a key is duplicate, the request id is known: the error answers that request.
fn unreadable(text: &[u8], error: &serde_json::Error) -> Refusal {
    match serde_json::from_slice::<Value>(text).ok().filter(|_| error.is_data()) {
        Some(message) => {
            let id = message.get("id").and_then(|id| serde_json::from_value(id.clone()).ok());
            Box::new(JsonRpcError::new(id, ErrorData::invalid_request(error.to_string(), None)))
        }
        None => {
            let error = ErrorData::parse_error(format!("invalid JSON: {error}"), None);
            Box::new(JsonRpcError::new(None, error))
        }
    }
}

fn one(text: &[u8]) -> Result<ClientJsonRpcMessage, Refusal> {
    let expected = "expected a JSON-RPC 2.0 message; an id must be a string or an integer";
    serde_json::from_slice(text).map_err(|_| refused(expected))
}

fn refused(message: impl Into<String>) -> Refusal {
    Box::new(JsonRpcError::new(None, ErrorData::invalid_request(message.into(), None)))
}

/// The id of a message that wants an answer.
pub(crate) fn request_id(message: &ClientJsonRpcMessage) -> Option<&RequestId> {
    match message {
        ClientJsonRpcMessage::Request(request) => Some(&request.id),
        _ => None,
    }
}

/// Answers a batch, one message after the other, without notifications; `None` if it contains no request.
///
/// Only one version of the protocol has batches, and `rmcp` has none.
pub(crate) async fn answer_batch(
    handler: &Handler,
    batch: Vec<Result<ClientJsonRpcMessage, Refusal>>,
) -> Option<String> {
    let mut answers = Vec::new();
    for message in batch {
        match message {
            Ok(message @ ClientJsonRpcMessage::Request(_)) => answers.extend(answer(handler, message).await),
            Ok(_) => {}
            Err(error) => answers.push(text(&error)),
        }
    }
    (!answers.is_empty()).then(|| format!("[{}]", answers.join(",")))
}

/// Answers a request with nothing but its answer.
pub(crate) async fn answer(handler: &Handler, message: ClientJsonRpcMessage) -> Option<String> {
    let (transport, mut messages) = OneshotTransport::new(message);
    // Ends the call when it is dropped.
    let _serving = serve_directly(handler.clone().without_progress(), transport, None);
    messages.recv().await.map(|answer| text(&answer))
}

/// A message as it is sent.
#[expect(clippy::expect_used, reason = "messages have no part that cannot be written")]
pub(crate) fn text(message: &impl Serialize) -> String {
    serde_json::to_string(message).expect("a message is JSON")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn rejected(text: &[u8]) -> Value {
        serde_json::to_value(read(text).unwrap_err()).unwrap()
    }

    #[test]
    fn messages_are_classified() {
        let read = |text: Value| match read(text.to_string().as_bytes()) {
            Ok(Incoming::One(message)) => *message,
            other => panic!("{other:?}"),
        };
        for id in [json!(1), json!("a")] {
            let message = read(json!({"jsonrpc": "2.0", "id": id, "method": "ping"}));
            assert_eq!(request_id(&message).map(|id| serde_json::to_value(id).unwrap()), Some(id));
        }
        let message = read(json!({"jsonrpc": "2.0", "method": "notifications/initialized", "params": {}}));
        assert!(matches!(message, ClientJsonRpcMessage::Notification(_)));
        let message = read(json!({"jsonrpc": "2.0", "id": 1, "result": {}}));
        assert!(matches!(message, ClientJsonRpcMessage::Response(_)));
        let message = read(json!({"jsonrpc": "2.0", "id": 1, "error": {"code": 1, "message": "no"}}));
        assert!(matches!(message, ClientJsonRpcMessage::Error(_)));
    }

    #[test]
    fn a_batch_has_messages_and_not_too_many() {
        let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
        let batch = |count: usize| read(Value::from(vec![ping.clone(); count]).to_string().as_bytes());
        assert!(
            matches!(batch(MOST_IN_A_BATCH), Ok(Incoming::Batch(messages)) if messages.len() == MOST_IN_A_BATCH)
        );
        let answer = batch(MOST_IN_A_BATCH + 1).unwrap_err();
        assert_eq!(answer.error.message, "the batch has 65 messages; the limit is 64");
    }

    #[test]
    fn rejects_duplicate_keys() {
        let text = br#"{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"arguments": {"k": 1, "k": 2}}}"#;
        let answer = rejected(text);
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(7), &json!(-32600)));
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.starts_with("duplicate key \"k\"; give it once at line 1 "), "{message}");
    }

    #[test]
    fn invalid_messages_are_answered_with_an_error() {
        let cases: [(&[u8], i32); 9] = [
            (b"", -32700),
            (b"{", -32700),
            (b"\xff", -32700),
            (b"1", -32600),
            (b"[]", -32600),
            (b"{}", -32600),
            (br#"{"jsonrpc": "1.0", "id": 1, "method": "ping"}"#, -32600),
            (br#"{"jsonrpc": "2.0", "id": null, "method": "ping"}"#, -32600),
            (br#"{"jsonrpc": "2.0", "id": 1, "method": 2}"#, -32600),
        ];
        for (text, code) in cases {
            let answer = rejected(text);
            assert_eq!((&answer["id"], &answer["error"]["code"]), (&Value::Null, &json!(code)), "{answer}");
        }
    }
}
