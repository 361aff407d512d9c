//! Answers of Gemini. Every event of a stream is an answer with the next parts.

use serde_json::{Value, json};

use crate::answer::Usage;
use crate::llm::wire::reply::{
    ByteBudget, JsonAccess, NULL, PartialText, arguments_text, parse, text_of, tokens_of,
};
use crate::llm::wire::{
    ProviderError, ReadError, Reader, Reply, ReplyCall, ReplyEnd, arguments_object, set, written,
};

/// Finish reasons of answers that were filtered.
const KEPT_BACK: [&str; 8] = [
    "SAFETY",
    "RECITATION",
    "LANGUAGE",
    "BLOCKLIST",
    "PROHIBITED_CONTENT",
    "SPII",
    "IMAGE_SAFETY",
    "MODEL_ARMOR",
];

#[derive(Default)]
pub(super) struct Stream {
    budget: ByteBudget,
    /// The parts, in which adjacent pieces of text are joined. The arguments of calls are texts in them.
    parts: Vec<Value>,
    finish: String,
    finish_message: String,
    blocked: Option<String>,
    usage: Usage,
    model: String,
}

impl Reader for Stream {
    fn event(&mut self, data: &str) -> Result<bool, ReadError> {
        self.take(parse(data)?, data)?;
        // The last event has the finish reason and the final counts.
        Ok(!self.finish.is_empty() && self.usage != Usage::default())
    }

    fn partial_text(&self) -> Option<PartialText<'_>> {
        let part = self.parts.last().filter(|part| !is_thought(part))?;
        Some(PartialText { part: self.parts.len() as u64, text: part.at("text").as_str()? })
    }

    fn usage(&self) -> Usage {
        self.usage
    }

    fn finish(self: Box<Self>) -> Result<Reply, ReadError> {
        match self.finish.is_empty() && self.blocked.is_none() {
            true => Err(ReadError::BrokenOff),
            false => self.reply(),
        }
    }
}

impl Stream {
    fn take(&mut self, mut answer: Value, text: &str) -> Result<(), ReadError> {
        written::spell(&mut answer, text, &["candidates", "content", "parts", "functionCall", "args"]);
        if let Some(model) = answer.at("modelVersion").as_str() {
            model.clone_into(&mut self.model);
        }
        if answer.at("usageMetadata").is_object() {
            self.usage = usage_of(answer.at("usageMetadata"));
        }
        if let Some(reason) = answer.at("promptFeedback").at("blockReason").as_str() {
            self.blocked = Some(reason.to_owned());
        }
        let candidate = answer.at("candidates").as_array().and_then(|all| all.first()).unwrap_or(&NULL);
        for part in candidate.at("content").at("parts").as_array().into_iter().flatten() {
            self.part(part)?;
        }
        if let Some(reason) = candidate.at("finishReason").as_str() {
            reason.clone_into(&mut self.finish);
            text_of(candidate.at("finishMessage")).clone_into(&mut self.finish_message);
        }
        Ok(())
    }

    /// Adds a part, or joins a piece of text to the text before it.
    fn part(&mut self, part: &Value) -> Result<(), ReadError> {
        self.budget.take(part.to_string().len())?;
        let is_signed = |part: &Value| part.get("thoughtSignature").is_some();
        let last = self.parts.last_mut().filter(|last| {
            last.at("text").is_string() && is_thought(last) == is_thought(part) && !is_signed(last)
        });
        match (last, part.at("text").as_str()) {
            (Some(last), Some(piece)) => {
                if let Some(Value::String(text)) = last.get_mut("text") {
                    text.push_str(piece);
                }
                if is_signed(part) {
                    set(last, "thoughtSignature", part.at("thoughtSignature").clone());
                }
            }
            _ => self.parts.push(part.clone()),
        }
        Ok(())
    }

    fn reply(mut self) -> Result<Reply, ReadError> {
        let end = self.end()?;
        let (mut texts, mut calls, mut plain) = (Vec::new(), Vec::new(), true);
        for part in &mut self.parts {
            plain &= part.get("thoughtSignature").is_none() && !is_thought(part);
            if part.at("functionCall").is_object() {
                let mut call = part.at("functionCall").clone();
                let arguments = arguments_text(call.at("args"));
                set(&mut call, "args", arguments_object(&arguments));
                calls.push(ReplyCall {
                    id: text_of(call.at("id")).to_owned(),
                    name: text_of(call.at("name")).to_owned(),
                    arguments,
                });
                set(part, "functionCall", call);
            } else if let Some(text) = part.at("text").as_str().filter(|_| !is_thought(part)) {
                texts.push(text.to_owned());
            } else {
                plain = false;
            }
        }
        // Signatures belong to the parts that they came with. Thoughts themselves are summaries, which are not sent back.
        let kept = match plain {
            true => Vec::new(),
            false => self.parts.into_iter().filter(|part| !is_thought(part)).collect(),
        };
        let (usage, model) = (self.usage, self.model);
        Reply { text: texts.concat(), on_the_way: Vec::new(), calls, kept, end, usage, model }.within_limit()
    }

    fn end(&self) -> Result<ReplyEnd, ReadError> {
        let filtered = |reason: &str| {
            ReplyEnd::Refused(match self.finish_message.is_empty() {
                true => format!("the provider's content filter stopped the answer: {reason}"),
                false => self.finish_message.clone(),
            })
        };
        match (&self.blocked, self.finish.as_str()) {
            (Some(reason), _) => Ok(ReplyEnd::Refused(format!("the provider blocked the prompt: {reason}"))),
            (None, "MAX_TOKENS") => Ok(ReplyEnd::Truncated),
            (None, reason) if KEPT_BACK.contains(&reason) => Ok(filtered(reason)),
            // The model wrote a call that the server could not read: another try may give a better one.
            (None, reason @ ("OTHER" | "MALFORMED_FUNCTION_CALL" | "MALFORMED_RESPONSE"))
                if !self.has_answer() =>
            {
                let message = format!("the answer was interrupted with the reason `{reason}`");
                Err(ReadError::Provider(ProviderError::in_answer(&json!(message))))
            }
            (None, _) => Ok(ReplyEnd::Finished),
        }
    }

    fn has_answer(&self) -> bool {
        self.parts.iter().any(|part| !is_thought(part))
    }
}

/// Whether a part is the summary of a thought, which is no part of the answer.
fn is_thought(part: &Value) -> bool {
    part.at("thought") == true
}

/// Reads an answer that came in one piece: a stream of one event.
pub(super) fn whole(body: Value, text: &str) -> Result<Reply, ReadError> {
    let mut stream = Stream::default();
    if body.get("candidates").is_none() && body.get("promptFeedback").is_none() {
        return Err(ReadError::Unreadable("it has no `candidates`".into()));
    }
    stream.take(body, text)?;
    stream.reply()
}

/// Thoughts are charged as output.
fn usage_of(usage: &Value) -> Usage {
    let count = |name: &str| tokens_of(usage.at(name));
    Usage {
        input_tokens: count("promptTokenCount").saturating_add(count("toolUsePromptTokenCount")),
        output_tokens: count("candidatesTokenCount").saturating_add(count("thoughtsTokenCount")),
        cost_usd: None,
    }
}
