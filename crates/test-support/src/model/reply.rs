//! The replies of the server, independent of any protocol.

use std::time::Duration;

use serde_json::Value;

use super::SUBMIT_TOOL;

/// One answer of the server to one request.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    pub(super) kind: Kind,
    pub(super) delay: Option<Duration>,
    pub(super) retry_after: Option<u64>,
    pub(super) usage: Option<(u64, u64)>,
    pub(super) ends_late: Option<Duration>,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Kind {
    Answer(Answer),
    Error { status: u16, message: String },
    SchemaRejected { message: String },
    Body { status: u16, body: Value },
    FailsMidway { message: String },
    Drop(DropPoint, Answer),
    Hang,
    Endless,
    Garbage(Vec<u8>),
}

/// When the connection to the client is closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DropPoint {
    /// After the request was read, before any response.
    BeforeHeaders,
    /// In the middle of the body, streaming or not.
    MidBody,
}

/// The output of a model in one turn.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Answer {
    pub(super) parts: Vec<Part>,
    pub(super) stop: Stop,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Part {
    Reasoning(String),
    Text(String),
    /// The arguments are text because a model may write something that is not JSON.
    Tool {
        name: String,
        arguments: String,
    },
}

#[derive(Debug, Clone, PartialEq, Default)]
pub(super) enum Stop {
    #[default]
    Finished,
    Truncated,
    Refused(String),
}

impl Answer {
    pub(super) fn of_text(text: impl Into<String>) -> Self {
        Self { parts: vec![Part::Text(text.into())], stop: Stop::Finished }
    }

    /// All text, without reasoning and tool calls.
    pub(super) fn text(&self) -> String {
        self.parts.iter().filter_map(Part::text).collect()
    }

    pub(super) fn reasoning(&self) -> Option<String> {
        let reasoning: String = self.parts.iter().filter_map(Part::reasoning).collect();
        (!reasoning.is_empty()).then_some(reasoning)
    }

    /// The tool calls in order, as name and arguments.
    pub(super) fn tools(&self) -> Vec<(&str, &str)> {
        self.parts.iter().filter_map(Part::tool).collect()
    }
}

impl Part {
    fn text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    fn reasoning(&self) -> Option<&str> {
        if let Self::Reasoning(text) = self { Some(text) } else { None }
    }

    fn tool(&self) -> Option<(&str, &str)> {
        if let Self::Tool { name, arguments } = self { Some((name, arguments)) } else { None }
    }
}

impl Reply {
    fn of(kind: Kind) -> Self {
        Self { kind, delay: None, retry_after: None, usage: None, ends_late: None }
    }

    fn answer(parts: Vec<Part>, stop: Stop) -> Self {
        Self::of(Kind::Answer(Answer { parts, stop }))
    }

    pub fn text(text: impl Into<String>) -> Self {
        Self::answer(vec![Part::Text(text.into())], Stop::Finished)
    }

    /// A call of the tool `submit_result`.
    pub fn submit(result: &Value) -> Self {
        Self::tool(SUBMIT_TOOL, result)
    }

    pub fn tool(name: impl Into<String>, arguments: &Value) -> Self {
        Self::tool_text(name, arguments.to_string())
    }

    /// A call of a tool with arguments exactly as written here, JSON or not. Protocols that carry
    /// arguments as a JSON value (Anthropic without streaming, Ollama) send text that is not JSON
    /// as a string.
    pub fn tool_text(name: impl Into<String>, arguments: impl Into<String>) -> Self {
        Self::answer(vec![Part::Tool { name: name.into(), arguments: arguments.into() }], Stop::Finished)
    }

    /// The model declines, in the form that the protocol has for it. Ollama has none and sends
    /// plain text.
    pub fn refusal(text: impl Into<String>) -> Self {
        Self::answer(Vec::new(), Stop::Refused(text.into()))
    }

    /// A text that ended at the output token limit.
    pub fn truncated(text: impl Into<String>) -> Self {
        Self::text(text).cut_off()
    }

    /// A successful response without content.
    pub fn empty() -> Self {
        Self::answer(Vec::new(), Stop::Finished)
    }

    /// An HTTP error with a body in the provider's format.
    pub fn error(status: u16, message: impl Into<String>) -> Self {
        Self::of(Kind::Error { status, message: message.into() })
    }

    /// The service rejects the schema of the request, with this message in its usual format. The
    /// status is 400, except for Ollama, which sends 500.
    pub fn schema_rejected(message: impl Into<String>) -> Self {
        Self::of(Kind::SchemaRejected { message: message.into() })
    }

    /// An HTTP error with a body copied from a particular server.
    pub fn error_body(status: u16, body: Value) -> Self {
        Self::of(Kind::Body { status, body })
    }

    /// A stream that starts normally and ends with the protocol's error event. Without streaming,
    /// the Responses protocol answers with status `failed` and the others with HTTP 500.
    pub fn fails_midway(message: impl Into<String>) -> Self {
        Self::of(Kind::FailsMidway { message: message.into() })
    }

    /// The connection is closed in the middle of the body.
    pub fn drop_connection() -> Self {
        Self::text("This answer never comes to its end, because the connection is closed before.")
            .dropped(DropPoint::MidBody)
    }

    /// Never answers; ends when the client disconnects or the server is dropped.
    pub fn hang() -> Self {
        Self::of(Kind::Hang)
    }

    /// Streams tokens until the client disconnects. Without streaming, the body never ends.
    pub fn endless() -> Self {
        Self::of(Kind::Endless)
    }

    /// A status of 200 with this body.
    pub fn garbage(body: impl Into<Vec<u8>>) -> Self {
        Self::of(Kind::Garbage(body.into()))
    }

    #[must_use]
    pub fn and_tool(mut self, name: impl Into<String>, arguments: &Value) -> Self {
        if let Some(answer) = self.answered() {
            answer.parts.push(Part::Tool { name: name.into(), arguments: arguments.to_string() });
        }
        self
    }

    /// Adds a reasoning block before the answer.
    #[must_use]
    pub fn thinking(mut self, text: impl Into<String>) -> Self {
        if let Some(answer) = self.answered() {
            answer.parts.insert(0, Part::Reasoning(text.into()));
        }
        self
    }

    /// Reports that the answer ended at the output token limit.
    #[must_use]
    pub fn cut_off(mut self) -> Self {
        if let Some(answer) = self.answered() {
            answer.stop = Stop::Truncated;
        }
        self
    }

    /// Closes the connection during this answer. For a reply that is not an answer, closes it
    /// before the headers.
    #[must_use]
    pub fn dropped(mut self, point: DropPoint) -> Self {
        self.kind = match self.kind {
            Kind::Answer(answer) | Kind::Drop(_, answer) => Kind::Drop(point, answer),
            _ => Kind::Drop(DropPoint::BeforeHeaders, Answer::default()),
        };
        self
    }

    /// Sends the header `retry-after`.
    #[must_use]
    pub fn retry_after(mut self, seconds: u64) -> Self {
        self.retry_after = Some(seconds);
        self
    }

    /// Reports these tokens instead of an estimate.
    #[must_use]
    pub fn usage(mut self, input: u64, output: u64) -> Self {
        self.usage = Some((input, output));
        self
    }

    /// Waits before answering, by tokio's clock.
    #[must_use]
    pub fn delayed(mut self, delay: Duration) -> Self {
        self.delay = Some(delay);
        self
    }

    /// Delays the last two events of a stream by this time: the stop reason and the end of the
    /// stream.
    #[must_use]
    pub fn ends_late(mut self, pause: Duration) -> Self {
        self.ends_late = Some(pause);
        self
    }

    fn answered(&mut self) -> Option<&mut Answer> {
        match &mut self.kind {
            Kind::Answer(answer) | Kind::Drop(_, answer) => Some(answer),
            _ => None,
        }
    }
}
