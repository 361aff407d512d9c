//! Requests to OpenAI Chat Completions and to the servers that speak like it.

use serde_json::{Value, json};

use super::{Ask, arguments_sent, say, set};
use crate::llm::conversation::{Call, Message};
use crate::turn::Delivery;

/// The body of a request. OpenAI's own service has another name for the ceiling than the rest.
pub(super) fn body(ask: &Ask<'_>, own: bool) -> Value {
    let mut body = json!({
        "model": ask.model,
        "stream": true,
        "stream_options": {"include_usage": true},
        "messages": messages(ask),
    });
    if let Some(tokens) = ask.max_tokens {
        let name = if own { "max_completion_tokens" } else { "max_tokens" };
        set(&mut body, name, tokens);
    }
    if let Some(temperature) = ask.temperature {
        set(&mut body, "temperature", temperature);
    }
    if let Some(reasoning) = ask.reasoning.filter(|_| ask.thinks()) {
        set(&mut body, "reasoning_effort", reasoning.effort());
    }
    if let Delivery::Native { name, schema } = ask.delivery {
        let format = json!({"name": name, "schema": schema, "strict": true});
        set(&mut body, "response_format", json!({"type": "json_schema", "json_schema": format}));
    }
    tools(ask, &mut body);
    body
}

fn tools(ask: &Ask<'_>, body: &mut Value) {
    let mut tools: Vec<Value> = ask
        .tools
        .iter()
        .map(|tool| function(&tool.name, &tool.description, &tool.parameters, false))
        .collect();
    if let Some(submit) = ask.submit() {
        tools.push(function(submit.name, submit.description, submit.schema, submit.strict));
        if submit.force {
            set(body, "tool_choice", json!({"type": "function", "function": {"name": submit.name}}));
        }
    }
    if !tools.is_empty() {
        set(body, "tools", tools);
    }
}

/// A tool. `strict` is written only where it holds: not every server knows the word.
pub(super) fn function(name: &str, description: &str, parameters: &Value, strict: bool) -> Value {
    let mut function = json!({"name": name, "description": description, "parameters": parameters});
    if strict {
        set(&mut function, "strict", true);
    }
    json!({"type": "function", "function": function})
}

fn messages(ask: &Ask<'_>) -> Vec<Value> {
    let mut messages = Vec::new();
    if !ask.system.is_empty() {
        messages.push(json!({"role": "system", "content": ask.system}));
    }
    for message in ask.messages {
        match message {
            Message::User { text } => say(&mut messages, text),
            Message::Assistant { text, calls, .. } => messages.extend(assistant(text, calls)),
            Message::Results { results } => messages.extend(
                results
                    .iter()
                    .map(|result| json!({"role": "tool", "tool_call_id": result.id, "content": result.text})),
            ),
        }
    }
    messages
}

fn assistant(text: &str, calls: &[Call]) -> Option<Value> {
    if text.is_empty() && calls.is_empty() {
        return None;
    }
    let content = if text.is_empty() { Value::Null } else { Value::from(text) };
    let mut message = json!({"role": "assistant", "content": content});
    if !calls.is_empty() {
        let call = |call: &Call| {
            json!({
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": arguments_sent(&call.arguments)},
            })
        };
        set(&mut message, "tool_calls", calls.iter().map(call).collect::<Vec<Value>>());
    }
    Some(message)
}
