//! Answers of OpenAI Responses.
//!
//! The last event of a stream holds the whole answer. What comes before is kept only for servers whose last event has no
//! output.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::answer::Usage;
use crate::llm::wire::reply::{
    ByteBudget, JsonAccess, PartialText, arguments_text, parse, parts_text, text_of, tokens_of,
};
use crate::llm::wire::{ProviderError, ReadError, Reader, Reply, ReplyCall, ReplyEnd, set, written};

/// An item of the output while it comes.
#[derive(Default)]
struct Item {
    value: Value,
    text: String,
    refusal: String,
    arguments: String,
    came_in_pieces: bool,
    done: bool,
}

#[derive(Default)]
pub(super) struct Stream {
    budget: ByteBudget,
    items: BTreeMap<u64, Item>,
    response: Value,
    ended: bool,
}

impl Reader for Stream {
    fn event(&mut self, data: &str) -> Result<bool, ReadError> {
        let mut event = parse(data)?;
        for path in [&["arguments"][..], &["item", "arguments"], &["response", "output", "arguments"]] {
            written::spell(&mut event, data, path);
        }
        match text_of(event.at("type")) {
            "response.output_item.added" => {
                self.budget.take(size(event.at("item")))?;
                self.item(&event).value = event.at("item").clone();
            }
            "response.output_item.done" => {
                let item = self.item(&event);
                let before = item.text.len() + item.refusal.len() + item.arguments.len();
                *item = Item { value: event.at("item").clone(), done: true, ..Item::default() };
                self.budget.take(size(event.at("item")).saturating_sub(before))?;
            }
            "response.created" | "response.in_progress" => self.response = event.at("response").clone(),
            "response.completed" | "response.incomplete" | "response.failed" => {
                self.response = event.at("response").clone();
                self.ended = true;
            }
            kind => self.take_content(kind, &event)?,
        }
        Ok(self.ended)
    }

    fn partial_text(&self) -> Option<PartialText<'_>> {
        let (part, item) = self.items.last_key_value()?;
        let text = if item.arguments.is_empty() { &item.text } else { &item.arguments };
        Some(PartialText { part: *part, text })
    }

    fn usage(&self) -> Usage {
        usage_of(&self.response)
    }

    fn finish(mut self: Box<Self>) -> Result<Reply, ReadError> {
        if !self.ended {
            return Err(ReadError::BrokenOff);
        }
        if !self.response.is_object() {
            self.response = json!({});
        }
        let has_output = self.response.at("output").as_array().is_some_and(|output| !output.is_empty());
        if !has_output {
            let items = std::mem::take(&mut self.items);
            let output: Vec<Value> = items.into_values().map(Item::so_far).collect();
            set(&mut self.response, "output", output);
        }
        reply(&self.response)
    }
}

impl Stream {
    fn item(&mut self, event: &Value) -> &mut Item {
        self.items.entry(tokens_of(event.at("output_index"))).or_default()
    }

    /// Takes the content of an item: a delta, or all of it at its end, which is new if there were no deltas.
    fn take_content(&mut self, kind: &str, event: &Value) -> Result<(), ReadError> {
        let (field, is_piece) = match kind {
            "response.output_text.delta" => ("text", true),
            "response.output_text.done" => ("text", false),
            "response.refusal.delta" => ("refusal", true),
            "response.refusal.done" => ("refusal", false),
            "response.function_call_arguments.delta" => ("arguments", true),
            "response.function_call_arguments.done" => ("arguments", false),
            _ => return Ok(()),
        };
        let content = text_of(event.at(if is_piece { "delta" } else { field }));
        let item = self.item(event);
        item.came_in_pieces |= is_piece;
        if item.came_in_pieces && !is_piece {
            return Ok(());
        }
        let text = match field {
            "text" => &mut item.text,
            "refusal" => &mut item.refusal,
            _ => &mut item.arguments,
        };
        text.push_str(content);
        self.budget.take(content.len())
    }
}

/// How much an item holds, escapes not counted.
fn size(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(size).sum(),
        Value::Object(fields) => fields.iter().map(|(key, value)| key.len() + size(value)).sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) => 1,
    }
}

impl Item {
    /// The item so far.
    fn so_far(self) -> Value {
        let mut value = self.value;
        if self.done {
            return value;
        }
        if !self.arguments.is_empty() {
            set(&mut value, "arguments", self.arguments);
        }
        if !value.is_object() {
            value = json!({"type": "message"});
        }
        if value.at("type") == "message" {
            let mut parts = vec![json!({"type": "output_text", "text": self.text})];
            if !self.refusal.is_empty() {
                parts.push(json!({"type": "refusal", "refusal": self.refusal}));
            }
            set(&mut value, "content", parts);
        }
        value
    }
}

/// Reads an answer that came in one piece.
pub(super) fn whole(mut body: Value, text: &str) -> Result<Reply, ReadError> {
    written::spell(&mut body, text, &["output", "arguments"]);
    reply(&body)
}

fn reply(body: &Value) -> Result<Reply, ReadError> {
    if text_of(body.at("status")) == "failed" {
        return Err(ReadError::Provider(ProviderError::in_answer(body.at("error"))));
    }
    let Some(output) = body.at("output").as_array() else {
        return Err(ReadError::Unreadable("it has no `output`".into()));
    };
    let mut texts: Vec<String> = Vec::new();
    let mut refusal: Option<String> = None;
    let mut calls = Vec::new();
    for item in output {
        match text_of(item.at("type")) {
            "message" => {
                let parts = parts_of(item);
                texts.push(parts_text(parts));
                for part in parts.iter().filter(|part| part.at("type") == "refusal") {
                    refusal.get_or_insert_default().push_str(text_of(part.at("refusal")));
                }
            }
            "function_call" => calls.push(ReplyCall {
                id: text_of(item.at("call_id")).to_owned(),
                name: text_of(item.at("name")).to_owned(),
                arguments: arguments_text(item.at("arguments")),
            }),
            _ => {}
        }
    }
    let end = match end(body, refusal)? {
        // Some servers report only in the last item that it was cut off.
        ReplyEnd::Finished if output.last().is_some_and(|item| item.at("status") == "incomplete") => {
            ReplyEnd::Truncated
        }
        end => end,
    };
    texts.retain(|text| !text.is_empty());
    // If something else was cut off, the text before it is complete.
    let is_last = output.last().is_some_and(|item| item.at("type") == "message");
    let text = if end == ReplyEnd::Truncated && !is_last { None } else { texts.pop() };
    let text = text.unwrap_or_default();
    let (usage, model) = (usage_of(body), text_of(body.at("model")).to_owned());
    Reply { text, on_the_way: texts, calls, kept: kept(output), end, usage, model }.within_limit()
}

fn usage_of(body: &Value) -> Usage {
    let count = |name: &str| tokens_of(body.at("usage").at(name));
    Usage { input_tokens: count("input_tokens"), output_tokens: count("output_tokens"), cost_usd: None }
}

fn parts_of(item: &Value) -> &[Value] {
    item.at("content").as_array().map(Vec::as_slice).unwrap_or_default()
}

fn end(body: &Value, refusal: Option<String>) -> Result<ReplyEnd, ReadError> {
    let reason = text_of(body.at("incomplete_details").at("reason"));
    match (text_of(body.at("status")), refusal) {
        (_, Some(words)) => Ok(ReplyEnd::Refused(words)),
        ("incomplete", None) if reason == "content_filter" => {
            Ok(ReplyEnd::Refused("the provider's content filter stopped the answer".into()))
        }
        ("incomplete", None) => Ok(ReplyEnd::Truncated),
        ("completed" | "", None) => Ok(ReplyEnd::Finished),
        (other, None) => Err(ReadError::Unreadable(format!("its status is `{other}`"))),
    }
}

/// The output as it can be sent back, where it holds reasoning that came with its encrypted content. Ids of things that
/// are not stored mean nothing, save the one that the content belongs to.
fn kept(output: &[Value]) -> Vec<Value> {
    let has_content = |item: &Value| item.at("encrypted_content").is_string();
    if !output.iter().any(|item| item.at("type") == "reasoning" && has_content(item)) {
        return Vec::new();
    }
    output.iter().filter_map(|item| sendable(item, has_content(item))).collect()
}

fn sendable(item: &Value, has_content: bool) -> Option<Value> {
    let fields: &[&str] = match text_of(item.at("type")) {
        "reasoning" if has_content => &["type", "id", "summary", "encrypted_content"],
        "function_call" => &["type", "call_id", "name", "arguments"],
        "message" => {
            let text = parts_text(parts_of(item));
            return (!text.is_empty()).then(|| json!({"role": "assistant", "content": text}));
        }
        _ => return None,
    };
    let mut sendable = json!({});
    for field in fields {
        if let Some(value) = item.get(field) {
            set(&mut sendable, field, value.clone());
        }
    }
    Some(sendable)
}
