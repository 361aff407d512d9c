//! OpenAI Chat Completions, and the servers that are compatible with it.

mod read;

use serde_json::{Value, json};

use super::embeddings::{EmbeddingWire, OpenAiEmbeddings};
use super::{ModelRequest, ReadError, Reader, Reply, Wire, arguments_text_sent, messages, set, tools};
use crate::llm::conversation::{Call, CallResult};
use crate::turn::Delivery;

pub(super) struct Chat {
    /// What the server calls the limit of output tokens.
    pub(super) max_tokens_field: &'static str,
}

impl Wire for Chat {
    fn path(&self, _model: &str) -> String {
        "/chat/completions".to_owned()
    }

    fn embeddings(&self) -> Option<&'static dyn EmbeddingWire> {
        Some(&OpenAiEmbeddings)
    }

    fn body(&self, request: &ModelRequest<'_>) -> Value {
        body(request, self.max_tokens_field)
    }

    fn reader(&self) -> Box<dyn Reader> {
        Box::<read::Stream>::default()
    }

    fn read_whole(&self, body: Value, text: &str) -> Result<Reply, ReadError> {
        read::whole(body, text)
    }
}

fn body(request: &ModelRequest<'_>, max_tokens_field: &str) -> Value {
    let mut body = json!({
        "model": request.model,
        "stream": true,
        "stream_options": {"include_usage": true},
        "messages": messages(request, assistant, result),
    });
    if let Some(tokens) = request.max_tokens {
        set(&mut body, max_tokens_field, tokens);
    }
    if let Some(temperature) = request.temperature {
        set(&mut body, "temperature", temperature);
    }
    if let Some(reasoning) = request.reasoning.filter(|_| request.thinks()) {
        set(&mut body, "reasoning_effort", reasoning.effort());
    }
    if let Delivery::Native { name, schema } = request.delivery {
        let format = json!({"name": name, "schema": schema, "strict": true});
        set(&mut body, "response_format", json!({"type": "json_schema", "json_schema": format}));
    }
    let demanded = |name: &str| json!({"type": "function", "function": {"name": name}});
    tools(request, &mut body, function, demanded);
    body
}

/// A tool. `strict` is written only if it is true, because not every server supports it.
pub(super) fn function(name: &str, description: &str, parameters: &Value, strict: bool) -> Value {
    let mut function = json!({"name": name, "description": description, "parameters": parameters});
    if strict {
        set(&mut function, "strict", true);
    }
    json!({"type": "function", "function": function})
}

fn result(result: &CallResult) -> Value {
    json!({"role": "tool", "tool_call_id": result.id, "content": result.text})
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
                "function": {"name": call.name, "arguments": arguments_text_sent(&call.arguments)},
            })
        };
        set(&mut message, "tool_calls", calls.iter().map(call).collect::<Vec<Value>>());
    }
    Some(message)
}
