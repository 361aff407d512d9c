//! Reads streams as a client would, into one shape for all wires.

use accord_test_support::Wire;
use serde_json::Value;

/// What a model said, put together from a stream.
#[derive(Debug, PartialEq, Default)]
pub(crate) struct Said {
    pub(crate) reasoning: String,
    pub(crate) text: String,
    pub(crate) refusal: String,
    pub(crate) tools: Vec<(String, String)>,
    pub(crate) stop: String,
    pub(crate) tokens: (u64, u64),
}

/// The events of a stream: name, or the empty one, and data. Chat's last word is data `null`.
pub(crate) fn events(wire: Wire, text: &str) -> Vec<(String, Value)> {
    if wire == Wire::Ollama {
        return text.lines().map(|line| (String::new(), serde_json::from_str(line).unwrap())).collect();
    }
    let event = |block: &str| {
        let (name, data) = match block.strip_prefix("event: ") {
            Some(rest) => rest.split_once('\n').unwrap(),
            None => ("", block),
        };
        let data = data.strip_prefix("data: ").unwrap();
        let value = if data == "[DONE]" { Value::Null } else { serde_json::from_str(data).unwrap() };
        (name.to_owned(), value)
    };
    let blocks: Vec<&str> = text.split("\n\n").collect();
    assert_eq!(blocks.last(), Some(&""), "a stream ends in an empty line");
    blocks[..blocks.len() - 1].iter().map(|block| event(block)).collect()
}

pub(crate) fn said(wire: Wire, text: &str) -> Said {
    let mut said = Said::default();
    for (name, data) in events(wire, text) {
        match wire {
            Wire::Anthropic => anthropic(&mut said, &name, &data),
            Wire::Responses => responses(&mut said, &name, &data),
            Wire::Chat => chat(&mut said, &data),
            Wire::Ollama => ollama(&mut said, &data),
        }
    }
    said
}

fn string(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn count(value: &Value) -> u64 {
    value.as_u64().unwrap_or_default()
}

fn anthropic(said: &mut Said, name: &str, data: &Value) {
    assert_eq!(data["type"], name);
    let delta = &data["delta"];
    match name {
        "content_block_start" if data["content_block"]["type"] == "tool_use" => {
            said.tools.push((string(&data["content_block"]["name"]), String::new()));
        }
        "content_block_delta" => {
            said.text += &string(&delta["text"]);
            said.reasoning += &string(&delta["thinking"]);
            if let Some(partial) = delta["partial_json"].as_str() {
                said.tools.last_mut().unwrap().1 += partial;
            }
        }
        "message_delta" => {
            said.stop = string(&delta["stop_reason"]);
            said.refusal = string(&delta["stop_details"]["explanation"]);
            said.tokens = (count(&data["usage"]["input_tokens"]), count(&data["usage"]["output_tokens"]));
        }
        _ => {}
    }
}

fn responses(said: &mut Said, name: &str, data: &Value) {
    assert_eq!(data["type"], name);
    let delta = string(&data["delta"]);
    match name {
        "response.output_item.added" if data["item"]["type"] == "function_call" => {
            said.tools.push((string(&data["item"]["name"]), String::new()));
        }
        "response.output_text.delta" => said.text += &delta,
        "response.refusal.delta" => said.refusal += &delta,
        "response.reasoning_summary_text.delta" => said.reasoning += &delta,
        "response.function_call_arguments.delta" => said.tools.last_mut().unwrap().1 += &delta,
        "response.completed" | "response.incomplete" | "response.failed" => {
            said.stop = string(&data["response"]["status"]);
            let usage = &data["response"]["usage"];
            said.tokens = (count(&usage["input_tokens"]), count(&usage["output_tokens"]));
        }
        _ => {}
    }
}

fn chat(said: &mut Said, data: &Value) {
    let delta = &data["choices"][0]["delta"];
    said.text += &string(&delta["content"]);
    said.refusal += &string(&delta["refusal"]);
    said.reasoning += &string(&delta["reasoning_content"]);
    said.stop += &string(&data["choices"][0]["finish_reason"]);
    for call in delta["tool_calls"].as_array().into_iter().flatten() {
        if let Some(name) = call["function"]["name"].as_str() {
            said.tools.push((name.to_owned(), String::new()));
        }
        let index = usize::try_from(count(&call["index"])).unwrap();
        said.tools[index].1 += call["function"]["arguments"].as_str().unwrap();
    }
    if data["usage"].is_object() {
        said.tokens = (count(&data["usage"]["prompt_tokens"]), count(&data["usage"]["completion_tokens"]));
    }
}

fn ollama(said: &mut Said, data: &Value) {
    let message = &data["message"];
    said.text += &string(&message["content"]);
    said.reasoning += &string(&message["thinking"]);
    for call in message["tool_calls"].as_array().into_iter().flatten() {
        said.tools.push((string(&call["function"]["name"]), call["function"]["arguments"].to_string()));
    }
    if data["done"] == true {
        said.stop = string(&data["done_reason"]);
        said.tokens = (count(&data["prompt_eval_count"]), count(&data["eval_count"]));
    }
}
