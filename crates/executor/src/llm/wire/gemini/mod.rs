//! Gemini's `generateContent`.

mod read;

use std::collections::HashSet;

use serde_json::{Value, json};

use super::{ModelRequest, ReadError, Reader, Reply, Wire, arguments_object, encoded, merged, set};
use crate::files::mark;
use crate::json::read as read_json;
use crate::llm::conversation::{Call, CallResult, Message};
use crate::llm::files::Part;
use crate::llm::provider::Provider;
use crate::llm::settings::Reasoning;
use crate::turn::Delivery;

pub(super) struct Gemini;

impl Wire for Gemini {
    fn path(&self, model: &str) -> String {
        let model = model.strip_prefix("models/").unwrap_or(model);
        format!("/models/{}:streamGenerateContent?alt=sse", encoded(model))
    }

    fn headers(&self, _provider: &Provider, key: Option<&str>) -> Vec<(String, String)> {
        key.map(|key| ("x-goog-api-key".to_owned(), key.to_owned())).into_iter().collect()
    }

    /// The variable names the host, to which other programs add the version.
    fn base_url(&self, written: &str) -> String {
        let address = written.trim_end_matches('/');
        match address.rsplit_once('/') {
            Some((_, last)) if last.starts_with("v1") => address.to_owned(),
            _ => format!("{address}/v1beta"),
        }
    }

    fn schema_field_names(&self) -> &'static [&'static str] {
        &["response_json_schema", "responsejsonschema", "response_schema", "response mime type"]
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
    let mut body = json!({ "contents": contents(request) });
    if !request.system.is_empty() {
        set(&mut body, "systemInstruction", json!({"parts": [{"text": request.system}]}));
    }
    let config = generation_config(request);
    if config != json!({}) {
        set(&mut body, "generationConfig", config);
    }
    let function = |name: &str, description: &str, schema: &Value| json!({"name": name, "description": description, "parametersJsonSchema": schema});
    let listed = request.tools.iter();
    let mut functions: Vec<Value> =
        listed.map(|tool| function(&tool.name, &tool.description, &tool.parameters)).collect();
    if let Some(submit) = request.submit() {
        functions.push(function(submit.name, submit.description, submit.schema));
        if submit.force {
            let forced = json!({"mode": "ANY", "allowedFunctionNames": [submit.name]});
            set(&mut body, "toolConfig", json!({ "functionCallingConfig": forced }));
        }
    }
    if !functions.is_empty() {
        set(&mut body, "tools", json!([{ "functionDeclarations": functions }]));
    }
    body
}

fn generation_config(request: &ModelRequest<'_>) -> Value {
    let mut config = json!({});
    if let Some(tokens) = request.max_tokens {
        set(&mut config, "maxOutputTokens", tokens);
    }
    if let Some(temperature) = request.temperature {
        set(&mut config, "temperature", temperature);
    }
    if let Some(thinking) = request.reasoning.and_then(|reasoning| thinking(request.model, reasoning)) {
        set(&mut config, "thinkingConfig", thinking);
    }
    if let Delivery::Native { schema, .. } = request.delivery {
        set(&mut config, "responseMimeType", "application/json");
        set(&mut config, "responseJsonSchema", schema.clone());
    }
    if *request.delivery == Delivery::Object {
        set(&mut config, "responseMimeType", "application/json");
    }
    config
}

/// Models up to version 2.5 take a budget, later ones a level, and those cannot be told not to think.
fn thinking(model: &str, reasoning: Reasoning) -> Option<Value> {
    let budget = match (reasoning, model.contains("gemini-2")) {
        (Reasoning::Budget(tokens), _) => tokens,
        (Reasoning::Off, true) => 0,
        (Reasoning::Low, true) => 1024,
        (Reasoning::Medium, true) => 8192,
        (Reasoning::High, true) => 24_576,
        (Reasoning::Off, false) => return None,
        (effort, false) => return Some(json!({"thinkingLevel": effort.effort()})),
    };
    Some(json!({ "thinkingBudget": budget }))
}

fn contents(request: &ModelRequest<'_>) -> Vec<Value> {
    // Calls that came without an id have one here, which the server does not know.
    let mut known = HashSet::new();
    let messages = request.messages.iter().map(|message| match message {
        Message::User { text } => ("user", vec![json!({ "text": text })]),
        Message::Files { files } => ("user", request.parts(files).into_iter().map(part).collect()),
        Message::Results { results } => {
            ("user", results.iter().map(|one| result(one, known.contains(&one.id))).collect())
        }
        Message::Assistant { kept: Some(kept), .. } if kept.endpoint == request.endpoint => {
            let ids = kept.blocks.iter().filter_map(|part| part.pointer("/functionCall/id")?.as_str());
            known.extend(ids.map(str::to_owned));
            ("model", kept.blocks.clone())
        }
        Message::Assistant { text, calls, .. } => {
            known.extend(calls.iter().map(|call| call.id.clone()));
            ("model", assistant(text, calls))
        }
    });
    merged(messages, "parts")
}

fn part(part: Part<'_>) -> Value {
    match part {
        Part::Text(text) => json!({ "text": text }),
        Part::Image(file) | Part::Pdf(file) => {
            json!({"inlineData": {"mimeType": file.media_type, "data": mark(&file.id)}})
        }
    }
}

fn assistant(text: &str, calls: &[Call]) -> Vec<Value> {
    let text = (!text.is_empty()).then(|| json!({ "text": text }));
    let call = |call: &Call| {
        let args = arguments_object(&call.arguments);
        json!({"functionCall": {"id": call.id, "name": call.name, "args": args}})
    };
    text.into_iter().chain(calls.iter().map(call)).collect()
}

/// A result has to be an object. One that is not goes into one, by the names that the documentation suggests.
fn result(result: &CallResult, has_id: bool) -> Value {
    let response = match read_json(&result.text) {
        Ok(Value::Object(fields)) if result.ok => Value::Object(fields),
        _ if result.ok => json!({"output": result.text}),
        _ => json!({"error": result.text}),
    };
    let mut part = json!({"name": result.name, "response": response});
    if has_id {
        set(&mut part, "id", result.id.clone());
    }
    json!({ "functionResponse": part })
}
