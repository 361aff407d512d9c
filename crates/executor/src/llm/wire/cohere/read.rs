//! Answers of Cohere's chat.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::answer::Usage;
use crate::llm::wire::reply::{
    ByteBudget, JsonAccess, PartialText, arguments_text, parse, parts_text, text_of, tokens_of,
};
use crate::llm::wire::{ProviderError, ReadError, Reader, Reply, ReplyCall, ReplyEnd, written};

#[derive(Default)]
pub(super) struct Stream {
    budget: ByteBudget,
    /// The texts by their place; thoughts are not among them.
    texts: BTreeMap<u64, String>,
    plan: String,
    calls: BTreeMap<u64, ReplyCall>,
    end: Value,
    ended: bool,
}

impl Reader for Stream {
    fn event(&mut self, data: &str) -> Result<bool, ReadError> {
        if data.trim() == "[DONE]" {
            self.ended = true;
            return Ok(true);
        }
        let event = parse(data)?;
        let message = event.at("delta").at("message");
        let index = tokens_of(event.at("index"));
        match text_of(event.at("type")) {
            "content-start" | "content-delta" => {
                let piece = text_of(message.at("content").at("text"));
                self.budget.append(self.texts.entry(index).or_default(), piece)?;
            }
            "tool-plan-delta" => self.budget.append(&mut self.plan, text_of(message.at("tool_plan")))?,
            "tool-call-start" => {
                self.budget.take(data.len())?;
                self.calls.insert(index, call(message.at("tool_calls")));
            }
            "tool-call-delta" => {
                let piece = text_of(message.at("tool_calls").at("function").at("arguments"));
                if let Some(call) = self.calls.get_mut(&index) {
                    self.budget.append(&mut call.arguments, piece)?;
                }
            }
            "message-end" => self.end = event.at("delta").clone(),
            _ => {}
        }
        Ok(false)
    }

    fn partial_text(&self) -> Option<PartialText<'_>> {
        match self.calls.last_key_value() {
            Some((index, call)) => Some(PartialText { part: index + 1, text: &call.arguments }),
            None => self.texts.last_key_value().map(|(_, text)| PartialText { part: 0, text }),
        }
    }

    fn usage(&self) -> Usage {
        usage_of(self.end.at("usage"))
    }

    fn finish(self: Box<Self>) -> Result<Reply, ReadError> {
        match self.end.at("finish_reason").as_str() {
            Some(reason) => {
                let text = self.texts.into_values().collect();
                let calls = self.calls.into_values().collect();
                reply(text, self.plan, calls, reason, usage_of(self.end.at("usage")))
            }
            None => Err(ReadError::BrokenOff),
        }
    }
}

fn call(call: &Value) -> ReplyCall {
    ReplyCall {
        id: text_of(call.at("id")).to_owned(),
        name: text_of(call.at("function").at("name")).to_owned(),
        arguments: arguments_text(call.at("function").at("arguments")),
    }
}

/// Reads an answer that came in one piece.
pub(super) fn whole(mut body: Value, text: &str) -> Result<Reply, ReadError> {
    written::spell(&mut body, text, &["message", "tool_calls", "function", "arguments"]);
    let message = body.at("message");
    if !message.is_object() {
        return Err(ReadError::Unreadable("it has no `message`".into()));
    }
    let text = message.at("content").as_array().map(|parts| parts_text(parts)).unwrap_or_default();
    let calls = message.at("tool_calls").as_array().into_iter().flatten().map(call).collect();
    let plan = text_of(message.at("tool_plan")).to_owned();
    reply(text, plan, calls, text_of(body.at("finish_reason")), usage_of(body.at("usage")))?.within_limit()
}

fn reply(
    text: String,
    plan: String,
    calls: Vec<ReplyCall>,
    reason: &str,
    usage: Usage,
) -> Result<Reply, ReadError> {
    let end = match reason {
        "MAX_TOKENS" => ReplyEnd::Truncated,
        "ERROR" | "TIMEOUT" => {
            let message = format!("the answer was interrupted with the reason `{reason}`");
            return Err(ReadError::Provider(ProviderError::in_answer(&json!(message))));
        }
        "ERROR_TOXIC" => ReplyEnd::Refused("the provider's content filter stopped the answer".into()),
        _ => ReplyEnd::Finished,
    };
    let on_the_way = if plan.is_empty() { Vec::new() } else { vec![plan] };
    Ok(Reply { text, on_the_way, calls, kept: Vec::new(), end, usage, model: String::new() })
}

/// The tokens that are charged, without those that the service itself adds to the prompt.
fn usage_of(usage: &Value) -> Usage {
    let counts =
        ["billed_units", "tokens"].into_iter().map(|name| usage.at(name)).find(|counts| counts.is_object());
    let count = |name: &str| counts.map_or(0, |counts| tokens_of(counts.at(name)));
    Usage { input_tokens: count("input_tokens"), output_tokens: count("output_tokens"), cost_usd: None }
}
