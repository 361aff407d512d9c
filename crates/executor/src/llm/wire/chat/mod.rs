//! OpenAI Chat Completions, and the servers that are compatible with it.

mod read;

use accord_domain::provider::{ChatQuirks, ForcedTool, ReasoningField};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::embeddings::{EmbeddingWire, OpenAiEmbeddings};
use super::{
    ModelRequest, ReadError, Reader, Reply, Wire, arguments_text_sent, bearer, messages, set, tools,
};
use crate::files::data_url;
use crate::llm::conversation::{Call, CallResult};
use crate::llm::files::Part;
use crate::llm::provider::Provider;
use crate::llm::settings::Reasoning;
use crate::turn::Delivery;

/// The length of ids of calls, where it is prescribed.
const SHORT_ID: usize = 9;

impl Wire for ChatQuirks {
    fn path(&self, _model: &str) -> String {
        "/chat/completions".to_owned()
    }

    fn headers(&self, _provider: &Provider, key: Option<&str>) -> Vec<(String, String)> {
        let header = |key: &str| match self.key_header {
            Some(name) => (name.to_owned(), key.to_owned()),
            None => bearer(key),
        };
        key.map(header).into_iter().collect()
    }

    fn base_url(&self, written: &str) -> String {
        let address = written.trim_end_matches('/');
        match address.ends_with(self.base_path) {
            true => address.to_owned(),
            false => format!("{address}{}", self.base_path),
        }
    }

    fn has_json_mode(&self) -> bool {
        true
    }

    fn embeddings(&self) -> Option<&'static dyn EmbeddingWire> {
        Some(&OpenAiEmbeddings)
    }

    fn body(&self, request: &ModelRequest<'_>) -> Value {
        body(request, self)
    }

    fn reader(&self) -> Box<dyn Reader> {
        Box::<read::Stream>::default()
    }

    fn read_whole(&self, body: Value, text: &str) -> Result<Reply, ReadError> {
        read::whole(body, text)
    }
}

fn body(request: &ModelRequest<'_>, quirks: &ChatQuirks) -> Value {
    let mut messages = messages(request, assistant, result, attach);
    if quirks.short_call_ids {
        messages.iter_mut().for_each(shorten_ids);
    }
    let mut body = json!({"model": request.model, "stream": true});
    if quirks.asks_for_usage {
        set(&mut body, "stream_options", json!({"include_usage": true}));
    }
    set(&mut body, "messages", messages);
    if let Some(tokens) = request.max_tokens {
        set(&mut body, quirks.max_tokens_field, tokens);
    }
    if let Some(temperature) = request.temperature {
        set(&mut body, "temperature", temperature);
    }
    if let Some((field, value)) = reasoning(request.reasoning, quirks.reasoning) {
        set(&mut body, field, value);
    }
    if let Delivery::Native { name, schema } = request.delivery {
        let format = json!({"name": name, "schema": schema, "strict": true});
        set(&mut body, "response_format", json!({"type": "json_schema", "json_schema": format}));
    }
    if *request.delivery == Delivery::Object {
        set(&mut body, "response_format", json!({"type": "json_object"}));
    }
    tools(request, &mut body, function, |name| match quirks.forced_tool {
        ForcedTool::Named => json!({"type": "function", "function": {"name": name}}),
        ForcedTool::Word(word) => json!(word),
    });
    body
}

/// The field that switches reasoning.
fn reasoning(reasoning: Option<Reasoning>, field: ReasoningField) -> Option<(&'static str, Value)> {
    let is_on = reasoning.filter(|reasoning| reasoning.is_on());
    match field {
        ReasoningField::Effort => is_on.map(|reasoning| ("reasoning_effort", json!(reasoning.effort()))),
        ReasoningField::Object => reasoning.map(|reasoning| {
            let value = match reasoning {
                Reasoning::Off => json!({"enabled": false}),
                Reasoning::Budget(tokens) => json!({"max_tokens": tokens}),
                effort => json!({"effort": effort.effort()}),
            };
            ("reasoning", value)
        }),
        ReasoningField::Thinking => {
            let kind = if is_on.is_some() { "enabled" } else { "disabled" };
            Some(("thinking", json!({ "type": kind })))
        }
    }
}

/// Replaces ids of calls that the server would reject: those of examples and of other providers. The same id always gets
/// the same replacement, so that results still belong to their calls.
fn shorten_ids(message: &mut Value) {
    let shorten = |holder: &mut Value, field: &str| {
        if let Some(Value::String(id)) = holder.get_mut(field) {
            *id = short_id(id);
        }
    };
    shorten(message, "tool_call_id");
    for call in message.get_mut("tool_calls").and_then(Value::as_array_mut).into_iter().flatten() {
        shorten(call, "id");
    }
}

fn short_id(id: &str) -> String {
    if id.len() == SHORT_ID && id.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return id.to_owned();
    }
    let hexadecimal = Sha256::digest(id).iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    hexadecimal.chars().take(SHORT_ID).collect()
}

/// A tool. `strict` is written only if it is true, because not every server supports it.
/// Adds the files of a user: to the message before, if that is the user's too.
pub(super) fn attach(messages: &mut Vec<Value>, files: Vec<Part<'_>>) {
    let parts = files.into_iter().map(part);
    let is_user = |message: &&mut Value| message.get("role").is_some_and(|role| role == "user");
    let before = messages.last_mut().filter(is_user).and_then(|message| message.get_mut("content"));
    match before {
        Some(Value::Array(before)) => before.extend(parts),
        Some(Value::String(text)) => {
            let text = part(Part::Text(std::mem::take(text)));
            if let Some(content) = messages.last_mut().and_then(|message| message.get_mut("content")) {
                *content = [text].into_iter().chain(parts).collect();
            }
        }
        _ => messages.push(json!({"role": "user", "content": parts.collect::<Vec<Value>>()})),
    }
}

fn part(part: Part<'_>) -> Value {
    match part {
        Part::Text(text) => json!({"type": "text", "text": text}),
        Part::Image(file) => json!({"type": "image_url", "image_url": {"url": data_url(file)}}),
        Part::Pdf(file) => {
            json!({"type": "file", "file": {"filename": file.name, "file_data": data_url(file)}})
        }
    }
}

pub(super) fn function(name: &str, description: &str, parameters: &Value, strict: bool) -> Value {
    let mut function = json!({"name": name, "description": description, "parameters": parameters});
    if strict {
        set(&mut function, "strict", true);
    }
    json!({"type": "function", "function": function})
}

pub(super) fn result(result: &CallResult) -> Value {
    json!({"role": "tool", "tool_call_id": result.id, "content": result.text})
}

pub(super) fn assistant(text: &str, calls: &[Call]) -> Option<Value> {
    if text.is_empty() && calls.is_empty() {
        return None;
    }
    let content = if text.is_empty() { Value::Null } else { Value::from(text) };
    let mut message = json!({"role": "assistant", "content": content});
    if !calls.is_empty() {
        let call = |call: &Call| {
            json!({
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": arguments_text_sent(&call.arguments)},
            })
        };
        set(&mut message, "tool_calls", calls.iter().map(call).collect::<Vec<Value>>());
    }
    Some(message)
}
