//! Answers of Chat Completions, with what compatible servers make of them.

use serde_json::Value;

use super::reply::{Look, Room, arguments_text, parse, text_of, tokens_of};
use super::{End, Problem, ReadError, Reader, Reply, ReplyCall};
use crate::answer::Usage;

/// A call takes at least this much room, so that a stream of empty ones ends too.
const CALL_BYTES: usize = 64;

/// A streamed answer.
#[derive(Default)]
pub(super) struct Stream {
    room: Room,
    message: Message,
    calls: Vec<(Option<u64>, ReplyCall)>,
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
        let chunk = parse(data)?;
        if let Some(error) = chunk.get("error").filter(|error| !error.is_null()) {
            return Err(ReadError::Provider(Problem::in_answer(error)));
        }
        self.message.heading(&chunk);
        let choice = chunk.at("choices").at(0);
        let delta = choice.at("delta");
        let piece = content_text(delta.at("content"));
        self.room.append(&mut self.message.text, &piece)?;
        if let Some(piece) = delta.at("refusal").as_str() {
            self.room.append(self.message.refusal.get_or_insert_default(), piece)?;
        }
        for call in delta.at("tool_calls").as_array().into_iter().flatten() {
            self.call(call)?;
        }
        if let Some(finish) = choice.at("finish_reason").as_str() {
            finish.clone_into(&mut self.message.finish);
        }
        Ok(false)
    }

    fn finish(self: Box<Self>) -> Result<Reply, ReadError> {
        let ended = self.ended || !self.message.finish.is_empty();
        let calls = self.calls.into_iter().map(|(_, call)| call).collect();
        let reply = self.message.reply(calls);
        match ended || matches!(reply.end, End::Refused(_)) {
            true => Ok(reply),
            false => Err(ReadError::BrokenOff),
        }
    }
}

impl Stream {
    /// Adds a piece of a call. It belongs to the call of its index, unless it brings an id of its own: some servers
    /// give every call the index 0, and some give none.
    fn call(&mut self, piece: &Value) -> Result<(), ReadError> {
        let index = piece.at("index").as_u64();
        let id = text_of(piece.at("id"));
        let open = match index {
            Some(_) => self.calls.iter().rposition(|(known, _)| *known == index),
            None => self.calls.len().checked_sub(1),
        };
        let same = |call: &ReplyCall| id.is_empty() || call.id.is_empty() || call.id == id;
        let open = open.filter(|&open| self.calls.get(open).is_some_and(|(_, call)| same(call)));
        let position = open.unwrap_or(self.calls.len());
        if open.is_none() {
            self.room.take(CALL_BYTES)?;
            let call = ReplyCall { id: String::new(), name: String::new(), arguments: String::new() };
            self.calls.push((index, call));
        }
        let Some((_, call)) = self.calls.get_mut(position) else {
            return Ok(());
        };
        let function = piece.at("function");
        if call.id.is_empty() {
            self.room.append(&mut call.id, id)?;
        }
        self.room.append(&mut call.name, text_of(function.at("name")))?;
        self.room.append(&mut call.arguments, &arguments_text(function.at("arguments")))
    }
}

/// Reads an answer that came in one piece.
pub(super) fn whole(body: &Value) -> Result<Reply, ReadError> {
    if let Some(error) = body.get("error").filter(|error| !error.is_null()) {
        return Err(ReadError::Provider(Problem::in_answer(error)));
    }
    let choice = body.at("choices").at(0);
    let said = choice.at("message");
    if !said.is_object() {
        return Err(ReadError::Unreadable("it has no `choices[0].message`".into()));
    }
    let mut message = Message {
        text: content_text(said.at("content")),
        refusal: said.at("refusal").as_str().map(str::to_owned),
        finish: text_of(choice.at("finish_reason")).to_owned(),
        ..Message::default()
    };
    message.heading(body);
    let calls = said.at("tool_calls").as_array().into_iter().flatten();
    let calls = calls.map(|call| ReplyCall {
        id: text_of(call.at("id")).to_owned(),
        name: text_of(call.at("function").at("name")).to_owned(),
        arguments: arguments_text(call.at("function").at("arguments")),
    });
    message.reply(calls.collect()).within_room()
}

impl Message {
    /// Takes the model and the counts.
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

    fn reply(self, calls: Vec<ReplyCall>) -> Reply {
        let refusal = self.refusal.filter(|words| !words.is_empty());
        let end = match (refusal, self.finish.as_str()) {
            (Some(words), _) => End::Refused(words),
            (None, "content_filter") => {
                End::Refused("the provider's content filter stopped the answer".into())
            }
            (None, "length") => End::Truncated,
            (None, _) => End::Finished,
        };
        Reply { text: self.text, calls, kept: Vec::new(), end, usage: self.usage, model: self.model }
    }
}

/// The text of a content, which some servers write as a list of parts.
fn content_text(content: &Value) -> String {
    match content {
        Value::Array(parts) => parts.iter().map(|part| text_of(part.at("text"))).collect(),
        other => text_of(other).to_owned(),
    }
}
