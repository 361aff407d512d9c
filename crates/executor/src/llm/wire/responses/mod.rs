//! OpenAI Responses. Stateless: the whole conversation goes out each time and nothing is stored there.

mod read;

use serde_json::{Value, json};

use super::embeddings::{EmbeddingWire, OpenAiEmbeddings};
use super::{ModelRequest, ReadError, Reader, Reply, Wire, arguments_text_sent, set, tools};
use crate::files::data_url;
use crate::llm::conversation::Message;
use crate::llm::files::Part;
use crate::turn::Delivery;

pub(super) struct Responses;

impl Wire for Responses {
    fn path(&self, _model: &str) -> String {
        "/responses".to_owned()
    }

    fn schema_field_names(&self) -> &'static [&'static str] {
        &["'text'", "\"text\"", "`text`"]
    }

    fn embeddings(&self) -> Option<&'static dyn EmbeddingWire> {
        Some(&OpenAiEmbeddings)
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
    let mut body = json!({"model": request.model, "stream": true, "store": false});
    if !request.system.is_empty() {
        set(&mut body, "instructions", request.system);
    }
    set(&mut body, "input", input(request));
    if let Some(tokens) = request.max_tokens {
        set(&mut body, "max_output_tokens", tokens);
    }
    if let Some(temperature) = request.temperature {
        set(&mut body, "temperature", temperature);
    }
    if let Some(reasoning) = request.reasoning.filter(|_| request.thinks()) {
        set(&mut body, "reasoning", json!({"effort": reasoning.effort()}));
        // What is not stored there must come here, or it is lost for the next request.
        set(&mut body, "include", json!(["reasoning.encrypted_content"]));
    }
    if let Delivery::Native { name, schema } = request.delivery {
        let format = json!({"type": "json_schema", "name": name, "schema": schema, "strict": true});
        set(&mut body, "text", json!({ "format": format }));
    }
    if *request.delivery == Delivery::Object {
        set(&mut body, "text", json!({"format": {"type": "json_object"}}));
    }
    tools(request, &mut body, function, |name| json!({"type": "function", "name": name}));
    body
}

/// A tool. Left out, `strict` means true here: so it is always written.
fn function(name: &str, description: &str, parameters: &Value, strict: bool) -> Value {
    json!({
        "type": "function",
        "name": name,
        "description": description,
        "parameters": parameters,
        "strict": strict,
    })
}

fn part(part: Part<'_>) -> Value {
    match part {
        Part::Text(text) => json!({"type": "input_text", "text": text}),
        Part::Image(file) => json!({"type": "input_image", "image_url": data_url(file), "detail": "auto"}),
        Part::Pdf(file) => json!({"type": "input_file", "filename": file.name, "file_data": data_url(file)}),
    }
}

fn input(request: &ModelRequest<'_>) -> Vec<Value> {
    let mut items = Vec::new();
    for message in request.messages {
        match message {
            Message::User { text } => items.push(json!({"role": "user", "content": text})),
            Message::Files { files } => {
                let parts: Vec<Value> = request.parts(files).into_iter().map(part).collect();
                items.push(json!({"role": "user", "content": parts}));
            }
            Message::Assistant { kept: Some(kept), .. } if kept.endpoint == request.endpoint => {
                items.extend(kept.blocks.iter().cloned());
            }
            Message::Assistant { text, calls, .. } => {
                if !text.is_empty() {
                    items.push(json!({"role": "assistant", "content": text}));
                }
                items.extend(calls.iter().map(|call| {
                    json!({
                        "type": "function_call",
                        "call_id": call.id,
                        "name": call.name,
                        "arguments": arguments_text_sent(&call.arguments),
                    })
                }));
            }
            Message::Results { results } => items.extend(results.iter().map(
                |result| json!({"type": "function_call_output", "call_id": result.id, "output": result.text}),
            )),
        }
    }
    items
}
