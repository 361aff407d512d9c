//! Answers of Anthropic Messages.
//!
//! A stream is put together into the same blocks that an answer in one piece has, so that both are read by one
//! function. Only the arguments of calls stay apart, as the text they are.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::answer::Usage;
use crate::llm::wire::reply::{
    ByteBudget, JsonAccess, PartialText, arguments_text, parse, text_of, tokens_of,
};
use crate::llm::wire::{ReadError, Reader, Reply, ReplyCall, ReplyEnd, arguments_object, set, written};

/// One block with the text of its arguments.
#[derive(Default)]
struct Block {
    /// The input of a call is a text in it, as it was written.
    value: Value,
    arguments: String,
}

#[derive(Default)]
pub(super) struct Stream {
    budget: ByteBudget,
    model: String,
    usage: Value,
    blocks: BTreeMap<u64, Block>,
    stop: Value,
    ended: bool,
}

impl Reader for Stream {
    fn event(&mut self, data: &str) -> Result<bool, ReadError> {
        let mut event = parse(data)?;
        match text_of(event.at("type")) {
            "message_start" => {
                // A second message is the answer of another server, so it replaces the first.
                self.blocks.clear();
                self.stop = Value::Null;
                let message = event.at("message");
                text_of(message.at("model")).clone_into(&mut self.model);
                self.count(message.at("usage"));
            }
            "content_block_start" => {
                self.budget.take(data.len())?;
                if is_call(event.at("content_block")) {
                    written::spell(&mut event, data, &["content_block", "input"]);
                }
                let block = Block { value: event.at("content_block").clone(), ..Block::default() };
                self.blocks.insert(tokens_of(event.at("index")), block);
            }
            "content_block_delta" => self.delta(&event)?,
            "message_delta" => {
                // There may be several, and not each says why it ended.
                if event.at("delta").at("stop_reason").is_string() {
                    self.stop = event.at("delta").clone();
                }
                self.count(event.at("usage"));
            }
            "message_stop" => self.ended = true,
            _ => {}
        }
        Ok(self.ended)
    }

    fn partial_text(&self) -> Option<PartialText<'_>> {
        let (part, block) = self.blocks.last_key_value()?;
        let text = match block.arguments.is_empty() {
            true => block.value.at("text").as_str()?,
            false => &block.arguments,
        };
        Some(PartialText { part: *part, text })
    }

    fn usage(&self) -> Usage {
        usage_of(&self.usage)
    }

    fn finish(self: Box<Self>) -> Result<Reply, ReadError> {
        let reply = reply(self.blocks.into_values().collect(), &self.stop, &self.usage, self.model);
        match self.ended || matches!(reply.end, ReplyEnd::Refused(_)) {
            true => Ok(reply),
            false => Err(ReadError::BrokenOff),
        }
    }
}

impl Stream {
    /// Counts come in parts, and later ones replace earlier ones.
    fn count(&mut self, usage: &Value) {
        if self.usage.is_null() {
            self.usage = json!({});
        }
        for (name, value) in usage.as_object().into_iter().flatten() {
            if value.is_u64() {
                set(&mut self.usage, name, value.clone());
            }
        }
    }

    fn delta(&mut self, event: &Value) -> Result<(), ReadError> {
        let block = self.blocks.entry(tokens_of(event.at("index"))).or_default();
        let delta = event.at("delta");
        let field = match text_of(delta.at("type")) {
            "input_json_delta" => {
                return self.budget.append(&mut block.arguments, text_of(delta.at("partial_json")));
            }
            "text_delta" => "text",
            "thinking_delta" => "thinking",
            "signature_delta" => "signature",
            _ => return Ok(()),
        };
        let piece = text_of(delta.at(field));
        match block.value.get_mut(field) {
            Some(Value::String(text)) => self.budget.append(text, piece),
            _ => {
                self.budget.take(piece.len())?;
                set(&mut block.value, field, piece);
                Ok(())
            }
        }
    }
}

/// Reads an answer that came in one piece.
pub(super) fn whole(body: &Value, text: &str) -> Result<Reply, ReadError> {
    let Some(content) = body.at("content").as_array() else {
        return Err(ReadError::Unreadable("it has no `content`".into()));
    };
    let mut spelled = body.clone();
    written::spell(&mut spelled, text, &["content", "input"]);
    let spelled = spelled.at("content").as_array().into_iter().flatten();
    let block = |(value, spelled)| if is_call(value) { spelled } else { value };
    let blocks = content.iter().zip(spelled).map(block);
    let blocks = blocks.map(|value| Block { value: value.clone(), ..Block::default() }).collect();
    reply(blocks, body, body.at("usage"), text_of(body.at("model")).to_owned()).within_limit()
}

/// Whether a block is a call of ours. Others go back with their input as it is.
fn is_call(block: &Value) -> bool {
    block.at("type") == "tool_use"
}

fn reply(mut blocks: Vec<Block>, stop: &Value, usage: &Value, model: String) -> Reply {
    let mut text = String::new();
    let mut calls = Vec::new();
    let mut plain = true;
    let mut is_apart = false;
    let last = blocks.len().saturating_sub(1);
    let is_cut = is_cut(stop);
    for (place, block) in blocks.iter_mut().enumerate() {
        let is_text = block.value.at("type") == "text";
        match text_of(block.value.at("type")) {
            "text" => add(&mut text, text_of(block.value.at("text")), is_apart),
            "tool_use" => {
                // A call that was cut off before its first delta has an empty input that the model did not write, and one that
                // came whole does not show what is missing.
                if block.arguments.is_empty() && !(is_cut && place == last) {
                    block.arguments = arguments_text(block.value.at("input"));
                }
                set(&mut block.value, "input", arguments_object(&block.arguments));
                calls.push(ReplyCall {
                    id: text_of(block.value.at("id")).to_owned(),
                    name: text_of(block.value.at("name")).to_owned(),
                    arguments: std::mem::take(&mut block.arguments),
                });
            }
            _ => plain = false,
        }
        is_apart = !is_text || is_apart && text_of(block.value.at("text")).is_empty();
    }
    let kept = match plain {
        true => Vec::new(),
        false => blocks.into_iter().map(|block| block.value).filter(is_sendable).collect(),
    };
    let end = end(stop, &text);
    // If something else was cut off, the text before it is complete.
    let (on_the_way, text) = match end == ReplyEnd::Truncated && is_apart {
        true => (vec![text], String::new()),
        false => (Vec::new(), text),
    };
    Reply { text, on_the_way, calls, kept, end, usage: usage_of(usage), model }
}

/// Adds a block of text. Adjacent blocks are one text; blocks with something else between them are not.
fn add(text: &mut String, block: &str, is_apart: bool) {
    if is_apart && !text.is_empty() && !block.is_empty() {
        text.push_str("\n\n");
    }
    text.push_str(block);
}

/// Whether the provider takes a block back: an empty text and a thought that was cut off before its signature it sends,
/// and does not take.
fn is_sendable(block: &Value) -> bool {
    match text_of(block.at("type")) {
        "text" => !text_of(block.at("text")).trim().is_empty(),
        "thinking" => !text_of(block.at("signature")).is_empty(),
        _ => true,
    }
}

fn is_cut(stop: &Value) -> bool {
    matches!(text_of(stop.at("stop_reason")), "max_tokens" | "model_context_window_exceeded")
}

fn end(stop: &Value, text: &str) -> ReplyEnd {
    match text_of(stop.at("stop_reason")) {
        "refusal" => {
            let why = text_of(stop.at("stop_details").at("explanation"));
            ReplyEnd::Refused(if why.is_empty() { text } else { why }.to_owned())
        }
        _ if is_cut(stop) => ReplyEnd::Truncated,
        "pause_turn" => ReplyEnd::Paused,
        _ => ReplyEnd::Finished,
    }
}

fn usage_of(usage: &Value) -> Usage {
    let count = |name: &str| tokens_of(usage.at(name));
    Usage {
        input_tokens: count("input_tokens")
            .saturating_add(count("cache_creation_input_tokens"))
            .saturating_add(count("cache_read_input_tokens")),
        output_tokens: count("output_tokens"),
        cost_usd: None,
    }
}
