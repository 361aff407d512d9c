//! One server: started, greeted, asked for its tools; then called.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::Mutex;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::address::Address;
use super::limits::{CALL, PAGES, START};
use super::listed::{self, Listed};
use super::program::Program;
use super::result;
use super::wire::{Fault, Wire};
use crate::child::Environment;
use crate::mcp_server::{McpServer, Reach};
use crate::session::OpenError;
use crate::toolbox::ToolOutput;
use crate::transport::Transport;

/// The versions that are spoken, the newest first. What differs between them is outside of what is used here.
const VERSIONS: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/// Shorter values are words that stand everywhere, and no secrets.
const SHORTEST_SECRET: usize = 6;

/// What stands in the place of a secret.
const HIDDEN: &str = "[hidden]";

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

/// A server that is open.
pub(super) struct Server {
    pub(super) name: String,
    pub(super) tools: Vec<Listed>,
    wire: Mutex<Option<Box<dyn Wire>>>,
    secrets: Vec<String>,
    patience: Patience,
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
        let secrets = secrets(server);
        let failed = |fault: &Fault, log: &str| {
            let said = if log.is_empty() { String::new() } else { format!("; the end of its stderr: {log}") };
            let message = format!("the MCP server '{}' did not start: {fault}{said}", server.name);
            OpenError::Missing(hide(&secrets, message))
        };
        let mut wire = connect(server, transport, environment, folder).map_err(|fault| failed(&fault, ""))?;
        let greeted = timeout(patience.start, greet(wire.as_mut(), patience.start)).await;
        match greeted.unwrap_or(Err(Fault::Silent(patience.start))) {
            Ok(tools) => {
                let name = server.name.clone();
                Ok(Self { name, tools, wire: Mutex::new(Some(wire)), secrets, patience })
            }
            Err(fault) => {
                let error = failed(&fault, &wire.log());
                wire.close().await;
                Err(error)
            }
        }
    }

    /// Calls a tool. What goes wrong is told to the model.
    pub(super) async fn call(&self, tool: &str, arguments: &Value, cancel: &CancellationToken) -> ToolOutput {
        let mut output = match self.asked(tool, arguments, cancel).await {
            Ok(output) => output,
            Err(fault) => {
                let text = format!("the call of '{tool}' on the MCP server '{}' failed: {fault}", self.name);
                ToolOutput { ok: false, text }
            }
        };
        output.text = hide(&self.secrets, output.text);
        output
    }

    async fn asked(
        &self,
        tool: &str,
        arguments: &Value,
        cancel: &CancellationToken,
    ) -> Result<ToolOutput, Fault> {
        let mut held = self.wire.lock().await;
        let Some(wire) = held.as_mut() else { return Err(Fault::Gone("it has ended".to_owned())) };
        let params = json!({"name": tool, "arguments": arguments});
        let answered = cancel.run_until_cancelled(wire.ask("tools/call", params, self.patience.call)).await;
        match answered {
            Some(answered) => result::output(&answered?),
            None => {
                wire.give_up().await;
                Err(Fault::Refused("stopped".to_owned()))
            }
        }
    }

    /// Ends it.
    pub(super) async fn close(&self) {
        let wire = self.wire.lock().await.take();
        if let Some(wire) = wire {
            wire.close().await;
        }
    }
}

fn connect(
    server: &McpServer,
    transport: Arc<dyn Transport>,
    environment: &Environment,
    folder: &Path,
) -> Result<Box<dyn Wire>, Fault> {
    match &server.reach {
        Reach::Program { command, args, env } => {
            let own = env.iter().map(|(name, value)| (name.into(), value.into()));
            let environment: Environment = environment.iter().cloned().chain(own).collect();
            Ok(Box::new(Program::start(command, args, &environment, folder)?))
        }
        Reach::Address { url, headers } => Ok(Box::new(Address::new(transport, url, headers))),
    }
}

async fn greet(wire: &mut dyn Wire, patience: Duration) -> Result<Vec<Listed>, Fault> {
    let params = json!({
        "protocolVersion": VERSIONS[0],
        "capabilities": {},
        "clientInfo": {"name": "accord", "version": env!("CARGO_PKG_VERSION")},
    });
    let greeting = wire.ask("initialize", params, patience).await?;
    let version = greeting.get("protocolVersion").and_then(Value::as_str).unwrap_or_default();
    if !VERSIONS.contains(&version) {
        let shown: String = version.chars().take(40).collect();
        let known = VERSIONS.join(", ");
        return Err(Fault::Broken(format!("it speaks version '{shown}' of MCP; known here are {known}")));
    }
    wire.speak(version);
    wire.tell("notifications/initialized", json!({})).await?;
    match greeting.pointer("/capabilities/tools") {
        Some(tools) if !tools.is_null() => tools_of(wire, patience).await,
        _ => Ok(Vec::new()),
    }
}

async fn tools_of(wire: &mut dyn Wire, patience: Duration) -> Result<Vec<Listed>, Fault> {
    let mut tools = Vec::new();
    let mut params = json!({});
    for _ in 0..PAGES {
        let page = wire.ask("tools/list", params, patience).await?;
        listed::page(&page, &mut tools)?;
        match page.get("nextCursor").and_then(Value::as_str) {
            Some(cursor) => params = json!({"cursor": cursor}),
            None => return Ok(tools),
        }
    }
    Err(Fault::Broken(format!("its list of tools has more than {PAGES} pages")))
}

/// What a server was given and must not be repeated by errors and events.
fn secrets(server: &McpServer) -> Vec<String> {
    let given: &BTreeMap<String, String> = match &server.reach {
        Reach::Program { env, .. } => env,
        Reach::Address { headers, .. } => headers,
    };
    // Behind the scheme of an authorization stands the secret itself.
    let parts =
        given.values().flat_map(|value| [Some(value.as_str()), value.split_once(' ').map(|(_, key)| key)]);
    parts.flatten().filter(|secret| secret.len() >= SHORTEST_SECRET).map(str::to_owned).collect()
}

fn hide(secrets: &[String], text: String) -> String {
    secrets.iter().fold(text, |text, secret| match text.contains(secret.as_str()) {
        true => text.replace(secret.as_str(), HIDDEN),
        false => text,
    })
}
