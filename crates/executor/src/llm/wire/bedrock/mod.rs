//! Amazon Bedrock's Converse, which has one form for the models of many vendors.

mod frames;
mod read;
mod signature;

use accord_domain::file::FileRef;
use accord_domain::id::FileId;
use jiff::Timestamp;
use serde_json::{Value, json};

use super::{
    Framing, ModelRequest, ReadError, Reader, Reply, Wire, arguments_object, block_messages, encoded,
    past_tools, set,
};
use crate::files::mark;
use crate::llm::conversation::{Call, CallResult};
use crate::llm::files::Part;
use crate::llm::provider::SigningCredentials;
use crate::llm::settings::Reasoning;
use crate::transport::Request;
use crate::turn::Delivery;

#[cfg(test)]
pub(in crate::llm) use frames::tests::frame;
pub(in crate::llm) use frames::{FrameError, Frames};

pub(super) struct Bedrock;

impl Wire for Bedrock {
    fn path(&self, model: &str) -> String {
        format!("/model/{}/converse-stream", encoded(model))
    }

    fn framing(&self) -> Framing {
        Framing::Frames
    }

    fn signature(
        &self,
        credentials: &SigningCredentials,
        unsigned: &Request,
        now: Timestamp,
    ) -> Vec<(String, String)> {
        signature::headers(credentials, unsigned, now)
    }

    fn schema_field_names(&self) -> &'static [&'static str] {
        &["outputconfig", "textformat"]
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

fn body(request: &ModelRequest<'_>) -> Value {
    let mut body = json!({ "messages": block_messages(request, part, result, assistant) });
    if !request.system.is_empty() {
        set(&mut body, "system", json!([{"text": request.system}]));
    }
    let mut inference = json!({});
    if let Some(tokens) = request.max_tokens {
        set(&mut inference, "maxTokens", tokens);
    }
    if let Some(temperature) = request.temperature {
        set(&mut inference, "temperature", temperature);
    }
    if inference != json!({}) {
        set(&mut body, "inferenceConfig", inference);
    }
    if let Some(fields) = model_fields(request) {
        set(&mut body, "additionalModelRequestFields", fields);
    }
    if let Delivery::Native { name, schema } = request.delivery {
        let structure = json!({"jsonSchema": {"name": name, "schema": schema.to_string()}});
        let format = json!({"type": "json_schema", "structure": structure});
        set(&mut body, "outputConfig", json!({ "textFormat": format }));
    }
    if let Some(tools) = tools(request) {
        set(&mut body, "toolConfig", tools);
    }
    body
}

fn part(part: Part<'_>) -> Value {
    let source = |file: &FileRef| json!({"bytes": mark(&file.id)});
    match part {
        Part::Text(text) => json!({ "text": text }),
        Part::Image(file) => {
            let format = file.media_type.strip_prefix("image/").unwrap_or_default();
            json!({"image": {"format": format, "source": source(file)}})
        }
        Part::Pdf(file) => {
            json!({"document": {"format": "pdf", "name": document_name(file), "source": source(file)}})
        }
    }
}

/// A name of letters, digits and hyphens, which is all that is allowed there, and another for each document.
fn document_name(file: &FileRef) -> String {
    let plain = |each: char| if each.is_ascii_alphanumeric() { each } else { '-' };
    let stem: String = file.name.chars().map(plain).take(100).collect();
    let hash: String = file.id.as_str().chars().skip(FileId::PREFIX.len()).take(8).collect();
    format!("{stem}-{hash}")
}

/// Reasoning has no field of its own here: it is passed to the model in the form of its vendor.
fn model_fields(request: &ModelRequest<'_>) -> Option<Value> {
    let reasoning = request.reasoning.filter(|reasoning| reasoning.is_on())?;
    Some(match (request.model.contains("anthropic."), reasoning) {
        (true, Reasoning::Budget(tokens)) => {
            json!({"thinking": {"type": "enabled", "budget_tokens": tokens}})
        }
        (true, effort) => {
            json!({"thinking": {"type": "adaptive"}, "output_config": {"effort": effort.effort()}})
        }
        (false, effort) => json!({"reasoning_effort": effort.effort()}),
    })
}

fn tools(request: &ModelRequest<'_>) -> Option<Value> {
    let tool = |name: &str, description: &str, schema: &Value, strict: bool| {
        let mut tool = json!({"name": name, "inputSchema": {"json": schema}});
        if !description.is_empty() {
            set(&mut tool, "description", description);
        }
        if strict {
            set(&mut tool, "strict", true);
        }
        json!({ "toolSpec": tool })
    };
    let listed = request.tools.iter();
    let mut tools: Vec<Value> =
        listed.map(|one| tool(&one.name, &one.description, &one.parameters, false)).collect();
    let mut choice = None;
    if let Some(submit) = request.submit() {
        tools.push(tool(submit.name, submit.description, submit.schema, submit.strict));
        choice = submit.force.then(|| json!({"tool": {"name": submit.name}}));
    }
    // A conversation with calls in it is rejected if no tool is declared.
    if tools.is_empty() {
        let past = past_tools(request.messages);
        tools =
            past.map(|name| tool(name, "No longer offered.", &json!({"type": "object"}), false)).collect();
    }
    if tools.is_empty() {
        return None;
    }
    let mut config = json!({ "tools": tools });
    if let Some(choice) = choice {
        set(&mut config, "toolChoice", choice);
    }
    Some(config)
}

fn assistant(text: &str, calls: &[Call]) -> Vec<Value> {
    let text = (!text.trim().is_empty()).then(|| json!({ "text": text }));
    let call = |call: &Call| {
        let input = arguments_object(&call.arguments);
        json!({"toolUse": {"toolUseId": call.id, "name": call.name, "input": input}})
    };
    text.into_iter().chain(calls.iter().map(call)).collect()
}

fn result(result: &CallResult) -> Value {
    let mut block = json!({"toolUseId": result.id, "content": [{"text": result.text}]});
    if !result.ok {
        set(&mut block, "status", "error");
    }
    json!({ "toolResult": block })
}
