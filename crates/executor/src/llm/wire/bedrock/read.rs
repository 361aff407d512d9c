//! Answers of Converse. A stream is put together into the blocks that an answer in one piece has.

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
    value: Value,
    arguments: String,
}

#[derive(Default)]
pub(super) struct Stream {
    budget: ByteBudget,
    blocks: BTreeMap<u64, Block>,
    stop: Option<String>,
    usage: Value,
    ended: bool,
}

impl Reader for Stream {
    fn event(&mut self, data: &str) -> Result<bool, ReadError> {
        let event = parse(data)?;
        let (start, delta) = (event.at("contentBlockStart"), event.at("contentBlockDelta"));
        if start.is_object() {
            self.budget.take(data.len())?;
            let block = Block { value: start.at("start").clone(), ..Block::default() };
            self.blocks.insert(tokens_of(start.at("contentBlockIndex")), block);
        }
        if delta.is_object() {
            self.delta(delta)?;
        }
        if let Some(reason) = event.at("messageStop").at("stopReason").as_str() {
            self.stop = Some(reason.to_owned());
        }
        // Token counts come last, behind the end of the message.
        if event.at("metadata").is_object() {
            self.usage = event.at("metadata").at("usage").clone();
            self.ended = true;
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
        match self.stop {
            Some(stop) => Ok(reply(self.blocks.into_values().collect(), &stop, &self.usage)),
            None => Err(ReadError::BrokenOff),
        }
    }
}

impl Stream {
    fn delta(&mut self, event: &Value) -> Result<(), ReadError> {
        let block = self.blocks.entry(tokens_of(event.at("contentBlockIndex"))).or_default();
        if !block.value.is_object() {
            block.value = json!({});
        }
        let delta = event.at("delta");
        if let Some(piece) = delta.at("toolUse").at("input").as_str() {
            return self.budget.append(&mut block.arguments, piece);
        }
        if let Some(piece) = delta.at("text").as_str() {
            return append(&mut self.budget, &mut block.value, "text", piece);
        }
        for (name, piece) in delta.at("reasoningContent").as_object().into_iter().flatten() {
            let Some(piece) = piece.as_str() else { continue };
            let mut thought = block.value.at("reasoningContent").clone();
            if !thought.is_object() {
                thought = json!({});
            }
            if name == "redactedContent" {
                append(&mut self.budget, &mut thought, name, piece)?;
            } else {
                let mut words = thought.at("reasoningText").clone();
                if !words.is_object() {
                    words = json!({});
                }
                append(&mut self.budget, &mut words, name, piece)?;
                set(&mut thought, "reasoningText", words);
            }
            set(&mut block.value, "reasoningContent", thought);
        }
        Ok(())
    }
}

fn append(budget: &mut ByteBudget, block: &mut Value, field: &str, piece: &str) -> Result<(), ReadError> {
    match block.get_mut(field) {
        Some(Value::String(text)) => budget.append(text, piece),
        _ => {
            budget.take(piece.len())?;
            set(block, field, piece);
            Ok(())
        }
    }
}

/// Reads an answer that came in one piece.
pub(super) fn whole(body: &Value, text: &str) -> Result<Reply, ReadError> {
    let mut body = body.clone();
    written::spell(&mut body, text, &["output", "message", "content", "toolUse", "input"]);
    let Some(content) = body.at("output").at("message").at("content").as_array() else {
        return Err(ReadError::Unreadable("it has no `output.message.content`".into()));
    };
    let blocks = content.iter().map(|value| Block { value: value.clone(), ..Block::default() }).collect();
    reply(blocks, text_of(body.at("stopReason")), body.at("usage")).within_limit()
}

fn reply(mut blocks: Vec<Block>, stop: &str, usage: &Value) -> Reply {
    let end = match stop {
        "max_tokens" | "model_context_window_exceeded" => ReplyEnd::Truncated,
        "guardrail_intervened" => ReplyEnd::Refused("a guardrail of the provider stopped the answer".into()),
        "content_filtered" => ReplyEnd::Refused("the provider's content filter stopped the answer".into()),
        _ => ReplyEnd::Finished,
    };
    let is_cut = end == ReplyEnd::Truncated;
    let (mut texts, mut calls, mut plain) = (Vec::<String>::new(), Vec::new(), true);
    // Adjacent blocks of text are one text.
    let mut is_apart = true;
    let last = blocks.len().saturating_sub(1);
    for (place, block) in blocks.iter_mut().enumerate() {
        let was_apart = std::mem::replace(&mut is_apart, true);
        if let Some(text) = block.value.at("text").as_str() {
            is_apart = false;
            match texts.last_mut().filter(|_| !was_apart) {
                Some(before) => before.push_str(text),
                None => texts.push(text.to_owned()),
            }
        } else if block.value.at("toolUse").is_object() {
            let mut call = block.value.at("toolUse").clone();
            // A call that was cut off before its first delta has an input that the model did not write.
            if block.arguments.is_empty() && !(is_cut && place == last) {
                block.arguments = arguments_text(call.at("input"));
            }
            set(&mut call, "input", arguments_object(&block.arguments));
            calls.push(ReplyCall {
                id: text_of(call.at("toolUseId")).to_owned(),
                name: text_of(call.at("name")).to_owned(),
                arguments: std::mem::take(&mut block.arguments),
            });
            set(&mut block.value, "toolUse", call);
        } else {
            plain = false;
        }
    }
    let kept = match plain {
        true => Vec::new(),
        false => blocks.into_iter().map(|block| block.value).filter(is_sendable).collect(),
    };
    texts.retain(|text| !text.is_empty());
    // If something else was cut off, the text before it is complete.
    let (on_the_way, text) = match is_cut && is_apart {
        true => (texts, String::new()),
        false => (Vec::new(), texts.join("\n\n")),
    };
    Reply { text, on_the_way, calls, kept, end, usage: usage_of(usage), model: String::new() }
}

/// Whether the provider takes a block back: empty texts and unsigned thoughts it rejects.
fn is_sendable(block: &Value) -> bool {
    let thought = block.at("reasoningContent");
    match block.at("text").as_str() {
        Some(text) => !text.trim().is_empty(),
        None if thought.at("reasoningText").is_object() => {
            thought.at("reasoningText").at("signature").is_string()
        }
        None => block.as_object().is_some_and(|fields| !fields.is_empty()),
    }
}

fn usage_of(usage: &Value) -> Usage {
    let count = |name: &str| tokens_of(usage.at(name));
    let cached = count("cacheReadInputTokens").saturating_add(count("cacheWriteInputTokens"));
    Usage {
        input_tokens: count("inputTokens").saturating_add(cached),
        output_tokens: count("outputTokens"),
        cost_usd: None,
    }
}
