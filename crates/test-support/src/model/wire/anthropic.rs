//! Anthropic Messages.

use serde_json::{Value, json};

use crate::model::exchange::{self, Ending, Exchange, arguments_mark, deltas, event, set};
use crate::model::reply::{Answer, Part, Stop};

pub(super) fn body(exchange: &Exchange, answer: &Answer) -> String {
    let mut message = message(exchange, exchange.output_tokens);
    let mut calls = 0;
    let blocks =
        answer.parts.iter().enumerate().map(|(index, part)| block(exchange, part, index, &mut calls));
    set(&mut message, "content", blocks.collect());
    let (reason, details) = stop(answer);
    set(&mut message, "stop_reason", json!(reason));
    if !details.is_null() {
        set(&mut message, "stop_details", details);
    }
    exchange::with_arguments(message.to_string(), answer)
}

pub(super) fn stream(exchange: &Exchange, answer: &Answer, ending: Ending<'_>) -> String {
    let mut stream =
        event("message_start", &json!({"type": "message_start", "message": message(exchange, 1)}));
    for (index, part) in answer.parts.iter().enumerate() {
        stream.push_str(&start(exchange, part, index));
        if index == 0 {
            stream.push_str(&event("ping", &json!({"type": "ping"})));
        }
        stream.push_str(&block_deltas(exchange, part, index));
        if ending == Ending::Whole {
            let stop = json!({"type": "content_block_stop", "index": index});
            stream.push_str(&event("content_block_stop", &stop));
        }
    }
    match ending {
        Ending::Whole => stream.push_str(&end(exchange, answer)),
        Ending::Open => {}
        Ending::Failed(message) => stream.push_str(&event("error", &error(exchange, 529, message))),
    }
    stream
}

pub(super) fn delta(index: usize, text: &str) -> String {
    block_delta(index, &json!({"type": "text_delta", "text": text}))
}

pub(super) fn error(exchange: &Exchange, status: u16, message: &str) -> Value {
    let kind = match status {
        401 => "authentication_error",
        402 => "billing_error",
        403 => "permission_error",
        404 => "not_found_error",
        413 => "request_too_large",
        429 => "rate_limit_error",
        504 => "timeout_error",
        529 => "overloaded_error",
        500.. => "api_error",
        _ => "invalid_request_error",
    };
    json!({"type": "error", "error": {"type": kind, "message": message}, "request_id": exchange.id("req_01", 0)})
}

pub(super) fn schema_error(exchange: &Exchange, message: &str) -> (u16, Value) {
    let place = match exchange.request.schema() {
        None if !exchange.request.tools().is_empty() => "tools.0.custom.input_schema",
        _ => "output_config.format.schema",
    };
    (400, error(exchange, 400, &format!("{place}: {message}")))
}

/// The message without its content, as a stream begins.
fn message(exchange: &Exchange, output_tokens: u64) -> Value {
    json!({
        "id": exchange.id("msg_01", 0),
        "type": "message",
        "role": "assistant",
        "model": exchange.model(),
        "content": [],
        "stop_reason": null,
        "stop_sequence": null,
        "usage": {
            "input_tokens": exchange.input_tokens,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0,
            "cache_creation": {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 0},
            "output_tokens": output_tokens,
            "service_tier": "standard",
        },
    })
}

fn block(exchange: &Exchange, part: &Part, index: usize, calls: &mut usize) -> Value {
    match part {
        Part::Reasoning(text) => {
            json!({"type": "thinking", "thinking": text, "signature": exchange.id("signature", index)})
        }
        Part::Text(text) => json!({"type": "text", "text": text}),
        Part::Tool { name, arguments } => {
            let input = arguments_mark(arguments, *calls);
            *calls += 1;
            json!({"type": "tool_use", "id": exchange.id("toolu_01", index), "name": name, "input": input})
        }
    }
}

fn stop(answer: &Answer) -> (&'static str, Value) {
    match &answer.stop {
        Stop::Truncated => ("max_tokens", Value::Null),
        Stop::Refused(text) => ("refusal", json!({"type": "refusal", "category": null, "explanation": text})),
        Stop::Finished if answer.tools().is_empty() => ("end_turn", Value::Null),
        Stop::Finished => ("tool_use", Value::Null),
    }
}

fn start(exchange: &Exchange, part: &Part, index: usize) -> String {
    let block = match part {
        Part::Reasoning(_) => json!({"type": "thinking", "thinking": "", "signature": ""}),
        Part::Text(_) => json!({"type": "text", "text": ""}),
        Part::Tool { name, .. } => {
            json!({"type": "tool_use", "id": exchange.id("toolu_01", index), "name": name, "input": {}})
        }
    };
    let start = json!({"type": "content_block_start", "index": index, "content_block": block});
    event("content_block_start", &start)
}

fn block_deltas(exchange: &Exchange, part: &Part, index: usize) -> String {
    let each = |text: &str, kind: &str, field: &str| -> String {
        let one = |text: String| block_delta(index, &json!({"type": kind, field: text}));
        deltas(text).into_iter().map(one).collect()
    };
    match part {
        Part::Text(text) => each(text, "text_delta", "text"),
        Part::Tool { arguments, .. } => each(arguments, "input_json_delta", "partial_json"),
        Part::Reasoning(text) => {
            let signature = exchange.id("signature", index);
            let signed = block_delta(index, &json!({"type": "signature_delta", "signature": signature}));
            each(text, "thinking_delta", "thinking") + &signed
        }
    }
}

fn block_delta(index: usize, delta: &Value) -> String {
    event("content_block_delta", &json!({"type": "content_block_delta", "index": index, "delta": delta}))
}

fn end(exchange: &Exchange, answer: &Answer) -> String {
    let (reason, details) = stop(answer);
    let mut delta = json!({"stop_reason": reason, "stop_sequence": null});
    if !details.is_null() {
        set(&mut delta, "stop_details", details);
    }
    let usage = json!({
        "input_tokens": exchange.input_tokens,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0,
        "output_tokens": exchange.output_tokens,
    });
    let delta = json!({"type": "message_delta", "delta": delta, "usage": usage});
    event("message_delta", &delta) + &event("message_stop", &json!({"type": "message_stop"}))
}
