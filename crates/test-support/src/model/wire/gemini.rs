//! Gemini: every event of a stream is an answer with the next parts, and arguments are values.

use serde_json::{Value, json};

use crate::model::exchange::{Ending, Exchange, arguments_mark, data, deltas, with_arguments};
use crate::model::reply::{Answer, Part, Stop};

pub(super) fn body(exchange: &Exchange, answer: &Answer) -> String {
    let mut calls = 0;
    let parts = answer.parts.iter().map(|each| part(each, &mut calls)).collect();
    with_arguments(last(exchange, answer, parts).to_string(), answer)
}

pub(super) fn stream(exchange: &Exchange, answer: &Answer, ending: Ending<'_>) -> String {
    let (mut stream, mut calls) = (String::new(), 0);
    for each in &answer.parts {
        let parts = match each {
            Part::Reasoning(text) => deltas(text).into_iter().map(thought).collect(),
            Part::Text(text) => deltas(text).into_iter().map(|text| json!({"text": text})).collect(),
            Part::Tool { .. } => vec![part(each, &mut calls)],
        };
        stream.extend(parts.into_iter().map(|part| data(&next(exchange, vec![part]))));
    }
    match ending {
        Ending::Whole => {
            stream.push_str(&data(&last(exchange, answer, vec![json!({"text": ""})])));
        }
        Ending::Open => {}
        Ending::Failed(message) => stream.push_str(&data(&error(503, message))),
    }
    with_arguments(stream, answer)
}

pub(super) fn delta(exchange: &Exchange, text: &str) -> String {
    data(&next(exchange, vec![json!({"text": text})]))
}

pub(super) fn error(status: u16, message: &str) -> Value {
    let name = match status {
        400 => "INVALID_ARGUMENT",
        401 => "UNAUTHENTICATED",
        403 => "PERMISSION_DENIED",
        404 => "NOT_FOUND",
        429 => "RESOURCE_EXHAUSTED",
        503 => "UNAVAILABLE",
        504 => "DEADLINE_EXCEEDED",
        _ => "INTERNAL",
    };
    json!({"error": {"code": status, "message": message, "status": name}})
}

pub(super) fn schema_error(message: &str) -> (u16, Value) {
    (400, error(400, &format!("Invalid JSON payload received. {message}")))
}

fn part(part: &Part, calls: &mut usize) -> Value {
    match part {
        Part::Reasoning(text) => thought(text.clone()),
        Part::Text(text) => json!({"text": text}),
        Part::Tool { name, arguments } => {
            let args = arguments_mark(arguments, *calls);
            *calls += 1;
            json!({"functionCall": {"name": name, "args": args}})
        }
    }
}

fn thought(text: String) -> Value {
    json!({"text": text, "thought": true})
}

/// An answer that is not over.
fn next(exchange: &Exchange, parts: Vec<Value>) -> Value {
    with_candidate(exchange, json!({"content": {"role": "model", "parts": parts}, "index": 0}))
}

fn last(exchange: &Exchange, answer: &Answer, parts: Vec<Value>) -> Value {
    let content = json!({"role": "model", "parts": parts});
    with_candidate(
        exchange,
        match &answer.stop {
            Stop::Finished => json!({"content": content, "finishReason": "STOP", "index": 0}),
            Stop::Truncated => json!({"content": content, "finishReason": "MAX_TOKENS", "index": 0}),
            Stop::Refused(text) => json!({"content": content, "finishReason": "SAFETY",
                "finishMessage": text, "index": 0}),
        },
    )
}

fn with_candidate(exchange: &Exchange, candidate: Value) -> Value {
    json!({
        "candidates": [candidate],
        "usageMetadata": {
            "promptTokenCount": exchange.input_tokens,
            "candidatesTokenCount": exchange.output_tokens,
            "totalTokenCount": exchange.input_tokens + exchange.output_tokens,
        },
        "modelVersion": exchange.model(),
        "responseId": exchange.id("", 0),
    })
}
