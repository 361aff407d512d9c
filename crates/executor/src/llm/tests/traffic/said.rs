//! The content of an exchange, extracted from its JSON independently, to compare the readers with.

use serde_json::Value;

use super::{Recorded, from_base64};

#[derive(Default)]
pub(super) struct Said {
    pub(super) text: String,
    pub(super) calls: Vec<(String, Value)>,
    pub(super) refusal: Option<String>,
}

impl Said {
    fn say(&mut self, text: &Value) {
        self.text.push_str(text.as_str().unwrap_or_default());
    }

    /// A call whose arguments are a string or a value.
    fn call(&mut self, name: &Value, arguments: &Value) {
        let arguments = match arguments {
            Value::String(text) => serde_json::from_str(text).unwrap_or_default(),
            value => value.clone(),
        };
        self.calls.push((name.as_str().unwrap_or_default().to_owned(), arguments));
    }
}

/// The data of each event of a stream, or the whole answer.
fn events(exchange: &Recorded) -> Vec<Value> {
    match &exchange.response {
        Value::String(text) if exchange.provider == "bedrock" => frames(&from_base64(text)),
        Value::String(text) => {
            let data = text.lines().filter_map(|line| line.strip_prefix("data:"));
            data.filter_map(|data| serde_json::from_str(data).ok()).collect()
        }
        whole => vec![whole.clone()],
    }
}

/// The payloads of binary messages, whose JSON starts at the first brace.
fn frames(mut bytes: &[u8]) -> Vec<Value> {
    let mut payloads = Vec::new();
    while let Some((length, _)) = bytes.split_first_chunk::<4>() {
        let (frame, rest) = bytes.split_at(usize::try_from(u32::from_be_bytes(*length)).unwrap());
        let start = frame.iter().position(|byte| *byte == b'{').unwrap();
        payloads.push(serde_json::from_slice(&frame[start..frame.len() - 4]).unwrap());
        bytes = rest;
    }
    payloads
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

pub(super) fn said(exchange: &Recorded) -> Said {
    let (path, events) = (exchange.path.as_str(), events(exchange));
    let mut said = Said::default();
    match path {
        _ if path.ends_with("/chat/completions") => chat(&events, &mut said),
        _ if path.ends_with("/responses") => responses(&events, &mut said),
        _ if path.ends_with("/messages") => blocks(&events, &mut said),
        _ if path.contains("/converse") => blocks(&events, &mut said),
        _ if path.contains("enerateContent") => gemini(&events, &mut said),
        "/v2/chat" => cohere(&events, &mut said),
        "/api/chat" => {
            for message in events.iter().map(|event| &event["message"]) {
                said.say(&message["content"]);
                for call in list(&message["tool_calls"]) {
                    said.call(&call["function"]["name"], &call["function"]["arguments"]);
                }
            }
        }
        other => panic!("unknown path {other}"),
    }
    said
}

fn chat(events: &[Value], said: &mut Said) {
    let mut pieces: Vec<(u64, String, String)> = Vec::new();
    for choice in events.iter().map(|event| &event["choices"][0]) {
        for message in [&choice["message"], &choice["delta"]] {
            said.say(&message["content"]);
            if let Some(words) = message["refusal"].as_str() {
                said.refusal.get_or_insert_default().push_str(words);
            }
            for (place, call) in list(&message["tool_calls"]).enumerate() {
                let index = call["index"].as_u64().unwrap_or(place as u64);
                let name = call["function"]["name"].as_str().unwrap_or_default();
                let arguments = call["function"]["arguments"].as_str().unwrap_or_default();
                match pieces.iter_mut().find(|(known, ..)| *known == index && name.is_empty()) {
                    Some((_, _, so_far)) => so_far.push_str(arguments),
                    None => pieces.push((index, name.to_owned(), arguments.to_owned())),
                }
            }
        }
    }
    for (_, name, arguments) in pieces {
        said.call(&name.into(), &arguments.into());
    }
}

fn responses(events: &[Value], said: &mut Said) {
    let done = events
        .iter()
        .filter(|event| event["type"] == "response.output_item.done")
        .map(|event| &event["item"]);
    let whole = events.iter().flat_map(|event| list(&event["output"]));
    for item in done.chain(whole) {
        for part in list(&item["content"]).filter(|_| item["type"] == "message") {
            said.say(&part["text"]);
        }
        if item["type"] == "function_call" {
            said.call(&item["name"], &item["arguments"]);
        }
    }
}

/// Blocks of Anthropic and of Bedrock, which have the same structure under other names.
fn blocks(events: &[Value], said: &mut Said) {
    let mut open: Option<(Value, String)> = None;
    for event in events {
        let content = [&event["content"], &event["output"]["message"]["content"]];
        for block in content.into_iter().flat_map(list) {
            said.say(&block["text"]);
            for call in [block, &block["toolUse"]].into_iter().filter(|call| call["input"].is_object()) {
                said.call(&call["name"], &call["input"]);
            }
        }
        for start in [&event["content_block"], &event["start"]["toolUse"]] {
            if start["name"].is_string() {
                let before = open.replace((start["name"].clone(), String::new()));
                before.into_iter().for_each(|(name, arguments)| said.call(&name, &arguments.into()));
            }
        }
        let delta = &event["delta"];
        said.say(&delta["text"]);
        for piece in
            [&delta["partial_json"], &delta["toolUse"]["input"]].into_iter().filter_map(Value::as_str)
        {
            open.as_mut().unwrap().1.push_str(piece);
        }
    }
    open.into_iter().for_each(|(name, arguments)| said.call(&name, &arguments.into()));
}

fn gemini(events: &[Value], said: &mut Said) {
    for part in events.iter().flat_map(|event| list(&event["candidates"][0]["content"]["parts"])) {
        if part["thought"] != true {
            said.say(&part["text"]);
        }
        if part["functionCall"].is_object() {
            said.call(&part["functionCall"]["name"], &part["functionCall"]["args"]);
        }
    }
}

fn cohere(events: &[Value], said: &mut Said) {
    let mut open: Vec<(Value, String)> = Vec::new();
    for event in events {
        for message in [&event["message"], &event["delta"]["message"]] {
            said.say(&message["tool_plan"]);
            said.say(&message["content"]["text"]);
            list(&message["content"]).for_each(|part| said.say(&part["text"]));
            for call in list(&message["tool_calls"]) {
                said.call(&call["function"]["name"], &call["function"]["arguments"]);
            }
            let piece = &message["tool_calls"]["function"];
            if piece["name"].is_string() {
                open.push((piece["name"].clone(), String::new()));
            }
            if let (Some((_, arguments)), Some(piece)) = (open.last_mut(), piece["arguments"].as_str()) {
                arguments.push_str(piece);
            }
        }
    }
    open.into_iter().for_each(|(name, arguments)| said.call(&name, &arguments.into()));
}
