//! Answers of Chat Completions, with the variations of compatible servers.

use serde::de::IgnoredAny;
use serde_json::{Map, Value};

use crate::answer::Usage;
use crate::json;
use crate::llm::wire::extras::MessageExtras;
use crate::llm::wire::reply::{
    ByteBudget, JsonAccess, NULL, PartialText, arguments_text, parse, parts_text, text_of, tokens_of,
};
use crate::llm::wire::{ProviderError, ReadError, Reader, Reply, ReplyCall, ReplyEnd, written};

/// A call counts as at least this many bytes, so that a stream of empty ones ends too.
const CALL_BYTES: usize = 64;

/// Finish reasons of answers that were cut off.
const CUT: [&str; 6] = [
    "length",
    "model_length",
    "max_length",
    "max_tokens",
    "max_output_tokens",
    "model_context_window_exceeded",
];

/// Finish reasons of answers that the server interrupted.
const FAILED: [&str; 9] = [
    "error",
    "failed",
    "abort",
    "aborted",
    "cancelled",
    "canceled",
    "timeout",
    "insufficient_system_resource",
    "network_error",
];

/// Finish reasons of answers that were filtered, besides `content_filter`.
const KEPT_BACK: [&str; 6] = ["sensitive", "safety", "recitation", "prohibited_content", "blocklist", "spii"];

/// The error for an answer that may be incomplete.
const UNEXPLAINED: &str =
    "the response ended with neither a `finish_reason` nor a token count, and may be incomplete";

#[derive(Default)]
pub(super) struct Stream {
    budget: ByteBudget,
    message: Message,
    calls: Vec<(Option<u64>, ReplyCall)>,
    extras: MessageExtras,
    /// Whether the message came in one piece.
    whole: bool,
    /// Whether a token count followed the message, which shows that the server finished.
    counted: bool,
    ended: bool,
}

/// What is known of the one message.
#[derive(Default)]
struct Message {
    text: String,
    refusal: Option<String>,
    finish: String,
    usage: Usage,
    model: String,
}

impl Reader for Stream {
    fn event(&mut self, data: &str) -> Result<bool, ReadError> {
        if data.trim() == "[DONE]" {
            self.ended = true;
            return Ok(true);
        }
        let mut chunk = parse(data)?;
        for choice_message in ["delta", "message"] {
            written::spell(
                &mut chunk,
                data,
                &["choices", choice_message, "tool_calls", "function", "arguments"],
            );
        }
        self.message.heading(&chunk);
        let choice = first_choice(&chunk);
        self.counted |= choice.is_null() && chunk.at("usage").is_object();
        if let Some(problem) = ProviderError::find_in(choice) {
            return Err(ReadError::Provider(problem));
        }
        match choice.at("delta") {
            delta if delta.is_object() => self.piece(delta)?,
            _ => self.in_one_piece(choice.at("message"))?,
        }
        self.message.finishes(text_of(choice.at("finish_reason")));
        Ok(false)
    }

    fn partial_text(&self) -> Option<PartialText<'_>> {
        match self.calls.last() {
            Some((_, call)) => Some(PartialText { part: self.calls.len() as u64, text: &call.arguments }),
            None => Some(PartialText { part: 0, text: &self.message.text }),
        }
    }

    fn usage(&self) -> Usage {
        self.message.usage
    }

    fn finish(self: Box<Self>) -> Result<Reply, ReadError> {
        let is_known = !self.message.finish.is_empty() || self.ended && self.counted;
        let calls = self.calls.into_iter().map(|(_, call)| call).collect();
        let reply = self.message.reply(calls, self.extras)?;
        match is_known || matches!(reply.end, ReplyEnd::Refused(_)) {
            true => Ok(reply),
            false if !self.ended => Err(ReadError::BrokenOff),
            false if shows_its_end(&reply) => Ok(reply),
            false => Err(ReadError::Provider(ProviderError::in_answer(&UNEXPLAINED.into()))),
        }
    }
}

impl Stream {
    fn has_begun(&self) -> bool {
        !self.message.text.is_empty() || self.message.refusal.is_some() || !self.calls.is_empty()
    }

    /// Takes a whole message where a delta is expected: some servers stream an answer as one event. After deltas it only
    /// repeats them.
    fn in_one_piece(&mut self, message: &Value) -> Result<(), ReadError> {
        if self.has_begun() && !self.whole {
            return Ok(());
        }
        self.extras = MessageExtras::default();
        self.piece(message)?;
        self.whole = self.has_begun();
        Ok(())
    }

    /// Adds a piece of the message. Behind a whole one it could be more of it or all of it again.
    fn piece(&mut self, piece: &Value) -> Result<(), ReadError> {
        let text = content_text(piece.at("content"));
        let calls = piece.at("tool_calls").as_array().map(Vec::as_slice).unwrap_or_default();
        if self.whole && !(text.is_empty() && calls.is_empty()) {
            return Err(ReadError::Unreadable("unexpected data after its `choices[0].message`".into()));
        }
        self.budget.append(&mut self.message.text, &text)?;
        self.extras.add(piece, &mut self.budget)?;
        if let Some(piece) = piece.at("refusal").as_str() {
            self.budget.append(self.message.refusal.get_or_insert_default(), piece)?;
        }
        calls.iter().try_for_each(|call| self.call(call))
    }

    /// Adds a piece of a call. It belongs to the call of its index, unless it brings an id of its own: some servers
    /// give every call the index 0, and some give none. Without an id, a name after complete arguments belongs to
    /// another call. A name may come in pieces, or repeatedly.
    fn call(&mut self, piece: &Value) -> Result<(), ReadError> {
        let index = piece.at("index").as_u64();
        let id = text_of(piece.at("id"));
        let name = text_of(piece.at("function").at("name"));
        let arguments = arguments_text(piece.at("function").at("arguments"));
        let open = match index {
            Some(_) => self.calls.iter().rposition(|(known, _)| *known == index),
            None => self.calls.len().checked_sub(1),
        };
        let is_repeated = |call: &ReplyCall| call.name == name && arguments.trim().is_empty();
        let goes_on =
            |call: &ReplyCall| name.is_empty() || is_repeated(call) || !is_whole_object(&call.arguments);
        let same = |call: &ReplyCall| match id.is_empty() || call.id.is_empty() {
            true => goes_on(call),
            false => call.id == id,
        };
        let open = open.filter(|&open| self.calls.get(open).is_some_and(|(_, call)| same(call)));
        let position = open.unwrap_or(self.calls.len());
        if open.is_none() {
            self.budget.take(CALL_BYTES)?;
            let call = ReplyCall { id: String::new(), name: String::new(), arguments: String::new() };
            self.calls.push((index, call));
        }
        self.extras.mark(position, piece, &mut self.budget)?;
        let Some((_, call)) = self.calls.get_mut(position) else {
            return Ok(());
        };
        if call.id.is_empty() {
            self.budget.append(&mut call.id, id)?;
        }
        if call.name != name {
            self.budget.append(&mut call.name, name)?;
        }
        self.budget.append(&mut call.arguments, &arguments)
    }
}

/// The choice that is the answer. We request only one; if a server returns more, they are not joined.
fn first_choice(body: &Value) -> &Value {
    let choices = body.at("choices").as_array().into_iter().flatten();
    let mut first = choices.filter(|choice| choice.at("index").as_u64().unwrap_or_default() == 0);
    first.next().unwrap_or(&NULL)
}

/// Reads an answer that came in one piece.
pub(super) fn whole(mut body: Value, text: &str) -> Result<Reply, ReadError> {
    written::spell(&mut body, text, &["choices", "message", "tool_calls", "function", "arguments"]);
    let choice = first_choice(&body);
    if let Some(problem) = ProviderError::find_in(choice) {
        return Err(ReadError::Provider(problem));
    }
    let choice_message = choice.at("message");
    if !choice_message.is_object() {
        return Err(ReadError::Unreadable("it has no `choices[0].message`".into()));
    }
    let mut message = Message {
        text: content_text(choice_message.at("content")),
        refusal: choice_message.at("refusal").as_str().map(str::to_owned),
        finish: text_of(choice.at("finish_reason")).to_owned(),
        ..Message::default()
    };
    message.heading(&body);
    let (mut extras, mut budget) = (MessageExtras::default(), ByteBudget::default());
    extras.add(choice_message, &mut budget)?;
    let mut calls = Vec::new();
    for (place, call) in choice_message.at("tool_calls").as_array().into_iter().flatten().enumerate() {
        extras.mark(place, call, &mut budget)?;
        calls.push(ReplyCall {
            id: text_of(call.at("id")).to_owned(),
            name: text_of(call.at("function").at("name")).to_owned(),
            arguments: arguments_text(call.at("function").at("arguments")),
        });
    }
    message.reply(calls, extras)?.within_limit()
}

impl Message {
    fn heading(&mut self, body: &Value) {
        if let Some(model) = body.at("model").as_str() {
            model.clone_into(&mut self.model);
        }
        let usage = body.at("usage");
        if usage.is_object() {
            self.usage = Usage {
                input_tokens: tokens_of(usage.at("prompt_tokens")),
                output_tokens: tokens_of(usage.at("completion_tokens")),
                cost_usd: None,
            };
        }
    }

    /// Takes the finish reason. Some servers send it in one chunk, and none or `stop` in the following chunks.
    fn finishes(&mut self, reason: &str) {
        let is_new = match reason {
            "" => false,
            "stop" => self.finish.is_empty(),
            _ => true,
        };
        if is_new {
            reason.clone_into(&mut self.finish);
        }
    }

    /// The reply. A reason that is not known is one to have finished: servers have many names for that.
    fn reply(self, calls: Vec<ReplyCall>, extras: MessageExtras) -> Result<Reply, ReadError> {
        let refusal = self.refusal.filter(|words| !words.is_empty());
        let end = match (refusal, self.finish.to_lowercase().as_str()) {
            (Some(words), _) => ReplyEnd::Refused(words),
            // Some add details after a colon.
            (None, finish) if finish.starts_with("content_filter") || KEPT_BACK.contains(&finish) => {
                ReplyEnd::Refused("the provider's content filter stopped the answer".into())
            }
            (None, finish) if CUT.contains(&finish) => ReplyEnd::Truncated,
            (None, finish) if FAILED.contains(&finish) => {
                let message = format!("the answer was interrupted with the reason `{finish}`");
                return Err(ReadError::Provider(ProviderError::in_answer(&message.into())));
            }
            (None, _) => ReplyEnd::Finished,
        };
        let (on_the_way, kept) = (Vec::new(), extras.kept(calls.len()));
        Ok(Reply { text: self.text, on_the_way, calls, kept, end, usage: self.usage, model: self.model })
    }
}

/// Whether an answer without a finish reason looks complete: a closed value, which the judge checks, or the end of a
/// sentence. Some servers never send a finish reason, and some send one although the server behind them broke off.
fn shows_its_end(reply: &Reply) -> bool {
    if let Some(call) = reply.calls.last() {
        return serde_json::from_str::<IgnoredAny>(&call.arguments).is_ok();
    }
    let mut from_its_end = reply.text.trim_end().chars().rev();
    match from_its_end.next() {
        Some('}' | ']' | '"' | '`') => true,
        // A point after a digit may be a decimal point.
        Some('.' | '!' | '?' | '…' | '。' | '！' | '？') => {
            !from_its_end.next().is_some_and(|before| before.is_ascii_digit())
        }
        _ => false,
    }
}

/// Whether arguments are complete.
fn is_whole_object(arguments: &str) -> bool {
    arguments.trim_end().ends_with('}') && json::read_message::<Map<String, Value>>(arguments).is_ok()
}

/// The text of a content, which some servers write as a list of parts.
fn content_text(content: &Value) -> String {
    match content {
        Value::Array(parts) => parts_text(parts),
        other => text_of(other).to_owned(),
    }
}
