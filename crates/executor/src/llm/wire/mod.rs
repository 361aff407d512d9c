//! The dialects of the providers.
//!
//! Each writes one [`ModelRequest`] as a request body and reads an answer, streamed or whole, into one [`Reply`]. Nothing here
//! sends, waits or decides what comes next.

mod anthropic;
mod bedrock;
mod chat;
mod cohere;
mod dialect;
mod embeddings;
mod extras;
mod gemini;
mod ollama;
mod reply;
mod responses;
mod written;

use std::collections::BTreeSet;

use accord_domain::file::FileRef;
use accord_domain::provider::TakesFiles;
use jiff::Timestamp;
use serde_json::{Value, json};

#[cfg(test)]
pub(super) use bedrock::frame;
pub(super) use bedrock::{FrameError, Frames};
pub(super) use dialect::wire;
pub(super) use embeddings::EmbeddingWire;
pub(super) use reply::{
    MAX_ANSWER_BYTES, PartialText, ProviderError, ReadError, Reader, Reply, ReplyCall, ReplyEnd,
};

use super::conversation::{Call, CallResult, Message};
use super::files::{Part, SessionFiles};
use super::provider::{Provider, SigningCredentials};
use super::settings::Reasoning;
use crate::json::{read, set};
use crate::toolbox::ToolSpec;
use crate::transport::Request;
use crate::turn::Delivery;

/// One request to a model, independent of the API.
pub(super) struct ModelRequest<'a> {
    /// The endpoint, to know which kept blocks it can read.
    pub(super) endpoint: &'a str,
    pub(super) files: &'a SessionFiles,
    /// The files that the endpoint takes as they are.
    pub(super) takes: &'a TakesFiles,
    pub(super) model: &'a str,
    pub(super) system: &'a str,
    pub(super) messages: &'a [Message],
    pub(super) tools: &'a [ToolSpec],
    pub(super) delivery: &'a Delivery,
    pub(super) max_tokens: Option<u32>,
    pub(super) temperature: Option<f64>,
    pub(super) reasoning: Option<Reasoning>,
}

/// How a streamed answer is cut into pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Framing {
    /// Server-sent events.
    Events,
    /// JSON in lines.
    Lines,
    /// The binary messages of Amazon's services.
    Frames,
}

/// An API of a provider: how requests are written and answers are read.
pub(super) trait Wire: Sync {
    /// What follows the base address in a request to this model; it may have a query.
    fn path(&self, model: &str) -> String;

    fn framing(&self) -> Framing {
        Framing::Events
    }

    /// The headers that the API requires, with the key.
    fn headers(&self, _provider: &Provider, key: Option<&str>) -> Vec<(String, String)> {
        key.map(bearer).into_iter().collect()
    }

    /// The headers that depend on the request itself: its signature.
    fn signature(
        &self,
        _credentials: &SigningCredentials,
        _unsigned: &Request,
        _now: Timestamp,
    ) -> Vec<(String, String)> {
        Vec::new()
    }

    /// The base address that an environment variable names.
    fn base_url(&self, written: &str) -> String {
        written.to_owned()
    }

    /// The limit of output tokens for settings without one, if the API requires a limit.
    fn default_max_tokens(&self, _reasoning: Option<Reasoning>) -> Option<u32> {
        None
    }

    /// How errors name the field with the schema, besides the names that all APIs use.
    fn schema_field_names(&self) -> &'static [&'static str] {
        &[]
    }

    /// Whether the API has a mode in which the answer is any JSON object ([`Delivery::Object`]).
    fn has_json_mode(&self) -> bool {
        false
    }

    /// How embeddings are requested, if the API has them.
    fn embeddings(&self) -> Option<&'static dyn EmbeddingWire> {
        None
    }

    fn body(&self, request: &ModelRequest<'_>) -> Value;

    fn reader(&self) -> Box<dyn Reader>;

    /// Reads an answer that came in one piece and is not an error. `text` is the body as it was written.
    fn read_whole(&self, body: Value, text: &str) -> Result<Reply, ReadError>;
}

fn bearer(key: &str) -> (String, String) {
    ("authorization".to_owned(), format!("Bearer {key}"))
}

impl ModelRequest<'_> {
    /// The submit tool, with whether it is strict and whether it is demanded.
    fn submit(&self) -> Option<Submit<'_>> {
        match self.delivery {
            Delivery::Tool { name, description, schema, strict, force } => {
                Some(Submit { name, description, schema, strict: *strict, force: *force })
            }
            Delivery::Text | Delivery::Object | Delivery::Native { .. } => None,
        }
    }

    /// The files of a message, as the endpoint takes them.
    fn parts<'f>(&self, files: &'f [FileRef]) -> Vec<Part<'f>> {
        self.files.parts(files, self.takes)
    }

    fn thinks(&self) -> bool {
        self.reasoning.is_some_and(Reasoning::is_on)
    }
}

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
    request: &ModelRequest<'_>,
    assistant: fn(&str, &[Call]) -> Option<Value>,
    result: fn(&CallResult) -> Value,
    attach: fn(&mut Vec<Value>, Vec<Part<'_>>),
) -> Vec<Value> {
    let mut messages = Vec::new();
    if !request.system.is_empty() {
        messages.push(json!({"role": "system", "content": request.system}));
    }
    for message in request.messages {
        match message {
            Message::User { text } => push_user_text(&mut messages, text),
            Message::Files { files } => attach(&mut messages, request.parts(files)),
            Message::Assistant { text, calls, kept } => {
                let mut said = assistant(text, calls);
                let kept = kept.as_ref().filter(|kept| kept.endpoint == request.endpoint);
                if let (Some(said), Some(kept)) = (&mut said, kept) {
                    extras::restore(said, &kept.blocks);
                }
                messages.extend(said);
            }
            Message::Results { results } => messages.extend(results.iter().map(result)),
        }
    }
    messages
}

/// The conversation for the dialects that write a message as a list of blocks: `part`, `result` and `assistant` write them.
fn block_messages(
    request: &ModelRequest<'_>,
    part: fn(Part<'_>) -> Value,
    result: fn(&CallResult) -> Value,
    assistant: fn(&str, &[Call]) -> Vec<Value>,
) -> Vec<Value> {
    let messages = request.messages.iter().map(|message| match message {
        Message::User { text } => ("user", vec![part(Part::Text(text.clone()))]),
        Message::Files { files } => ("user", request.parts(files).into_iter().map(part).collect()),
        Message::Results { results } => ("user", results.iter().map(result).collect()),
        Message::Assistant { kept: Some(kept), .. } if kept.endpoint == request.endpoint => {
            ("assistant", kept.blocks.clone())
        }
        Message::Assistant { text, calls, .. } => ("assistant", assistant(text, calls)),
    });
    merged(messages, "content")
}

/// Messages with their blocks in this field. Adjacent ones of one role are merged: some APIs require that the roles
/// alternate, others that a result directly follows its call.
fn merged(messages: impl Iterator<Item = (&'static str, Vec<Value>)>, field: &str) -> Vec<Value> {
    let mut merged: Vec<(&str, Vec<Value>)> = Vec::new();
    for (role, blocks) in messages {
        match merged.last_mut() {
            Some((last, content)) if *last == role => content.extend(blocks),
            _ if blocks.is_empty() => {}
            _ => merged.push((role, blocks)),
        }
    }
    merged.into_iter().map(|(role, blocks)| json!({"role": role, (field): blocks})).collect()
}

/// Sets the tools for the dialects in which a call of one can be demanded: `function` writes one, by its name, its
/// description, its parameters and whether it is strict, and `demanded` a demand by the name.
fn tools(
    request: &ModelRequest<'_>,
    body: &mut Value,
    function: fn(&str, &str, &Value, bool) -> Value,
    demanded: impl Fn(&str) -> Value,
) {
    let listed = request.tools.iter();
    let mut tools: Vec<Value> =
        listed.map(|tool| function(&tool.name, &tool.description, &tool.parameters, false)).collect();
    if let Some(submit) = request.submit() {
        tools.push(function(submit.name, submit.description, submit.schema, submit.strict));
        if submit.force {
            set(body, "tool_choice", demanded(submit.name));
        }
    }
    if !tools.is_empty() {
        set(body, "tools", tools);
    }
}

/// Adds a user message. Two in a row, because a turn had no answer, are joined: templates of open models require that the
/// roles alternate.
fn push_user_text(messages: &mut Vec<Value>, text: &str) {
    let is_user = |message: &&mut Value| message.get("role").is_some_and(|role| role == "user");
    let before = messages.last_mut().filter(is_user).and_then(|message| message.get_mut("content"));
    match before {
        Some(Value::String(before)) if before.is_empty() => text.clone_into(before),
        Some(Value::String(before)) => *before = format!("{before}\n\n{text}"),
        Some(Value::Array(parts)) => parts.push(json!({"type": "text", "text": text})),
        _ => messages.push(json!({"role": "user", "content": text})),
    }
}

/// The names of the tools that were called, each once: some APIs reject a conversation with calls of tools that are not
/// declared.
fn past_tools(messages: &[Message]) -> impl Iterator<Item = &str> {
    let calls = messages.iter().flat_map(Message::calls);
    calls.map(|call| call.name.as_str()).collect::<BTreeSet<&str>>().into_iter()
}

/// A text as one segment of a path: everything but unreserved characters is escaped.
fn encoded(text: &str) -> String {
    let escape = |byte: u8| match byte {
        b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
        other => format!("%{other:02X}"),
    };
    text.bytes().map(escape).collect()
}

/// Arguments for the dialects that take a text. Some servers parse it again, so it is always an object's.
fn arguments_text_sent(arguments: &str) -> String {
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
