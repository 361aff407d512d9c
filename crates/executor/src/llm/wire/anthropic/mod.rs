//! Anthropic Messages.

mod read;

use accord_domain::file::FileRef;
use serde_json::{Value, json};

use super::{
    ModelRequest, ReadError, Reader, Reply, Wire, arguments_object, bearer, block_messages, past_tools, set,
};
use crate::files::mark;
use crate::llm::conversation::{Call, CallResult};
use crate::llm::files::Part;
use crate::llm::provider::{Auth, Provider};
use crate::llm::settings::Reasoning;
use crate::turn::Delivery;

/// The version that is sent unless the configuration names one. Newer ones exist; this one is served everywhere.
const VERSION: &str = "2023-06-01";

/// This dialect demands a ceiling. Every model still served takes this one, and it holds a long structured answer.
const DEFAULT_MAX_TOKENS: u32 = 8192;

pub(super) struct Anthropic;

impl Wire for Anthropic {
    fn path(&self, _model: &str) -> String {
        "/v1/messages".to_owned()
    }

    fn headers(&self, provider: &Provider, key: Option<&str>) -> Vec<(String, String)> {
        let version = provider.api_version.as_deref().unwrap_or(VERSION);
        let key = key.map(|key| match provider.auth {
            Auth::XApiKey => ("x-api-key".to_owned(), key.to_owned()),
            Auth::Bearer => bearer(key),
        });
        [("anthropic-version".to_owned(), version.to_owned())].into_iter().chain(key).collect()
    }

    fn default_max_tokens(&self, reasoning: Option<Reasoning>) -> Option<u32> {
        Some(default_max_tokens(reasoning))
    }

    fn body(&self, request: &ModelRequest<'_>) -> Value {
        body(request)
    }

    fn reader(&self) -> Box<dyn Reader> {
        Box::<read::Stream>::default()
    }

    fn read_whole(&self, body: Value, text: &str) -> Result<Reply, ReadError> {
        read::whole(&body, text)
    }
}

/// The ceiling where the settings name none. It covers what is thought too, so a budget for thinking comes on top.
fn default_max_tokens(reasoning: Option<Reasoning>) -> u32 {
    let thought = match reasoning {
        Some(Reasoning::Budget(tokens)) => tokens,
        _ => 0,
    };
    DEFAULT_MAX_TOKENS.saturating_add(thought)
}

fn body(request: &ModelRequest<'_>) -> Value {
    let mut body = json!({
        "model": request.model,
        "max_tokens": request.max_tokens.unwrap_or_else(|| default_max_tokens(request.reasoning)),
        "stream": true,
    });
    if !request.system.is_empty() {
        set(&mut body, "system", request.system);
    }
    set(&mut body, "messages", block_messages(request, part, result, assistant));
    if let Some(temperature) = request.temperature {
        set(&mut body, "temperature", temperature);
    }
    if let Some(thinking) = thinking(request.reasoning) {
        set(&mut body, "thinking", thinking);
    }
    if let Some(output) = output_config(request) {
        set(&mut body, "output_config", output);
    }
    tools(request, &mut body);
    body
}

fn part(part: Part<'_>) -> Value {
    let source =
        |file: &FileRef| json!({"type": "base64", "media_type": file.media_type, "data": mark(&file.id)});
    match part {
        Part::Text(text) => json!({"type": "text", "text": text}),
        Part::Image(file) => json!({"type": "image", "source": source(file)}),
        Part::Pdf(file) => json!({"type": "document", "source": source(file), "title": file.name}),
    }
}

fn thinking(reasoning: Option<Reasoning>) -> Option<Value> {
    match reasoning? {
        Reasoning::Off => None,
        Reasoning::Budget(tokens) => Some(json!({"type": "enabled", "budget_tokens": tokens})),
        _ => Some(json!({"type": "adaptive"})),
    }
}

fn output_config(request: &ModelRequest<'_>) -> Option<Value> {
    let mut config = json!({});
    if let Some(reasoning @ (Reasoning::Low | Reasoning::Medium | Reasoning::High)) = request.reasoning {
        set(&mut config, "effort", reasoning.effort());
    }
    if let Delivery::Native { schema, .. } = request.delivery {
        set(&mut config, "format", json!({"type": "json_schema", "schema": schema}));
    }
    (config != json!({})).then_some(config)
}

fn tools(request: &ModelRequest<'_>, body: &mut Value) {
    let mut tools: Vec<Value> = request
        .tools
        .iter()
        .map(|tool| {
            json!({"name": tool.name, "description": tool.description, "input_schema": tool.parameters})
        })
        .collect();
    if let Some(submit) = request.submit() {
        let mut tool = json!({"name": submit.name, "description": submit.description});
        if submit.strict {
            set(&mut tool, "strict", true);
        }
        set(&mut tool, "input_schema", submit.schema.clone());
        tools.push(tool);
        if submit.force {
            let choice = json!({"type": "tool", "name": submit.name, "disable_parallel_tool_use": true});
            set(body, "tool_choice", choice);
        }
    }
    // A conversation with calls in it is rejected if no tool is declared. So tools of the past are named, and closed.
    if tools.is_empty() {
        let past = |name| json!({"name": name, "description": "No longer offered.", "input_schema": {"type": "object"}});
        tools = past_tools(request.messages).map(past).collect();
        if !tools.is_empty() {
            set(body, "tool_choice", json!({"type": "none"}));
        }
    }
    if !tools.is_empty() {
        set(body, "tools", tools);
    }
}

fn assistant(text: &str, calls: &[Call]) -> Vec<Value> {
    let mut blocks = Vec::new();
    if !text.trim().is_empty() {
        blocks.push(json!({"type": "text", "text": text}));
    }
    blocks.extend(calls.iter().map(|call| {
        json!({"type": "tool_use", "id": call.id, "name": call.name, "input": arguments_object(&call.arguments)})
    }));
    blocks
}

fn result(result: &CallResult) -> Value {
    let mut block = json!({"type": "tool_result", "tool_use_id": result.id, "content": result.text});
    if !result.ok {
        set(&mut block, "is_error", true);
    }
    block
}
