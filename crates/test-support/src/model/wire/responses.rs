//! OpenAI Responses.

use serde_json::{Value, json};

use super::chat;
use crate::model::exchange::{Ending, Exchange, deltas, event, set};
use crate::model::reply::{Answer, Part, Stop};

pub(super) fn body(exchange: &Exchange, answer: &Answer) -> Value {
    finished(exchange, answer, items(exchange, answer))
}

pub(super) fn stream(exchange: &Exchange, answer: &Answer, ending: Ending<'_>) -> String {
    let mut stream = Stream { text: String::new(), sequence: 0 };
    for name in ["response.created", "response.in_progress"] {
        stream.push(name, json!({"response": response(exchange, "in_progress", &[])}));
    }
    let items = items(exchange, answer);
    for (index, item) in items.iter().enumerate() {
        stream.item(index, item, ending == Ending::Whole);
    }
    match ending {
        Ending::Open => {}
        Ending::Failed(message) => {
            stream.push("response.failed", json!({"response": failed(exchange, message)}));
        }
        Ending::Whole => {
            let response = finished(exchange, answer, items);
            let name =
                if answer.stop == Stop::Truncated { "response.incomplete" } else { "response.completed" };
            stream.push(name, json!({"response": response}));
        }
    }
    stream.text
}

/// A delta of the first message. Sequence numbers of an endless stream start above those of any
/// short one.
pub(super) fn delta(exchange: &Exchange, text: &str, number: u64) -> String {
    const BEYOND_THE_OPENING: u64 = 1_000;
    let name = "response.output_text.delta";
    let delta = json!({
        "type": name,
        "sequence_number": BEYOND_THE_OPENING + number,
        "item_id": exchange.id("msg_", 0),
        "output_index": 0,
        "content_index": 0,
        "delta": text,
        "logprobs": [],
    });
    event(name, &delta)
}

pub(super) fn schema_error(exchange: &Exchange, message: &str) -> (u16, Value) {
    let tool = exchange.request.tools().first().copied().filter(|_| exchange.request.schema().is_none());
    let name = exchange.request.body.pointer("/text/format/name");
    (400, chat::about_schema(message, tool, name, ["tools[0].parameters", "text.format.schema"]))
}

/// The response of a service that failed.
pub(super) fn failed(exchange: &Exchange, message: &str) -> Value {
    let mut response = response(exchange, "failed", &[]);
    set(&mut response, "error", json!({"code": "server_error", "message": message}));
    response
}

fn finished(exchange: &Exchange, answer: &Answer, items: Vec<Value>) -> Value {
    let truncated = answer.stop == Stop::Truncated;
    let mut response = response(exchange, if truncated { "incomplete" } else { "completed" }, &items);
    if truncated {
        set(&mut response, "incomplete_details", json!({"reason": "max_output_tokens"}));
    }
    set(
        &mut response,
        "usage",
        json!({
            "input_tokens": exchange.input_tokens,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": exchange.output_tokens,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": exchange.input_tokens + exchange.output_tokens,
        }),
    );
    response
}

/// The response object. It echoes the settings of the request, as the service does.
fn response(exchange: &Exchange, status: &str, output: &[Value]) -> Value {
    let asked =
        |field: &str, otherwise: Value| exchange.request.body.get(field).cloned().unwrap_or(otherwise);
    json!({
        "id": exchange.id("resp_", 0),
        "object": "response",
        "created_at": exchange.now.as_second(),
        "status": status,
        "background": false,
        "error": null,
        "incomplete_details": null,
        "instructions": asked("instructions", Value::Null),
        "max_output_tokens": asked("max_output_tokens", Value::Null),
        "model": exchange.model(),
        "output": output,
        "parallel_tool_calls": asked("parallel_tool_calls", json!(true)),
        "previous_response_id": asked("previous_response_id", Value::Null),
        "reasoning": {"effort": null, "summary": null},
        "service_tier": "default",
        "store": asked("store", json!(true)),
        "temperature": asked("temperature", json!(1.0)),
        "text": asked("text", json!({"format": {"type": "text"}})),
        "tool_choice": asked("tool_choice", json!("auto")),
        "tools": asked("tools", json!([])),
        "top_p": asked("top_p", json!(1.0)),
        "truncation": "disabled",
        "usage": null,
        "user": null,
        "metadata": asked("metadata", json!({})),
    })
}

fn items(exchange: &Exchange, answer: &Answer) -> Vec<Value> {
    let status = if answer.stop == Stop::Truncated { "incomplete" } else { "completed" };
    let message = |index: usize, part: &Value| {
        let id = exchange.id("msg_", index);
        json!({"id": id, "type": "message", "status": status, "role": "assistant", "content": [part]})
    };
    let item = |(index, part): (usize, &Part)| match part {
        Part::Reasoning(text) => {
            let summary = json!([{"type": "summary_text", "text": text}]);
            json!({"id": exchange.id("rs_", index), "type": "reasoning", "summary": summary})
        }
        Part::Text(text) => message(index, &output_text(text)),
        Part::Tool { name, arguments } => {
            // Some clients offer their tools in namespaces; such a tool is written `namespace/name` in a script.
            let (namespace, name) = match name.split_once('/') {
                Some((namespace, name)) => (Some(namespace), name),
                None => (None, name.as_str()),
            };
            let call = json!({
                "id": exchange.id("fc_", index),
                "type": "function_call",
                "status": status,
                "arguments": arguments,
                "call_id": exchange.id("call_", index),
                "name": name,
            });
            match (namespace, call) {
                (Some(namespace), Value::Object(mut call)) => {
                    call.insert("namespace".to_owned(), json!(namespace));
                    Value::Object(call)
                }
                (_, call) => call,
            }
        }
    };
    let mut items: Vec<Value> = answer.parts.iter().enumerate().map(item).collect();
    if let Stop::Refused(text) = &answer.stop {
        items.push(message(items.len(), &json!({"type": "refusal", "refusal": text})));
    }
    items
}

fn output_text(text: &str) -> Value {
    json!({"type": "output_text", "annotations": [], "logprobs": [], "text": text})
}

/// The events of a stream, numbered.
struct Stream {
    text: String,
    sequence: u64,
}

impl Stream {
    fn push(&mut self, name: &str, fields: Value) {
        let mut data = json!({"type": name, "sequence_number": self.sequence});
        if let (Value::Object(data), Value::Object(fields)) = (&mut data, fields) {
            data.extend(fields);
        }
        self.text.push_str(&event(name, &data));
        self.sequence += 1;
    }

    /// The events of one item: it is added empty, filled, and done. If `whole` is false, it is
    /// neither done nor closed.
    fn item(&mut self, index: usize, item: &Value, whole: bool) {
        let (emptied, fill) = match item["type"].as_str() {
            Some("reasoning") => ("summary", Fill::SUMMARY),
            Some("function_call") => ("arguments", Fill::ARGUMENTS),
            _ if item.pointer("/content/0/refusal").is_some() => ("content", Fill::REFUSAL),
            _ => ("content", Fill::TEXT),
        };
        let mut added = item.clone();
        set(&mut added, emptied, if emptied == "arguments" { json!("") } else { json!([]) });
        if item.get("status").is_some() {
            set(&mut added, "status", json!("in_progress"));
        }
        self.push("response.output_item.added", json!({"output_index": index, "item": added}));
        self.fill(index, item, &fill, whole);
        if whole {
            self.push("response.output_item.done", json!({"output_index": index, "item": item}));
        }
    }

    fn fill(&mut self, index: usize, item: &Value, fill: &Fill, whole: bool) {
        let place = |rest: Value| {
            let mut fields = json!({"item_id": item["id"], "output_index": index});
            if let (Some(position), Value::Object(members)) = (fill.position, &mut fields) {
                members.insert(position.to_owned(), json!(0));
            }
            if let (Value::Object(fields), Value::Object(rest)) = (&mut fields, rest) {
                fields.extend(rest);
            }
            fields
        };
        let text = item.pointer(fill.text).and_then(Value::as_str).unwrap_or_default();
        let part = item.pointer(fill.part).filter(|_| fill.position.is_some());
        if let Some(part) = part {
            let mut empty = part.clone();
            set(&mut empty, fill.field, json!(""));
            self.push(&format!("response.{}.added", fill.part_name), place(json!({"part": empty})));
        }
        for delta in deltas(text) {
            let mut fields = json!({"delta": delta});
            if fill.field == "text" && fill.part_name == "content_part" {
                set(&mut fields, "logprobs", json!([]));
            }
            self.push(&format!("response.{}.delta", fill.name), place(fields));
        }
        if whole {
            self.push(&format!("response.{}.done", fill.name), place(json!({fill.field: text})));
            if let Some(part) = part {
                self.push(&format!("response.{}.done", fill.part_name), place(json!({"part": part})));
            }
        }
    }
}

/// How an item of a kind is filled: the names of its events and where in the item its text is.
struct Fill {
    name: &'static str,
    field: &'static str,
    text: &'static str,
    part: &'static str,
    part_name: &'static str,
    position: Option<&'static str>,
}

impl Fill {
    const TEXT: Self = Self {
        name: "output_text",
        field: "text",
        text: "/content/0/text",
        part: "/content/0",
        part_name: "content_part",
        position: Some("content_index"),
    };
    const REFUSAL: Self =
        Self { name: "refusal", field: "refusal", text: "/content/0/refusal", ..Self::TEXT };
    const SUMMARY: Self = Self {
        name: "reasoning_summary_text",
        field: "text",
        text: "/summary/0/text",
        part: "/summary/0",
        part_name: "reasoning_summary_part",
        position: Some("summary_index"),
    };
    const ARGUMENTS: Self = Self {
        name: "function_call_arguments",
        field: "arguments",
        text: "/arguments",
        part: "",
        part_name: "",
        position: None,
    };
}
