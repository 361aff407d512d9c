//! Shared by all protocols to write an answer: ids, tokens, the time, and texts split into deltas.

use std::sync::Arc;

use jiff::Timestamp;
use serde_json::Value;

use super::random::Random;
use super::reply::{Answer, Kind, Part, Reply, Stop};
use super::request::RecordedRequest;

/// Approximate number of bytes in a token; good enough for an estimate.
const BYTES_PER_TOKEN: usize = 4;

/// Bytes in a delta of a short text, or a few more to avoid splitting a character.
const SHORTEST_DELTA: usize = 6;

/// Approximate number of deltas of a long text: they get longer instead of more numerous.
const DELTAS: usize = 64;

const ID_CHARACTERS: &[u8] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const ID_LENGTH: usize = 24;

/// One request and the values that its answer is built from.
pub(super) struct Exchange {
    pub(super) request: Arc<RecordedRequest>,
    pub(super) input_tokens: u64,
    pub(super) output_tokens: u64,
    pub(super) now: Timestamp,
    ordinal: u64,
}

impl Exchange {
    pub(super) fn new(request: Arc<RecordedRequest>, ordinal: usize, reply: &Reply) -> Self {
        let (input_tokens, output_tokens) = reply
            .usage
            .unwrap_or_else(|| (tokens(request.body.to_string().len()), tokens(output_bytes(reply))));
        let ordinal = u64::try_from(ordinal).unwrap_or_default();
        Self { request, input_tokens, output_tokens, now: Timestamp::now(), ordinal }
    }

    /// An id that looks like one of the service's. The same prefix and number give the same id
    /// within an exchange.
    pub(super) fn id(&self, prefix: &str, number: usize) -> String {
        let name =
            prefix.bytes().fold(0, |sum: u64, byte| sum.wrapping_mul(257).wrapping_add(u64::from(byte)));
        let mut random = Random::keyed(&[self.ordinal, name, u64::try_from(number).unwrap_or_default()]);
        let mut id = prefix.to_owned();
        id.extend((0..ID_LENGTH).filter_map(|_| random.pick(ID_CHARACTERS)).map(|byte| char::from(*byte)));
        id
    }

    pub(super) fn model(&self) -> &str {
        self.request.model()
    }

    pub(super) fn seed(&self) -> u64 {
        self.ordinal
    }
}

fn tokens(bytes: usize) -> u64 {
    u64::try_from(bytes.div_ceil(BYTES_PER_TOKEN)).unwrap_or_default().max(1)
}

fn output_bytes(reply: &Reply) -> usize {
    let answer = match &reply.kind {
        Kind::Answer(answer) | Kind::Drop(_, answer) => answer,
        _ => return 0,
    };
    let refusal = if let Stop::Refused(text) = &answer.stop { text.len() } else { 0 };
    let part = |part: &Part| match part {
        Part::Reasoning(text) | Part::Text(text) => text.len(),
        Part::Tool { name, arguments } => name.len() + arguments.len(),
    };
    refusal + answer.parts.iter().map(part).sum::<usize>()
}

/// A text split into streamed deltas. There is always at least one, since the services send an
/// empty delta too.
pub(super) fn deltas(text: &str) -> Vec<String> {
    let length = (text.len() / DELTAS).max(SHORTEST_DELTA);
    let (mut deltas, mut rest) = (Vec::new(), text);
    while !rest.is_empty() {
        let (delta, after) = rest.split_at(rest.ceil_char_boundary(length));
        deltas.push(delta.to_owned());
        rest = after;
    }
    if deltas.is_empty() {
        deltas.push(String::new());
    }
    deltas
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending<'a> {
    /// The stream ends as the answer specifies.
    Whole,
    /// The stream does not end: nothing follows the deltas.
    Open,
    /// The stream ends with the protocol's error event.
    Failed(&'a str),
}

/// The output of a model before its service failed.
pub(super) fn interrupted_answer() -> Answer {
    Answer::of_text("This answer was going well until")
}

/// Sets a property of an object. Other values are left unchanged.
pub(super) fn set(object: &mut Value, name: &str, member: Value) {
    if let Value::Object(members) = object {
        members.insert(name.to_owned(), member);
    }
}

/// An event of a stream of server-sent events.
pub(super) fn event(name: &str, data: &Value) -> String {
    format!("event: {name}\ndata: {data}\n\n")
}

/// A server-sent event without a name.
pub(super) fn data(data: &Value) -> String {
    format!("data: {data}\n\n")
}

/// Arguments of a tool as a value, for the protocols that carry them as JSON.
///
/// A value cannot hold duplicate keys or everything else that a model may write. So the body
/// contains a placeholder for valid JSON, and [`with_arguments`] replaces the placeholder with the
/// original text.
pub(super) fn arguments_mark(arguments: &str, number: usize) -> Value {
    match serde_json::from_str::<Value>(arguments) {
        Ok(_) => Value::String(mark(number)),
        Err(_) => Value::String(arguments.to_owned()),
    }
}

/// The body with the arguments in place of their placeholders.
pub(super) fn with_arguments(mut body: String, answer: &Answer) -> String {
    for (number, (_, arguments)) in answer.tools().into_iter().enumerate() {
        body = body.replacen(&format!("\"{}\"", mark(number)), arguments, 1);
    }
    body
}

fn mark(number: usize) -> String {
    format!("@arguments of tool call {number}@")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn arguments_keep_their_text() {
        let (twice, broken) = (r#"{"a": 1, "a": 2.50}"#, "{oops");
        let tool = |arguments: &str| Part::Tool { name: "t".to_owned(), arguments: arguments.to_owned() };
        let answer = Answer { parts: vec![tool(twice), tool(broken)], stop: Stop::Finished };
        let body = json!([arguments_mark(twice, 0), arguments_mark(broken, 1)]).to_string();
        assert_eq!(with_arguments(body, &answer), r#"[{"a": 1, "a": 2.50},"{oops"]"#);
    }

    #[test]
    fn deltas_add_up_to_the_text() {
        assert_eq!(deltas(""), [""]);
        assert_eq!(deltas("stra\u{df}en\u{1f600}").concat(), "stra\u{df}en\u{1f600}");
        assert!(deltas(&"{".repeat(1 << 20)).len() <= DELTAS + 1);
    }
}
