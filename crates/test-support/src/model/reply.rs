//! What the server answers, in words that belong to no wire.

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

/// Where a connection is closed under the client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DropPoint {
    /// After the request was read and before anything was answered.
    BeforeHeaders,
    /// In the middle of the body, streaming or not.
    MidBody,
}

/// What a model said in one turn.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Answer {
    pub(super) parts: Vec<Part>,
    pub(super) stop: Stop,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Part {
    Reasoning(String),
    Text(String),
    /// The arguments are text: a model may well write some that are no JSON.
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

    /// A call of a tool with arguments exactly as written here, JSON or not. The wires that carry arguments as a
    /// JSON value (Anthropic without streaming, Ollama) carry what is no JSON as a string.
    pub fn tool_text(name: impl Into<String>, arguments: impl Into<String>) -> Self {
        Self::answer(vec![Part::Tool { name: name.into(), arguments: arguments.into() }], Stop::Finished)
    }

    /// The model declines, in the wire's own way of saying so. Ollama has none: there it is a plain text.
    pub fn refusal(text: impl Into<String>) -> Self {
        Self::answer(Vec::new(), Stop::Refused(text.into()))
    }

    /// A text that ended at the limit of output tokens.
    pub fn truncated(text: impl Into<String>) -> Self {
        Self::text(text).cut_off()
    }

    /// A success with no content at all.
    pub fn empty() -> Self {
        Self::answer(Vec::new(), Stop::Finished)
    }

    /// An HTTP error with the wire's own body.
    pub fn error(status: u16, message: impl Into<String>) -> Self {
        Self::of(Kind::Error { status, message: message.into() })
    }

    /// The service does not take the schema of the request, and says so in its usual words around this message.
    /// A status of 400 everywhere but with Ollama, which calls it a 500.
    pub fn schema_rejected(message: impl Into<String>) -> Self {
        Self::of(Kind::SchemaRejected { message: message.into() })
    }

    /// An HTTP error with a body as a certain server writes it.
    pub fn error_body(status: u16, body: Value) -> Self {
        Self::of(Kind::Body { status, body })
    }

    /// A stream that began well and ends in the wire's error event. Without streaming: the Responses wire answers
    /// with status `failed`, the others with an HTTP 500.
    pub fn fails_midway(message: impl Into<String>) -> Self {
        Self::of(Kind::FailsMidway { message: message.into() })
    }

    /// The connection is closed in the middle of the body.
    pub fn drop_connection() -> Self {
        Self::text("This answer never comes to its end, because the connection is closed before.")
            .dropped(DropPoint::MidBody)
    }

    /// Never answers; ends when the client goes or the server is dropped.
    pub fn hang() -> Self {
        Self::of(Kind::Hang)
    }

    /// Streams tokens until the client goes. Without streaming the one body never ends.
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

    /// Puts a reasoning block in front.
    #[must_use]
    pub fn thinking(mut self, text: impl Into<String>) -> Self {
        if let Some(answer) = self.answered() {
            answer.parts.insert(0, Part::Reasoning(text.into()));
        }
        self
    }

    /// Ends at the limit of output tokens, whatever it says.
    #[must_use]
    pub fn cut_off(mut self) -> Self {
        if let Some(answer) = self.answered() {
            answer.stop = Stop::Truncated;
        }
        self
    }

    /// Closes the connection under this answer. A reply that is no answer is closed before its headers.
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

    /// Waits before it answers, by the clock of tokio.
    #[must_use]
    pub fn delayed(mut self, delay: Duration) -> Self {
        self.delay = Some(delay);
        self
    }

    /// Keeps the last two events of a stream back for this time: why it stopped and that it is over.
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
