//! Cohere's chat, version 2. Close to Chat Completions, with a plan before calls and streams of its own.

mod read;

use serde_json::{Value, json};

use super::chat::{assistant, attach, function, result};
use super::{ModelRequest, ReadError, Reader, Reply, Wire, messages, set, tools};
use crate::llm::conversation::Call;
use crate::llm::settings::Reasoning;
use crate::turn::Delivery;

pub(super) struct Cohere;

impl Wire for Cohere {
    fn path(&self, _model: &str) -> String {
        "/v2/chat".to_owned()
    }

    fn has_json_mode(&self) -> bool {
        true
    }

    fn body(&self, request: &ModelRequest<'_>) -> Value {
        body(request)
    }

    fn reader(&self) -> Box<dyn Reader> {
        Box::<read::Stream>::default()
    }

    fn read_whole(&self, body: Value, text: &str) -> Result<Reply, ReadError> {
        read::whole(body, text)
    }
}

fn body(request: &ModelRequest<'_>) -> Value {
    let mut body = json!({
        "model": request.model,
        "stream": true,
        "messages": messages(request, planned, result, attach),
    });
    if let Some(tokens) = request.max_tokens {
        set(&mut body, "max_tokens", tokens);
    }
    if let Some(temperature) = request.temperature {
        set(&mut body, "temperature", temperature);
    }
    if let Some(reasoning) = request.reasoning {
        let thinking = match reasoning {
            Reasoning::Off => json!({"type": "disabled"}),
            Reasoning::Budget(tokens) => json!({"type": "enabled", "token_budget": tokens}),
            _ => json!({"type": "enabled"}),
        };
        set(&mut body, "thinking", thinking);
    }
    if let Delivery::Native { schema, .. } = request.delivery {
        set(&mut body, "response_format", json!({"type": "json_object", "json_schema": schema}));
    }
    if *request.delivery == Delivery::Object {
        set(&mut body, "response_format", json!({"type": "json_object"}));
    }
    let plain = |name: &str, description: &str, schema: &Value, _| function(name, description, schema, false);
    tools(request, &mut body, plain, |_| json!("REQUIRED"));
    // It holds for all tools at once, so it is used only if the submit tool is alone.
    if request.tools.is_empty() && request.submit().is_some_and(|submit| submit.strict) {
        set(&mut body, "strict_tools", true);
    }
    body
}

/// A message of the model. Text before calls is the plan for them.
fn planned(text: &str, calls: &[Call]) -> Option<Value> {
    let mut message = assistant(text, calls)?;
    if let Some(fields) = message.as_object_mut().filter(|_| !calls.is_empty()) {
        fields.remove("content");
        if !text.is_empty() {
            fields.insert("tool_plan".to_owned(), Value::from(text));
        }
    }
    Some(message)
}
