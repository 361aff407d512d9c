//! MCP on both sides: Accord's tools for clients, and tools of MCP servers for agents.

mod agents;
mod clients;
mod own_tools;
mod people;
mod remote;
mod servers;
mod waiting;
mod workflows;

use std::path::Path;
use std::process::Stdio;

use accord_executor::{Files, HttpTransport, Request, Transport as _};
use futures_util::StreamExt as _;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout};

pub(crate) use self::remote::remote;
use crate::support::accord;

/// A client of `accord mcp`, or of any MCP server over stdio.
struct Pipes {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Lines<BufReader<ChildStdout>>,
    asked: u64,
}

impl Pipes {
    fn start(folder: &Path, arguments: &[&str], variables: &[(&str, &str)]) -> Self {
        let mut command = accord(folder);
        command.args(arguments).envs(variables.iter().copied());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { stdin: child.stdin.take(), child, lines, asked: 0 }
    }

    /// Sends a request and returns the answer.
    async fn ask(&mut self, method: &str, params: Value) -> Value {
        let answer = self.begin(method, params).await;
        assert_eq!(answer.get("id"), Some(&json!(self.asked)), "{answer}");
        answer
    }

    /// Sends a request and returns the next message, which may be a request of the server.
    async fn begin(&mut self, method: &str, params: Value) -> Value {
        self.asked += 1;
        let id = self.asked;
        self.say(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await
    }

    /// Answers a request of the server and returns the next message.
    async fn reply(&mut self, id: &Value, result: Value) -> Value {
        self.say(&json!({"jsonrpc": "2.0", "id": id, "result": result})).await
    }

    async fn say(&mut self, message: &Value) -> Value {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(format!("{message}\n").as_bytes()).await.unwrap();
        let line = self.lines.next_line().await.unwrap().unwrap_or_default();
        serde_json::from_str(&line).unwrap_or_else(|_| json!(line))
    }

    /// Calls a tool and returns its result.
    async fn call(&mut self, name: &str, arguments: Value) -> Value {
        result(self.ask("tools/call", json!({"name": name, "arguments": arguments})).await)
    }

    /// Closes stdin and waits for the exit; stdout must contain nothing more.
    async fn end(mut self) -> Option<i32> {
        self.stdin = None;
        assert_eq!(self.lines.next_line().await.unwrap(), None, "stdout is for messages only");
        self.child.wait().await.unwrap().code()
    }
}

/// Posts a message to `/mcp` and returns status and body.
async fn post(url: &str, key: Option<&str>, message: Value) -> (u16, Value) {
    let headers = key.map(|key| ("authorization".to_owned(), format!("Bearer {key}"))).into_iter().collect();
    let request = Request { url: format!("{url}/mcp"), headers, body: message, files: Files::default() };
    let mut response = HttpTransport::new().unwrap().send(request).await.unwrap();
    let mut body = Vec::new();
    while let Some(bytes) = response.body.next().await {
        body.extend(bytes.unwrap());
    }
    (response.status, serde_json::from_slice(&body).unwrap_or(Value::Null))
}

/// Calls a tool over HTTP and returns its result.
pub(crate) async fn call(url: &str, key: Option<&str>, name: &str, arguments: Value) -> Value {
    let params = json!({"name": name, "arguments": arguments});
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    let (status, answer) = post(url, key, message).await;
    assert_eq!(status, 200, "{answer}");
    result(answer)
}

/// The same, with `_meta` next to the arguments.
pub(crate) async fn call_with_meta(url: &str, name: &str, arguments: Value, meta: Value) -> Value {
    let params = json!({"name": name, "arguments": arguments, "_meta": meta});
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    result(post(url, None, message).await.1)
}

/// The result of a request; null if it failed.
fn result(mut answer: Value) -> Value {
    answer.get_mut("result").map(Value::take).unwrap_or_default()
}

fn text(result: &Value) -> &str {
    result.pointer("/content/0/text").and_then(Value::as_str).unwrap_or_default()
}
