//! Reads what came, as strictly as everything else that comes from outside.
//!
//! `rmcp` would take duplicate keys, and read messages from values, in which numbers are not kept as they are written.

use accord_api::{Checked, JsonLimits, read_leniently, read_strictly};
use rmcp::model::{ClientJsonRpcMessage, ErrorData, JsonRpcError, RequestId};
use rmcp::service::serve_directly;
use rmcp::transport::OneshotTransport;
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::handler::Handler;

/// The most messages of a batch. Clients that send batches at all send a few.
const MOST_IN_A_BATCH: usize = 64;

/// What a message may have. A call has the parameters of one run; a large text is one value.
pub(crate) const MESSAGE: JsonLimits = JsonLimits { values: 200_000, ..JsonLimits::WHOLE };

/// The answer to what cannot be read. Boxed, because it is large and rare.
pub(crate) type Refusal = Box<JsonRpcError>;

/// What came in one piece.
#[derive(Debug)]
pub(crate) enum Incoming {
    One(Box<ClientJsonRpcMessage>),
    /// Several, to be answered together. A message that cannot be read is answered with its error.
    Batch(Vec<Result<ClientJsonRpcMessage, Refusal>>),
}

/// Up to this size a message is read where it was received, which takes less than a millisecond.
const SMALL_BYTES: usize = 64 * 1024;

/// Reads what came, away from the threads that serve requests if it is large.
pub(crate) async fn read_aside<B>(text: Checked<B>) -> Result<Incoming, Refusal>
where
    B: AsRef<[u8]> + Send + 'static,
{
    if text.bytes().len() <= SMALL_BYTES {
        return read(&text);
    }
    let failed =
        |_| Box::new(JsonRpcError::new(None, ErrorData::internal_error("it could not be read", None)));
    tokio::task::spawn_blocking(move || read(&text)).await.map_err(failed)?
}

/// Reads what came, once. What cannot be read is answered with the error that comes back.
pub(crate) fn read(text: &Checked<impl AsRef<[u8]>>) -> Result<Incoming, Refusal> {
    if !text.bytes().trim_ascii_start().starts_with(b"[") {
        return one(text).map(|message| Incoming::One(Box::new(message)));
    }
    let messages: Vec<Box<RawValue>> = read_strictly(text).map_err(|error| unreadable(text, &error))?;
    match messages.len() {
        0 => Err(refused("the batch is empty")),
        count if count > MOST_IN_A_BATCH => {
            Err(refused(format!("the batch has {count} messages; the limit is {MOST_IN_A_BATCH}")))
        }
        _ => {
            let messages = messages.iter().map(|message| one(&checked(message.get())?));
            Ok(Incoming::Batch(messages.collect()))
        }
    }
}

/// Counts the values of a message.
pub(crate) fn checked<B: AsRef<[u8]>>(text: B) -> Result<Checked<B>, Refusal> {
    Checked::new(text, MESSAGE).map_err(|exceeded| refused(format!("the message is too large: {exceeded}")))
}

/// If only a key is duplicate, the request id is known: the error answers that request.
fn unreadable(text: &Checked<impl AsRef<[u8]>>, error: &serde_json::Error) -> Refusal {
    match read_leniently::<Value>(text).ok().filter(|_| error.is_data()) {
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

fn one(text: &Checked<impl AsRef<[u8]>>) -> Result<ClientJsonRpcMessage, Refusal> {
    read_strictly(text).map_err(|_| match read_strictly::<Value>(text) {
        // JSON without duplicate keys: what is wrong is that it is no message.
        Ok(_) => refused("expected a JSON-RPC 2.0 message; an id must be a string or an integer"),
        Err(error) => unreadable(text, &error),
    })
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
        serde_json::to_value(read(&checked(text).unwrap()).unwrap_err()).unwrap()
    }

    #[test]
    fn messages_are_classified() {
        let read = |text: Value| match read(&checked(text.to_string()).unwrap()) {
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
        let batch =
            |count: usize| read(&checked(Value::from(vec![ping.clone(); count]).to_string()).unwrap());
        assert!(
            matches!(batch(MOST_IN_A_BATCH), Ok(Incoming::Batch(messages)) if messages.len() == MOST_IN_A_BATCH)
        );
        let answer = batch(MOST_IN_A_BATCH + 1).unwrap_err();
        assert_eq!(answer.error.message, "the batch has 65 messages; the limit is 64");
    }

    #[test]
    fn a_message_has_not_too_many_values() {
        let text = format!(r#"{{"id": 1, "params": [{}]}}"#, "[],".repeat(200_000));
        let refused = checked(text).unwrap_err();
        assert_eq!(
            refused.error.message,
            "the message is too large: it has more than 200000 values, the limit"
        );
        let nested = r#"{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "a", "arguments": {"n": 1.50, "big": 18446744073709551616}}}"#;
        let Ok(Incoming::One(message)) = read(&checked(nested).unwrap()) else { panic!("it is a message") };
        assert!(text_of(&message).contains(r#""arguments":{"n":1.50,"big":18446744073709551616}"#));
    }

    fn text_of(message: &ClientJsonRpcMessage) -> String {
        super::text(message)
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
