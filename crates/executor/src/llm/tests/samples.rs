//! The same answers in each dialect, streamed and unstreamed.

use serde_json::{Value, json};

use super::script::Canned;
use crate::llm::wire::frame;

/// One for each dialect, and one for each variant with its own reader or writer.
pub(super) const PROVIDERS: [&str; 9] = [
    "anthropic",
    "openai",
    "openai-chat",
    "openai-compatible",
    "ollama",
    "gemini",
    "bedrock",
    "cohere",
    "mistral",
];

/// The model named in an answer, if its dialect has a field for it.
pub(super) fn answering_model(provider: &str) -> &'static str {
    if ["bedrock", "cohere"].contains(&provider) { "m-1" } else { "m-1-full" }
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Say<'a> {
    Text(&'a str),
    /// A call with its name and its arguments.
    Call(&'a str, &'a str),
}

/// A streamed answer with 11 input and 7 output tokens.
pub(super) fn streamed(provider: &str, say: Say<'_>) -> Canned {
    match provider {
        "anthropic" => Canned::events(&anthropic(say)),
        "openai" => Canned::events(&responses(say)),
        "ollama" => Canned::lines(&ollama(say)),
        "gemini" => Canned::events(&gemini(say)),
        "bedrock" => bedrock(say),
        "cohere" => Canned::events(&cohere(say)),
        _ => Canned::events(&chat(say)),
    }
}

fn halves(text: &str) -> (&str, &str) {
    let middle = (0..=text.len() / 2).rev().find(|&index| text.is_char_boundary(index));
    text.split_at(middle.unwrap_or_default())
}

fn anthropic(say: Say<'_>) -> Vec<Value> {
    let (block, left, right) = match say {
        Say::Text(text) => {
            let (left, right) = halves(text);
            let delta = |text| json!({"type": "text_delta", "text": text});
            (json!({"type": "text", "text": ""}), delta(left), delta(right))
        }
        Say::Call(name, arguments) => {
            let (left, right) = halves(arguments);
            let delta = |json| json!({"type": "input_json_delta", "partial_json": json});
            (
                json!({"type": "tool_use", "id": "call_a", "name": name, "input": {}}),
                delta(left),
                delta(right),
            )
        }
    };
    let reason = if matches!(say, Say::Text(_)) { "end_turn" } else { "tool_use" };
    let delta = |delta| json!({"type": "content_block_delta", "index": 0, "delta": delta});
    vec![
        json!({"type": "message_start", "message": {"model": "m-1-full", "content": [], "usage": {"input_tokens": 4, "cache_read_input_tokens": 7, "cache_creation_input_tokens": null, "output_tokens": 1}}}),
        json!({"type": "content_block_start", "index": 0, "content_block": block}),
        json!({"type": "ping"}),
        delta(left),
        delta(right),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 7}}),
        json!({"type": "message_stop"}),
    ]
}

fn responses(say: Say<'_>) -> Vec<Value> {
    let (left, right, kind) = match say {
        Say::Text(text) => (halves(text).0, halves(text).1, "response.output_text.delta"),
        Say::Call(_, text) => (halves(text).0, halves(text).1, "response.function_call_arguments.delta"),
    };
    let body = whole_body("openai", say);
    let mut opening = body["output"][0].clone();
    if let Some(fields) = opening.as_object_mut() {
        fields.insert("content".into(), json!([]));
        fields.insert("arguments".into(), json!(""));
    }
    vec![
        json!({"type": "response.created", "response": {"model": "m-1-full", "status": "in_progress", "output": []}}),
        json!({"type": "response.output_item.added", "output_index": 0, "item": opening}),
        json!({"type": kind, "output_index": 0, "delta": left}),
        json!({"type": kind, "output_index": 0, "delta": right}),
        json!({"type": "response.output_item.done", "output_index": 0, "item": body["output"][0]}),
        json!({"type": "response.completed", "response": body}),
    ]
}

fn chat(say: Say<'_>) -> Vec<Value> {
    let chunk = |delta: Value, finish: Value| json!({"model": "m-1-full", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]});
    let (first, second, finish) = match say {
        Say::Text(text) => {
            let (left, right) = halves(text);
            (json!({"role": "assistant", "content": left}), json!({"content": right}), "stop")
        }
        Say::Call(name, arguments) => {
            let (left, right) = halves(arguments);
            let first = json!({"index": 0, "id": "call_a", "type": "function", "function": {"name": name, "arguments": left}});
            let second = json!({"index": 0, "function": {"arguments": right}});
            (json!({"content": null, "tool_calls": [first]}), json!({"tool_calls": [second]}), "tool_calls")
        }
    };
    vec![
        chunk(first, Value::Null),
        chunk(second, Value::Null),
        chunk(json!({}), json!(finish)),
        json!({"model": "m-1-full", "choices": [], "usage": {"prompt_tokens": 11, "completion_tokens": 7}}),
        json!("[DONE]"),
    ]
}

fn ollama(say: Say<'_>) -> Vec<Value> {
    let line = |message: Value| json!({"model": "m-1-full", "message": message, "done": false});
    let (first, second) = match say {
        Say::Text(text) => {
            let (left, right) = halves(text);
            (json!({"role": "assistant", "content": left}), json!({"role": "assistant", "content": right}))
        }
        Say::Call(..) => {
            (json!({"role": "assistant", "content": ""}), whole_body("ollama", say)["message"].clone())
        }
    };
    let mut last = whole_body("ollama", Say::Text(""));
    if let Some(fields) = last.as_object_mut() {
        fields.insert("message".into(), json!({"role": "assistant", "content": ""}));
    }
    vec![line(first), line(second), last]
}

fn gemini(say: Say<'_>) -> Vec<Value> {
    let body = whole_body("gemini", say);
    let Say::Text(text) = say else { return vec![body] };
    let (left, right) = halves(text);
    let (mut first, mut last) = (body.clone(), body);
    let piece = |text: &str| json!({"content": {"role": "model", "parts": [{"text": text}]}});
    first["candidates"][0] = piece(left);
    let mut second = first.clone();
    second["candidates"][0] = piece(right);
    last["candidates"][0]["content"]["parts"][0]["text"] = json!("");
    vec![first, second, last]
}

fn bedrock(say: Say<'_>) -> Canned {
    let (start, left, right) = match say {
        Say::Text(text) => {
            let (left, right) = halves(text);
            (None, json!({"text": left}), json!({"text": right}))
        }
        Say::Call(name, arguments) => {
            let (left, right) = halves(arguments);
            let delta = |input: &str| json!({"toolUse": {"input": input}});
            (Some(json!({"toolUse": {"toolUseId": "call_a", "name": name}})), delta(left), delta(right))
        }
    };
    let whole = whole_body("bedrock", say);
    let start = start.map(|start| ("contentBlockStart", json!({"contentBlockIndex": 0, "start": start})));
    let delta = |delta| ("contentBlockDelta", json!({"contentBlockIndex": 0, "delta": delta}));
    let events = [
        Some(("messageStart", json!({"role": "assistant"}))),
        start,
        Some(delta(left)),
        Some(delta(right)),
        Some(("contentBlockStop", json!({"contentBlockIndex": 0}))),
        Some(("messageStop", json!({"stopReason": whole["stopReason"]}))),
        Some(("metadata", json!({"usage": whole["usage"]}))),
    ];
    let frames = events.into_iter().flatten().flat_map(|(kind, payload)| {
        frame(&[(":event-type", kind), (":message-type", "event")], &payload.to_string())
    });
    let body = frames.collect();
    Canned { body, ..Canned::text("application/vnd.amazon.eventstream", String::new()) }
}

fn cohere(say: Say<'_>) -> Vec<Value> {
    let event = |kind: &str, message: Value| json!({"type": kind, "index": 0, "delta": {"message": message}});
    let whole = whole_body("cohere", say);
    let mut events = vec![event("message-start", json!({"role": "assistant", "content": []}))];
    match say {
        Say::Text(text) => {
            let (left, right) = halves(text);
            events.push(event("content-start", json!({"content": {"type": "text", "text": ""}})));
            events
                .extend([left, right].map(|text| event("content-delta", json!({"content": {"text": text}}))));
        }
        Say::Call(name, arguments) => {
            let (left, right) = halves(arguments);
            let call = |more: Value| json!({ "tool_calls": more });
            let first =
                json!({"id": "call_a", "type": "function", "function": {"name": name, "arguments": left}});
            events.push(event("tool-call-start", call(first)));
            events.push(event("tool-call-delta", call(json!({"function": {"arguments": right}}))));
            events.push(json!({"type": "tool-call-end", "index": 0}));
        }
    }
    let end = json!({"finish_reason": whole["finish_reason"], "usage": whole["usage"]});
    events.extend([json!({"type": "message-end", "delta": end}), json!("[DONE]")]);
    events
}

/// Arguments as a value, if they are valid JSON.
fn arguments_of(arguments: &str) -> Value {
    serde_json::from_str(arguments).unwrap_or_default()
}

pub(super) fn whole_body(provider: &str, say: Say<'_>) -> Value {
    let parsed = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    match (provider, say) {
        ("anthropic", say) => {
            let (block, reason) = match say {
                Say::Text(text) => (json!({"type": "text", "text": text}), "end_turn"),
                Say::Call(name, arguments) => (
                    json!({"type": "tool_use", "id": "call_a", "name": name, "input": parsed(arguments)}),
                    "tool_use",
                ),
            };
            json!({"type": "message", "model": "m-1-full", "content": [block], "stop_reason": reason, "usage": {"input_tokens": 11, "output_tokens": 7}})
        }
        ("openai", say) => {
            let item = match say {
                Say::Text(text) => {
                    json!({"type": "message", "id": "msg_1", "role": "assistant", "content": [{"type": "output_text", "text": text, "annotations": []}]})
                }
                Say::Call(name, arguments) => {
                    json!({"type": "function_call", "id": "fc_1", "call_id": "call_a", "name": name, "arguments": arguments})
                }
            };
            json!({"model": "m-1-full", "status": "completed", "output": [item], "usage": {"input_tokens": 11, "output_tokens": 7}})
        }
        ("ollama", say) => {
            let message = match say {
                Say::Text(text) => json!({"role": "assistant", "content": text}),
                Say::Call(name, arguments) => {
                    json!({"role": "assistant", "content": "", "tool_calls": [{"id": "call_a", "function": {"name": name, "arguments": parsed(arguments)}}]})
                }
            };
            json!({"model": "m-1-full", "message": message, "done": true, "done_reason": "stop", "prompt_eval_count": 11, "eval_count": 7})
        }
        ("gemini", say) => {
            let part = match say {
                Say::Text(text) => json!({"text": text}),
                Say::Call(name, arguments) => {
                    json!({"functionCall": {"id": "call_a", "name": name, "args": parsed(arguments)}})
                }
            };
            let candidate =
                json!({"index": 0, "content": {"role": "model", "parts": [part]}, "finishReason": "STOP"});
            json!({"modelVersion": "m-1-full", "candidates": [candidate], "usageMetadata": {"promptTokenCount": 11, "candidatesTokenCount": 5, "thoughtsTokenCount": 2}})
        }
        ("bedrock", say) => {
            let (block, reason) = match say {
                Say::Text(text) => (json!({"text": text}), "end_turn"),
                Say::Call(name, arguments) => (
                    json!({"toolUse": {"toolUseId": "call_a", "name": name, "input": arguments_of(arguments)}}),
                    "tool_use",
                ),
            };
            let message = json!({"role": "assistant", "content": [block]});
            json!({"output": {"message": message}, "stopReason": reason, "usage": {"inputTokens": 4, "cacheReadInputTokens": 7, "outputTokens": 7, "totalTokens": 18}})
        }
        ("cohere", say) => {
            let (message, reason) = match say {
                Say::Text(text) => {
                    (json!({"role": "assistant", "content": [{"type": "text", "text": text}]}), "COMPLETE")
                }
                Say::Call(name, arguments) => {
                    let call = json!({"id": "call_a", "type": "function", "function": {"name": name, "arguments": arguments}});
                    (json!({"role": "assistant", "tool_calls": [call]}), "TOOL_CALL")
                }
            };
            json!({"id": "1", "finish_reason": reason, "message": message, "usage": {"billed_units": {"input_tokens": 11, "output_tokens": 7}, "tokens": {"input_tokens": 90, "output_tokens": 9}}})
        }
        (_, say) => {
            let (message, finish) = match say {
                Say::Text(text) => (json!({"role": "assistant", "content": text, "refusal": null}), "stop"),
                Say::Call(name, arguments) => {
                    let call = json!({"id": "call_a", "type": "function", "function": {"name": name, "arguments": arguments}});
                    (json!({"role": "assistant", "content": null, "tool_calls": [call]}), "tool_calls")
                }
            };
            json!({"model": "m-1-full", "choices": [{"index": 0, "message": message, "finish_reason": finish}], "usage": {"prompt_tokens": 11, "completion_tokens": 7}})
        }
    }
}
