//! OpenAI Chat Completions. Reasoning is in `reasoning_content`, as in compatible servers.

use serde_json::{Value, json};

use crate::model::exchange::{Ending, Exchange, data, deltas, set};
use crate::model::reply::{Answer, Stop};

pub(super) fn body(exchange: &Exchange, answer: &Answer) -> Value {
    let calls = answer.tools();
    let text = answer.text();
    let refusal = if let Stop::Refused(text) = &answer.stop { Some(text) } else { None };
    let silent = text.is_empty() && (refusal.is_some() || !calls.is_empty());
    let mut message = json!({
        "role": "assistant",
        "content": if silent { Value::Null } else { Value::String(text) },
        "refusal": refusal,
        "annotations": [],
    });
    if let Some(reasoning) = answer.reasoning() {
        set(&mut message, "reasoning_content", json!(reasoning));
    }
    if !calls.is_empty() {
        let call = |(number, (name, arguments)): (usize, (&str, &str))| {
            let function = json!({"name": name, "arguments": arguments});
            json!({"id": exchange.id("call_", number), "type": "function", "function": function})
        };
        set(&mut message, "tool_calls", calls.into_iter().enumerate().map(call).collect());
    }
    json!({
        "id": exchange.id("chatcmpl-", 0),
        "object": "chat.completion",
        "created": exchange.now.as_second(),
        "model": exchange.model(),
        "choices": [{
            "index": 0,
            "message": message,
            "logprobs": null,
            "finish_reason": finish_reason(answer),
        }],
        "usage": usage(exchange),
        "service_tier": "default",
        "system_fingerprint": null,
    })
}

pub(super) fn stream(exchange: &Exchange, answer: &Answer, ending: Ending<'_>) -> String {
    let mut stream = chunk(exchange, &json!({"role": "assistant", "content": "", "refusal": null}), None);
    let mut field = |text: &str, field: &str| {
        let one = |text: String| chunk(exchange, &json!({field: text}), None);
        stream.extend(deltas(text).into_iter().map(one));
    };
    if let Some(reasoning) = answer.reasoning() {
        field(&reasoning, "reasoning_content");
    }
    let text = answer.text();
    if !text.is_empty() {
        field(&text, "content");
    }
    if let Stop::Refused(text) = &answer.stop {
        field(text, "refusal");
    }
    for (number, (name, arguments)) in answer.tools().into_iter().enumerate() {
        let function = json!({"name": name, "arguments": ""});
        let id = exchange.id("call_", number);
        let opening = json!({"index": number, "id": id, "type": "function", "function": function});
        stream.push_str(&chunk(exchange, &json!({"tool_calls": [opening]}), None));
        for part in deltas(arguments) {
            let call = json!({"index": number, "function": {"arguments": part}});
            stream.push_str(&chunk(exchange, &json!({"tool_calls": [call]}), None));
        }
    }
    match ending {
        Ending::Whole => stream.push_str(&end(exchange, answer)),
        Ending::Open => {}
        Ending::Failed(message) => stream.push_str(&data(&error(500, message))),
    }
    stream
}

pub(super) fn delta(exchange: &Exchange, text: &str) -> String {
    chunk(exchange, &json!({"content": text}), None)
}

/// OpenAI's error body, which the Responses wire shares.
pub(super) fn error(status: u16, message: &str) -> Value {
    let (kind, code) = match status {
        401 => ("invalid_request_error", Some("invalid_api_key")),
        404 => ("invalid_request_error", Some("model_not_found")),
        429 => ("requests", Some("rate_limit_exceeded")),
        500.. => ("server_error", None),
        _ => ("invalid_request_error", None),
    };
    json!({"error": {"message": message, "type": kind, "param": null, "code": code}})
}

pub(super) fn schema_error(exchange: &Exchange, message: &str) -> (u16, Value) {
    let tool = exchange.request.tools().first().copied().filter(|_| exchange.request.schema().is_none());
    let name = exchange.request.body.pointer("/response_format/json_schema/name");
    (400, about_schema(message, tool, name, ["tools[0].function.parameters", "response_format"]))
}

/// OpenAI's message about a schema that it rejects: the schema of a tool or of the response format.
pub(super) fn about_schema(
    message: &str,
    tool: Option<&str>,
    format: Option<&Value>,
    parameters: [&'static str; 2],
) -> Value {
    let [in_tool, in_format] = parameters;
    let format = format.and_then(Value::as_str).unwrap_or("response");
    let (message, parameter, code) = match tool {
        Some(tool) => {
            let message = format!("Invalid schema for function '{tool}': {message}");
            (message, in_tool, json!("invalid_function_parameters"))
        }
        None => (format!("Invalid schema for response_format '{format}': {message}"), in_format, Value::Null),
    };
    json!({"error": {"message": message, "type": "invalid_request_error", "param": parameter, "code": code}})
}

fn finish_reason(answer: &Answer) -> &'static str {
    match &answer.stop {
        Stop::Truncated => "length",
        Stop::Finished if !answer.tools().is_empty() => "tool_calls",
        Stop::Finished | Stop::Refused(_) => "stop",
    }
}

fn usage(exchange: &Exchange) -> Value {
    json!({
        "prompt_tokens": exchange.input_tokens,
        "completion_tokens": exchange.output_tokens,
        "total_tokens": exchange.input_tokens + exchange.output_tokens,
        "prompt_tokens_details": {"cached_tokens": 0, "audio_tokens": 0},
        "completion_tokens_details": {
            "reasoning_tokens": 0,
            "audio_tokens": 0,
            "accepted_prediction_tokens": 0,
            "rejected_prediction_tokens": 0,
        },
    })
}

fn chunk(exchange: &Exchange, delta: &Value, finish_reason: Option<&str>) -> String {
    let choice = json!({"index": 0, "delta": delta, "logprobs": null, "finish_reason": finish_reason});
    data(&chunk_of(exchange, &json!([choice]), None))
}

/// A chunk. If the client requested usage, every chunk has the field, null in all but the last.
fn chunk_of(exchange: &Exchange, choices: &Value, usage: Option<Value>) -> Value {
    let mut chunk = json!({
        "id": exchange.id("chatcmpl-", 0),
        "object": "chat.completion.chunk",
        "created": exchange.now.as_second(),
        "model": exchange.model(),
        "service_tier": "default",
        "system_fingerprint": null,
        "choices": choices,
    });
    if wants_usage(exchange) {
        set(&mut chunk, "usage", usage.unwrap_or_default());
    }
    chunk
}

fn wants_usage(exchange: &Exchange) -> bool {
    exchange.request.body.pointer("/stream_options/include_usage") == Some(&Value::Bool(true))
}

fn end(exchange: &Exchange, answer: &Answer) -> String {
    let mut end = chunk(exchange, &json!({}), Some(finish_reason(answer)));
    if wants_usage(exchange) {
        end.push_str(&data(&chunk_of(exchange, &json!([]), Some(usage(exchange)))));
    }
    end + "data: [DONE]\n\n"
}
