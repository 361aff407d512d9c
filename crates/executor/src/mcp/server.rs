//! One server: started, greeted, asked for its tools; then called.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::Mutex;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::address::Address;
use super::connection::Connection;
use super::limits::{CALL, PAGES, START};
use super::program::Program;
use super::result;
use super::secrets::Secrets;
use super::tool_list::{self, ListedTool};
use super::wire::{McpError, Wire};
use crate::child::Environment;
use crate::mcp_server::{McpServer, Reach};
use crate::session::OpenError;
use crate::toolbox::ToolOutput;
use crate::transport::Transport;

/// The supported versions, the newest first. What is used here is the same in all of them.
const VERSIONS: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/// Where a call says which one it is: a server that sees the same key again has done this call already.
const IDEMPOTENCY_KEY: &str = "accord/idempotency-key";

/// How long things may take; tests are in more of a hurry.
#[derive(Debug, Clone, Copy)]
pub(super) struct Patience {
    pub(super) start: Duration,
    pub(super) call: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self { start: START, call: CALL }
    }
}

pub(super) struct Server {
    pub(super) name: String,
    pub(super) tools: Vec<ListedTool>,
    link: Mutex<Link>,
    secrets: Secrets,
    patience: Patience,
}

/// The connection to a server, or why it was lost.
enum Link {
    Open(Connection),
    Gone(String),
}

impl Server {
    /// Starts or reaches a server and asks for its tools.
    pub(super) async fn open(
        server: &McpServer,
        transport: Arc<dyn Transport>,
        environment: &Environment,
        folder: &Path,
        patience: Patience,
    ) -> Result<Self, OpenError> {
        let secrets = Secrets::of(server);
        let failed = |fault: &McpError, log: &str| {
            let said = if log.is_empty() { String::new() } else { format!("; last lines of stderr: {log}") };
            let message = format!("the MCP server '{}' did not start: {fault}{said}", server.name);
            OpenError::Missing(secrets.hide(message))
        };
        let mut connection =
            connect(server, transport, environment, folder).await.map_err(|fault| failed(&fault, ""))?;
        let greeted = timeout(patience.start, greet(&mut connection, patience.start, &secrets)).await;
        match greeted.unwrap_or(Err(McpError::Silent(patience.start))) {
            Ok(tools) => {
                let name = server.name.clone();
                Ok(Self { name, tools, link: Mutex::new(Link::Open(connection)), secrets, patience })
            }
            Err(fault) => {
                let error = failed(&fault, &connection.wire.log());
                connection.wire.close().await;
                Err(error)
            }
        }
    }

    /// Calls a tool. Errors are reported to the model.
    pub(super) async fn call(
        &self,
        tool: &str,
        arguments: &Value,
        key: &str,
        cancel: &CancellationToken,
    ) -> ToolOutput {
        let mut output = match self.asked(tool, arguments, key, cancel).await {
            Ok(output) => output,
            Err(fault) => {
                let text = format!("the call of '{tool}' on the MCP server '{}' failed: {fault}", self.name);
                ToolOutput { ok: false, text }
            }
        };
        output.text = self.secrets.hide(output.text);
        output
    }

    async fn asked(
        &self,
        tool: &str,
        arguments: &Value,
        key: &str,
        cancel: &CancellationToken,
    ) -> Result<ToolOutput, McpError> {
        let mut link = self.link.lock().await;
        let connection = match &mut *link {
            Link::Open(connection) => connection,
            Link::Gone(why) => return Err(McpError::Gone(why.clone())),
        };
        let params = json!({"name": tool, "arguments": arguments, "_meta": {(IDEMPOTENCY_KEY): key}});
        let answered =
            cancel.run_until_cancelled(connection.ask("tools/call", params, self.patience.call)).await;
        match answered {
            // Hidden before it is cut: half a secret would not be found.
            Some(Ok(answered)) => result::output(&self.secrets.hide_in(answered)),
            Some(Err(fault)) => {
                if connection.wire.is_lost_by(&fault) {
                    link.end(format!("it stopped during an earlier call: {fault}")).await;
                }
                Err(fault)
            }
            None => {
                connection.give_up().await;
                Err(McpError::Refused("stopped".to_owned()))
            }
        }
    }

    pub(super) async fn close(&self) {
        self.link.lock().await.end("it has ended".to_owned()).await;
    }
}

impl Link {
    /// Ends the server, if it is running. Later calls fail with the reason.
    async fn end(&mut self, why: String) {
        if let Self::Open(_) = self
            && let Self::Open(connection) = std::mem::replace(self, Self::Gone(why))
        {
            connection.wire.close().await;
        }
    }
}

async fn connect(
    server: &McpServer,
    transport: Arc<dyn Transport>,
    environment: &Environment,
    folder: &Path,
) -> Result<Connection, McpError> {
    let wire: Box<dyn Wire> = match &server.reach {
        Reach::Program { command, args, env } => {
            let own = env.iter().map(|(name, value)| (name.into(), value.into()));
            let environment: Environment = environment.iter().cloned().chain(own).collect();
            Box::new(Program::start(command, args, &environment, folder).await?)
        }
        Reach::Address { url, headers } => Box::new(Address::new(transport, url, headers)),
    };
    Ok(Connection::new(wire))
}

async fn greet(
    server: &mut Connection,
    patience: Duration,
    secrets: &Secrets,
) -> Result<Vec<ListedTool>, McpError> {
    let params = json!({
        "protocolVersion": VERSIONS[0],
        "capabilities": {},
        "clientInfo": {"name": "accord", "version": env!("CARGO_PKG_VERSION")},
    });
    let greeting = server.ask("initialize", params, patience).await?;
    let version = greeting.get("protocolVersion").and_then(Value::as_str).unwrap_or_default();
    if !VERSIONS.contains(&version) {
        let shown: String = version.chars().take(40).collect();
        let known = VERSIONS.join(", ");
        return Err(McpError::Broken(format!("unsupported MCP version '{shown}'; expected {known}")));
    }
    server.wire.speak(version);
    server.tell("notifications/initialized", json!({})).await?;
    match greeting.pointer("/capabilities/tools") {
        Some(tools) if !tools.is_null() => tools_of(server, patience, secrets).await,
        _ => Ok(Vec::new()),
    }
}

async fn tools_of(
    server: &mut Connection,
    patience: Duration,
    secrets: &Secrets,
) -> Result<Vec<ListedTool>, McpError> {
    let mut tools = Vec::new();
    let mut params = json!({});
    for _ in 0..PAGES {
        let page = server.ask("tools/list", params, patience).await?;
        tool_list::page(&page, &mut tools, secrets)?;
        match page.get("nextCursor").and_then(Value::as_str) {
            Some(cursor) => params = json!({"cursor": cursor}),
            None => return Ok(tools),
        }
    }
    Err(McpError::Broken(format!("its tool list has more than {PAGES} pages")))
}
