//! The dialects of the providers.
//!
//! Each writes one [`Ask`] as a request body and reads an answer, streamed or whole, into one [`Reply`]. Nothing here
//! sends, waits or decides what comes next.

mod anthropic;
mod anthropic_read;
mod beside;
mod chat;
mod chat_read;
mod ollama;
mod reply;
mod responses;
mod responses_read;
mod written;

use serde_json::{Value, json};

pub(super) use reply::{End, Growing, MAX_ANSWER_BYTES, Problem, ReadError, Reader, Reply, ReplyCall};

use super::conversation::{Call, CallResult, Message};
use super::provider::ProviderKind;
use super::settings::Reasoning;
use crate::json::read;
use crate::toolbox::ToolSpec;
use crate::turn::Delivery;

pub(super) use anthropic::default_max_tokens as anthropic_max_tokens;

/// One request to a model, in nobody's dialect.
pub(super) struct Ask<'a> {
    /// Who is asked, to know which kept blocks it can read.
    pub(super) endpoint: &'a str,
    pub(super) model: &'a str,
    pub(super) system: &'a str,
    pub(super) messages: &'a [Message],
    pub(super) tools: &'a [ToolSpec],
    pub(super) delivery: &'a Delivery,
    pub(super) max_tokens: Option<u32>,
    pub(super) temperature: Option<f64>,
    pub(super) reasoning: Option<Reasoning>,
}

/// A dialect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wire {
    Anthropic,
    Responses,
    Chat {
        /// Whether the server is OpenAI's own: some fields have other names there.
        own: bool,
    },
    Ollama,
}

/// How a streamed answer is cut into pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Framing {
    /// Server-sent events.
    Events,
    /// One JSON object a line.
    Lines,
}

impl Wire {
    pub(super) fn of(kind: ProviderKind) -> Self {
        match kind {
            ProviderKind::Anthropic => Self::Anthropic,
            ProviderKind::OpenAi => Self::Responses,
            ProviderKind::OpenAiChat => Self::Chat { own: true },
            ProviderKind::OpenAiCompatible => Self::Chat { own: false },
            ProviderKind::Ollama => Self::Ollama,
        }
    }

    /// What follows the base address.
    pub(super) fn path(self) -> &'static str {
        match self {
            Self::Anthropic => "/v1/messages",
            Self::Responses => "/responses",
            Self::Chat { .. } => "/chat/completions",
            Self::Ollama => "/api/chat",
        }
    }

    pub(super) fn framing(self) -> Framing {
        match self {
            Self::Ollama => Framing::Lines,
            _ => Framing::Events,
        }
    }

    /// The body of a request.
    pub(super) fn body(self, ask: &Ask<'_>) -> Value {
        match self {
            Self::Anthropic => anthropic::body(ask),
            Self::Responses => responses::body(ask),
            Self::Chat { own } => chat::body(ask, own),
            Self::Ollama => ollama::body(ask),
        }
    }

    /// A reader for one streamed answer.
    pub(super) fn reader(self) -> Box<dyn Reader> {
        match self {
            Self::Anthropic => Box::<anthropic_read::Stream>::default(),
            Self::Responses => Box::<responses_read::Stream>::default(),
            Self::Chat { .. } => Box::<chat_read::Stream>::default(),
            Self::Ollama => Box::<ollama::Stream>::default(),
        }
    }

    /// Reads an answer that came in one piece. `text` is the body as it was written.
    pub(super) fn whole(self, body: Value, text: &str) -> Result<Reply, ReadError> {
        if let Some(problem) = Problem::told_by(&body) {
            return Err(ReadError::Provider(problem));
        }
        match self {
            Self::Anthropic => anthropic_read::whole(&body, text),
            Self::Responses => responses_read::whole(body, text),
            Self::Chat { .. } => chat_read::whole(body, text),
            Self::Ollama => ollama::whole(body, text),
        }
    }
}

impl Ask<'_> {
    /// The submit tool, with whether it is strict and whether it is demanded.
    fn submit(&self) -> Option<Submit<'_>> {
        match self.delivery {
            Delivery::Tool { name, description, schema, strict, force } => {
                Some(Submit { name, description, schema, strict: *strict, force: *force })
            }
            Delivery::Text | Delivery::Native { .. } => None,
        }
    }

    fn thinks(&self) -> bool {
        self.reasoning.is_some_and(Reasoning::is_on)
    }
}

/// The submit tool of a request.
struct Submit<'a> {
    name: &'a str,
    description: &'a str,
    schema: &'a Value,
    strict: bool,
    force: bool,
}

/// The conversation for the dialects that have the system prompt as its first message, and each result of a call as one of
/// its own.
fn messages(
    ask: &Ask<'_>,
    assistant: fn(&str, &[Call]) -> Option<Value>,
    result: fn(&CallResult) -> Value,
) -> Vec<Value> {
    let mut messages = Vec::new();
    if !ask.system.is_empty() {
        messages.push(json!({"role": "system", "content": ask.system}));
    }
    for message in ask.messages {
        match message {
            Message::User { text } => say(&mut messages, text),
            Message::Assistant { text, calls, kept } => {
                let mut said = assistant(text, calls);
                let kept = kept.as_ref().filter(|kept| kept.endpoint == ask.endpoint);
                if let (Some(said), Some(kept)) = (&mut said, kept) {
                    beside::put_back(said, &kept.blocks);
                }
                messages.extend(said);
            }
            Message::Results { results } => messages.extend(results.iter().map(result)),
        }
    }
    messages
}

/// Sets the tools for the dialects in which a call of one can be demanded: `function` writes one, by its name, its
/// description, its parameters and whether it is strict, and `demanded` a demand by the name.
fn tools(
    ask: &Ask<'_>,
    body: &mut Value,
    function: fn(&str, &str, &Value, bool) -> Value,
    demanded: fn(&str) -> Value,
) {
    let listed = ask.tools.iter();
    let mut tools: Vec<Value> =
        listed.map(|tool| function(&tool.name, &tool.description, &tool.parameters, false)).collect();
    if let Some(submit) = ask.submit() {
        tools.push(function(submit.name, submit.description, submit.schema, submit.strict));
        if submit.force {
            set(body, "tool_choice", demanded(submit.name));
        }
    }
    if !tools.is_empty() {
        set(body, "tools", tools);
    }
}

/// Adds what the user says. What is said twice in a row, because a turn had no answer, is one message: templates of open
/// models want the roles to alternate.
fn say(messages: &mut Vec<Value>, text: &str) {
    let is_user = |message: &&mut Value| message.get("role").is_some_and(|role| role == "user");
    let before = messages.last_mut().filter(is_user).and_then(|message| message.get_mut("content"));
    match before {
        Some(Value::String(before)) => *before = format!("{before}\n\n{text}"),
        _ => messages.push(json!({"role": "user", "content": text})),
    }
}

/// Sets one field of a body.
fn set(body: &mut Value, key: &str, value: impl Into<Value>) {
    if let Some(fields) = body.as_object_mut() {
        fields.insert(key.to_owned(), value.into());
    }
}

/// Arguments for the dialects that take a text. Some servers parse it again, so it is always an object's.
fn arguments_sent(arguments: &str) -> String {
    match read(arguments) {
        Ok(Value::Object(_)) => arguments.to_owned(),
        _ => arguments_object(arguments).to_string(),
    }
}

/// Arguments for the dialects that take an object and not a text. What cannot be read as one is shown as it was
/// written, so that the model sees its own mistake.
fn arguments_object(arguments: &str) -> Value {
    match read(arguments) {
        Ok(Value::Object(fields)) => Value::Object(fields),
        _ if arguments.trim().is_empty() => json!({}),
        _ => json!({ "unreadable": arguments }),
    }
}
