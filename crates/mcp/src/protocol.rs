//! The methods of the protocol.

use serde_json::{Map, Value, json};
use tokio::sync::mpsc;

use crate::rpc::{self, BAD_PARAMETERS, Message, NO_SUCH_METHOD, Request};
use crate::toolset::{Progress, Tool, Toolset};

/// The versions that are spoken, the newest first. Of what differs between them only the batches of 2025-03-26 matter
/// here, and they are taken whatever version is spoken.
pub(crate) const VERSIONS: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/// Answers a request. `outbox` takes the notifications on the way.
///
/// Nothing depends on `initialize`: a client that tries a newer protocol first learns at once that its method is
/// unknown, and goes on from there.
pub(crate) async fn answer(tools: &dyn Toolset, request: Request, outbox: mpsc::Sender<Value>) -> Value {
    let Request { id, method, params } = request;
    match method.as_str() {
        "initialize" => rpc::success(id, initialized(tools, &params)),
        "ping" => rpc::success(id, json!({})),
        "tools/list" => match params.get("cursor").is_some_and(|cursor| !cursor.is_null()) {
            true => rpc::failure(id, BAD_PARAMETERS, "the tool list has a single page; omit cursor"),
            false => {
                let described: Vec<Value> = tools.tools().iter().map(Tool::described).collect();
                rpc::success(id, json!({"tools": described}))
            }
        },
        "tools/call" => call(tools, id, params, outbox).await,
        other => {
            let shown: String = other.chars().take(100).collect();
            rpc::failure(id, NO_SUCH_METHOD, &format!("unknown method '{shown}'"))
        }
    }
}

/// Answers a batch, one message after the other; `None` if it contains no request.
pub(crate) async fn answer_batch(
    tools: &dyn Toolset,
    batch: Vec<Result<Message, Value>>,
    outbox: mpsc::Sender<Value>,
) -> Option<Value> {
    let mut answers = Vec::new();
    for message in batch {
        match message {
            Ok(Message::Request(request)) => answers.push(answer(tools, request, outbox.clone()).await),
            Ok(Message::Notification { .. } | Message::Response) => {}
            Err(error) => answers.push(error),
        }
    }
    (!answers.is_empty()).then_some(Value::Array(answers))
}

fn initialized(tools: &dyn Toolset, params: &Value) -> Value {
    let asked = params.get("protocolVersion").and_then(Value::as_str);
    let version = VERSIONS.iter().find(|version| Some(**version) == asked).unwrap_or(&VERSIONS[0]);
    let mut result = json!({
        "protocolVersion": version,
        "capabilities": {"tools": {"listChanged": false}},
        "serverInfo": {"name": "accord", "title": "Accord", "version": env!("CARGO_PKG_VERSION")},
    });
    if let Some(instructions) = tools.instructions() {
        rpc::set(&mut result, "instructions", Value::String(instructions));
    }
    result
}

async fn call(tools: &dyn Toolset, id: Value, mut params: Value, outbox: mpsc::Sender<Value>) -> Value {
    let progress = Progress::new(&params, outbox);
    let Some(name) = params.get("name").and_then(Value::as_str).map(str::to_owned) else {
        return rpc::failure(id, BAD_PARAMETERS, "expected the name of a tool in 'name'");
    };
    let arguments = match params.get_mut("arguments").map(Value::take) {
        None | Some(Value::Null) => Map::new(),
        Some(Value::Object(arguments)) => arguments,
        Some(_) => return rpc::failure(id, BAD_PARAMETERS, "expected an object in 'arguments'"),
    };
    match tools.call(&name, arguments, &progress).await {
        Some(answer) => rpc::success(id, answer.described()),
        None => {
            let shown: String = name.chars().take(100).collect();
            let names: Vec<&str> = tools.tools().iter().map(|tool| tool.name).collect();
            let message = format!("unknown tool '{shown}'; available: {}", names.join(", "));
            rpc::failure(id, BAD_PARAMETERS, &message)
        }
    }
}
