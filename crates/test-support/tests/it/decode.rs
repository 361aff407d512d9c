//! Reads streams as a client would, into one type for all protocols.

use accord_test_support::Wire;
use serde_json::Value;

/// The output of a model, put together from a stream.
#[derive(Debug, PartialEq, Default)]
pub(crate) struct ModelOutput {
    pub(crate) reasoning: String,
    pub(crate) text: String,
    pub(crate) refusal: String,
    pub(crate) tools: Vec<(String, String)>,
    pub(crate) stop: String,
    pub(crate) tokens: (u64, u64),
}

/// The events of a stream: name (may be empty) and data. The final `[DONE]` of Chat becomes `null`.
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

pub(crate) fn output(wire: Wire, text: &str) -> ModelOutput {
    let mut output = ModelOutput::default();
    for (name, data) in events(wire, text) {
        match wire {
            Wire::Anthropic => anthropic(&mut output, &name, &data),
            Wire::Responses => responses(&mut output, &name, &data),
            Wire::Chat => chat(&mut output, &data),
            Wire::Ollama => ollama(&mut output, &data),
            Wire::Gemini => gemini(&mut output, &data),
        }
    }
    output
}

fn string(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn count(value: &Value) -> u64 {
    value.as_u64().unwrap_or_default()
}

fn anthropic(output: &mut ModelOutput, name: &str, data: &Value) {
    assert_eq!(data["type"], name);
    let delta = &data["delta"];
    match name {
        "content_block_start" if data["content_block"]["type"] == "tool_use" => {
            output.tools.push((string(&data["content_block"]["name"]), String::new()));
        }
        "content_block_delta" => {
            output.text += &string(&delta["text"]);
            output.reasoning += &string(&delta["thinking"]);
            if let Some(partial) = delta["partial_json"].as_str() {
                output.tools.last_mut().unwrap().1 += partial;
            }
        }
        "message_delta" => {
            output.stop = string(&delta["stop_reason"]);
            output.refusal = string(&delta["stop_details"]["explanation"]);
            output.tokens = (count(&data["usage"]["input_tokens"]), count(&data["usage"]["output_tokens"]));
        }
        _ => {}
    }
}

fn responses(output: &mut ModelOutput, name: &str, data: &Value) {
    assert_eq!(data["type"], name);
    let delta = string(&data["delta"]);
    match name {
        "response.output_item.added" if data["item"]["type"] == "function_call" => {
            output.tools.push((string(&data["item"]["name"]), String::new()));
        }
        "response.output_text.delta" => output.text += &delta,
        "response.refusal.delta" => output.refusal += &delta,
        "response.reasoning_summary_text.delta" => output.reasoning += &delta,
        "response.function_call_arguments.delta" => output.tools.last_mut().unwrap().1 += &delta,
        "response.completed" | "response.incomplete" | "response.failed" => {
            output.stop = string(&data["response"]["status"]);
            let usage = &data["response"]["usage"];
            output.tokens = (count(&usage["input_tokens"]), count(&usage["output_tokens"]));
        }
        _ => {}
    }
}

fn chat(output: &mut ModelOutput, data: &Value) {
    let delta = &data["choices"][0]["delta"];
    output.text += &string(&delta["content"]);
    output.refusal += &string(&delta["refusal"]);
    output.reasoning += &string(&delta["reasoning_content"]);
    output.stop += &string(&data["choices"][0]["finish_reason"]);
    for call in delta["tool_calls"].as_array().into_iter().flatten() {
        if let Some(name) = call["function"]["name"].as_str() {
            output.tools.push((name.to_owned(), String::new()));
        }
        let index = usize::try_from(count(&call["index"])).unwrap();
        output.tools[index].1 += call["function"]["arguments"].as_str().unwrap();
    }
    if data["usage"].is_object() {
        output.tokens = (count(&data["usage"]["prompt_tokens"]), count(&data["usage"]["completion_tokens"]));
    }
}

fn ollama(output: &mut ModelOutput, data: &Value) {
    let message = &data["message"];
    output.text += &string(&message["content"]);
    output.reasoning += &string(&message["thinking"]);
    for call in message["tool_calls"].as_array().into_iter().flatten() {
        output.tools.push((string(&call["function"]["name"]), call["function"]["arguments"].to_string()));
    }
    if data["done"] == true {
        output.stop = string(&data["done_reason"]);
        output.tokens = (count(&data["prompt_eval_count"]), count(&data["eval_count"]));
    }
}

fn gemini(output: &mut ModelOutput, data: &Value) {
    let candidate = &data["candidates"][0];
    for part in candidate["content"]["parts"].as_array().into_iter().flatten() {
        let text = string(&part["text"]);
        if part["thought"] == true {
            output.reasoning += &text
        } else {
            output.text += &text
        }
        if let Some(name) = part["functionCall"]["name"].as_str() {
            output.tools.push((name.to_owned(), part["functionCall"]["args"].to_string()));
        }
    }
    output.stop += &string(&candidate["finishReason"]);
    output.refusal += &string(&candidate["finishMessage"]);
    let usage = &data["usageMetadata"];
    output.tokens = (count(&usage["promptTokenCount"]), count(&usage["candidatesTokenCount"]));
}
