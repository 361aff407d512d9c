//! The provider protocols: one file each, with the same five functions.

mod anthropic;
mod chat;
mod gemini;
mod ollama;
mod responses;

use serde_json::Value;

use super::exchange::{Ending, Exchange};
use super::reply::Answer;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Wire {
    /// Anthropic Messages, `/v1/messages`.
    Anthropic,
    /// OpenAI Responses, `/v1/responses`.
    Responses,
    /// OpenAI Chat Completions, `/v1/chat/completions`, and the servers that are compatible with it.
    Chat,
    /// Ollama, `/api/chat`.
    Ollama,
    /// Gemini, `/v1beta/models/MODEL:generateContent` and `:streamGenerateContent`.
    Gemini,
}

impl Wire {
    /// The wires with one path, on which the body says whether to stream: all but Gemini.
    pub const ALL: [Self; 4] = [Self::Anthropic, Self::Responses, Self::Chat, Self::Ollama];

    /// The path that clients call, after the server's address.
    pub fn path(self) -> &'static str {
        match self {
            Self::Anthropic => "/v1/messages",
            Self::Responses => "/v1/responses",
            Self::Chat => "/v1/chat/completions",
            Self::Ollama => "/api/chat",
            Self::Gemini => "/v1beta/models/some-model:generateContent",
        }
    }

    /// The protocol of a path without its query. Base addresses may or may not include `/v1`.
    pub(super) fn of_path(path: &str) -> Option<Self> {
        match path {
            "/v1/messages" | "/messages" => Some(Self::Anthropic),
            "/v1/responses" | "/responses" => Some(Self::Responses),
            "/v1/chat/completions" | "/chat/completions" => Some(Self::Chat),
            "/api/chat" => Some(Self::Ollama),
            _ if gemini_model(path).is_some() => Some(Self::Gemini),
            _ => None,
        }
    }

    pub(super) fn body(self, exchange: &Exchange, answer: &Answer) -> String {
        match self {
            Self::Anthropic => anthropic::body(exchange, answer),
            Self::Responses => responses::body(exchange, answer).to_string(),
            Self::Chat => chat::body(exchange, answer).to_string(),
            Self::Ollama => ollama::body(exchange, answer),
            Self::Gemini => gemini::body(exchange, answer),
        }
    }

    pub(super) fn stream(self, exchange: &Exchange, answer: &Answer, ending: Ending<'_>) -> String {
        match self {
            Self::Anthropic => anthropic::stream(exchange, answer, ending),
            Self::Responses => responses::stream(exchange, answer, ending),
            Self::Chat => chat::stream(exchange, answer, ending),
            Self::Ollama => ollama::stream(exchange, answer, ending),
            Self::Gemini => gemini::stream(exchange, answer, ending),
        }
    }

    /// One more text delta in an unfinished stream.
    pub(super) fn delta(self, exchange: &Exchange, text: &str, number: u64) -> String {
        match self {
            Self::Anthropic => anthropic::delta(0, text),
            Self::Responses => responses::delta(exchange, text, number),
            Self::Chat => chat::delta(exchange, text),
            Self::Ollama => ollama::delta(exchange, text),
            Self::Gemini => gemini::delta(exchange, text),
        }
    }

    pub(super) fn error(self, exchange: &Exchange, status: u16, message: &str) -> Value {
        match self {
            Self::Anthropic => anthropic::error(exchange, status, message),
            Self::Responses | Self::Chat => chat::error(status, message),
            Self::Ollama => ollama::error(message),
            Self::Gemini => gemini::error(status, message),
        }
    }

    /// Status and body of an error about the schema of the request.
    pub(super) fn schema_error(self, exchange: &Exchange, message: &str) -> (u16, Value) {
        match self {
            Self::Anthropic => anthropic::schema_error(exchange, message),
            Self::Responses => responses::schema_error(exchange, message),
            Self::Chat => chat::schema_error(exchange, message),
            Self::Ollama => ollama::schema_error(message),
            Self::Gemini => gemini::schema_error(message),
        }
    }

    /// The answer of a service that failed during the work, without streaming.
    pub(super) fn failed(self, exchange: &Exchange, message: &str) -> (u16, Value) {
        match self {
            Self::Responses => (200, responses::failed(exchange, message)),
            Self::Anthropic | Self::Chat | Self::Ollama | Self::Gemini => {
                (500, self.error(exchange, 500, message))
            }
        }
    }

    /// The media type of its streams.
    pub(super) fn stream_type(self) -> &'static str {
        match self {
            Self::Anthropic => "text/event-stream; charset=utf-8",
            Self::Responses | Self::Chat | Self::Gemini => "text/event-stream",
            Self::Ollama => "application/x-ndjson",
        }
    }

    /// The header in which the service names the request.
    pub(super) fn request_id_header(self) -> Option<&'static str> {
        match self {
            Self::Anthropic => Some("request-id"),
            Self::Responses | Self::Chat => Some("x-request-id"),
            Self::Ollama | Self::Gemini => None,
        }
    }
}

/// The model in a path of Gemini, and whether its answer is streamed.
pub(super) fn gemini_model(path: &str) -> Option<(&str, bool)> {
    let path = path.split('?').next()?;
    let (model, method) = path.strip_prefix("/v1beta/models/")?.split_once(':')?;
    match method {
        "generateContent" => Some((model, false)),
        "streamGenerateContent" => Some((model, true)),
        _ => None,
    }
}
