//! Servers that misbehave, as real processes and over a recorded transport.

mod entries;
mod http;
mod programs;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::McpServers;
use super::server::Patience;
use crate::mcp_server::{McpServer, Reach};
use crate::session::OpenError;
use crate::toolbox::{NoTools, ToolOutput, Toolbox};
use crate::transport::{Request, Response, Transport, TransportError};

/// Long enough for a shell on a busy machine.
const LONG: Patience = Patience { start: Duration::from_secs(30), call: Duration::from_secs(30) };

const SHORT: Patience = Patience { start: Duration::from_millis(300), call: Duration::from_millis(300) };

const GREETING: &str = r#"{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}"#;

const ONE_TOOL: &str = r#"{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"look","description":"Looks.","inputSchema":{"type":"object","properties":{"at":{"type":"string"}}}}]}}"#;

/// Numbers that no machine type can represent exactly.
const NUMBERS: &str = r#"{"n":[1e+400,0.10,12345678901234567890123,1.0,-0.0]}"#;

struct Nowhere;

#[async_trait]
impl Transport for Nowhere {
    async fn send(&self, _request: Request) -> Result<Response, TransportError> {
        Err(TransportError::Connection("nobody is there".to_owned()))
    }
}

fn servers(transport: impl Transport + 'static, patience: Patience) -> McpServers {
    let inherited = std::env::vars_os().filter(|(name, _)| name == "PATH");
    let kept = [("ACCORD_RUNNER__KEY", "secret"), ("PLAIN", "plain")]
        .map(|(name, value)| (name.into(), value.into()));
    McpServers { patience, ..McpServers::new(Arc::new(transport), inherited.chain(kept)) }
}

/// A server that is a shell script.
fn shell(name: &str, script: &str) -> McpServer {
    let args = vec!["-c".to_owned(), script.to_owned()];
    let env = BTreeMap::from([("KEY".to_owned(), "hidden-word".to_owned())]);
    McpServer { name: name.to_owned(), reach: Reach::Program { command: "sh".to_owned(), args, env } }
}

/// A script that completes the handshake, lists one tool, and continues.
fn sound(more: &str) -> String {
    format!("read l; echo '{GREETING}'; read l; read l; echo '{ONE_TOOL}'; {more}")
}

async fn open(server: McpServer, patience: Patience) -> Result<Box<dyn Toolbox>, String> {
    let opened = servers(Nowhere, patience).open(&[server], Path::new("."), Box::new(NoTools)).await;
    opened.map_err(|error: OpenError| error.to_string())
}

async fn call(tools: &dyn Toolbox, name: &str, arguments: Value) -> ToolOutput {
    tools.call(crate::ToolCall { name, arguments: &arguments, key: "key" }, &CancellationToken::new()).await
}

fn failed(text: &str) -> ToolOutput {
    ToolOutput { ok: false, text: text.to_owned() }
}

fn result(id: u64, text: &str) -> String {
    json!({"jsonrpc": "2.0", "id": id, "result": {"content": [{"type": "text", "text": text}]}}).to_string()
}

/// Whether a process exists and is not a zombie.
fn is_alive(id: &str) -> bool {
    std::fs::read_to_string(format!("/proc/{}/stat", id.trim())).is_ok_and(|stat| !stat.contains(") Z "))
}

async fn gone(id: &str) {
    let looking = async {
        while is_alive(id) {
            tokio::task::yield_now().await;
        }
    };
    assert!(tokio::time::timeout(Duration::from_secs(10), looking).await.is_ok(), "{id} still runs");
}
