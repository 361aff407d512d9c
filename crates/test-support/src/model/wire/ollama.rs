//! Ollama: lines of JSON, arguments as values, no way to report a refusal.

use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::model::exchange::{Ending, Exchange, arguments_mark, deltas, set, with_arguments};
use crate::model::reply::{Answer, Stop};

/// The reported duration of an answer, an arbitrary number.
const TOTAL: SignedDuration = SignedDuration::from_millis(420);
const LOAD: SignedDuration = SignedDuration::from_millis(12);
const PROMPT: SignedDuration = SignedDuration::from_millis(80);
const ANSWER: SignedDuration = SignedDuration::from_millis(310);

pub(super) fn body(exchange: &Exchange, answer: &Answer) -> String {
    let mut message = json!({"role": "assistant", "content": text(answer)});
    if let Some(thinking) = answer.reasoning() {
        set(&mut message, "thinking", json!(thinking));
    }
    let calls = calls(answer);
    if !calls.is_empty() {
        set(&mut message, "tool_calls", Value::Array(calls));
    }
    with_arguments(last(exchange, answer, message).to_string(), answer)
}

pub(super) fn stream(exchange: &Exchange, answer: &Answer, ending: Ending<'_>) -> String {
    let mut stream = String::new();
    if let Some(thinking) = answer.reasoning() {
        let one = |part: String| json!({"role": "assistant", "content": "", "thinking": part});
        stream.extend(deltas(&thinking).into_iter().map(|part| line(exchange, &one(part))));
    }
    let text = text(answer);
    if !text.is_empty() {
        stream.extend(deltas(&text).iter().map(|part| delta(exchange, part)));
    }
    let calls = calls(answer);
    if !calls.is_empty() {
        stream.push_str(&line(exchange, &json!({"role": "assistant", "content": "", "tool_calls": calls})));
    }
    match ending {
        Ending::Whole => {
            let last = last(exchange, answer, json!({"role": "assistant", "content": ""}));
            stream.push_str(&format!("{last}\n"));
        }
        Ending::Open => {}
        Ending::Failed(message) => stream.push_str(&format!("{}\n", error(message))),
    }
    with_arguments(stream, answer)
}

pub(super) fn delta(exchange: &Exchange, text: &str) -> String {
    line(exchange, &json!({"role": "assistant", "content": text}))
}

pub(super) fn error(message: &str) -> Value {
    json!({"error": message})
}

/// Ollama compiles the schema into a grammar after it has accepted the request, and reports a
/// failure as a server error.
pub(super) fn schema_error(message: &str) -> (u16, Value) {
    (500, error(&format!("invalid JSON schema in format: {message}")))
}

fn text(answer: &Answer) -> String {
    match &answer.stop {
        Stop::Refused(text) => answer.text() + text,
        Stop::Finished | Stop::Truncated => answer.text(),
    }
}

fn calls(answer: &Answer) -> Vec<Value> {
    let call = |(number, (name, arguments)): (usize, (&str, &str))| json!({"function": {"index": number, "name": name, "arguments": arguments_mark(arguments, number)}});
    answer.tools().into_iter().enumerate().map(call).collect()
}

fn line(exchange: &Exchange, message: &Value) -> String {
    let line = json!({
        "model": exchange.model(),
        "created_at": exchange.now.to_string(),
        "message": message,
        "done": false,
    });
    format!("{line}\n")
}

fn last(exchange: &Exchange, answer: &Answer, message: Value) -> Value {
    let nanoseconds = |duration: SignedDuration| i64::try_from(duration.as_nanos()).unwrap_or(i64::MAX);
    json!({
        "model": exchange.model(),
        "created_at": exchange.now.to_string(),
        "message": message,
        "done": true,
        "done_reason": if answer.stop == Stop::Truncated { "length" } else { "stop" },
        "total_duration": nanoseconds(TOTAL),
        "load_duration": nanoseconds(LOAD),
        "prompt_eval_count": exchange.input_tokens,
        "prompt_eval_duration": nanoseconds(PROMPT),
        "eval_count": exchange.output_tokens,
        "eval_duration": nanoseconds(ANSWER),
    })
}
