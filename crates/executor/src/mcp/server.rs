//! One server: started, greeted, asked for its tools; then called.
//!
//! The coordinator of the run is asked again where it did not answer, as by every other request of a runner: it may be restarting.
//! What it was asked to do, it does once, because a call that is made again has the same key.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use accord_domain::agent::IDEMPOTENCY_KEY;
use rmcp::RoleClient;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, ListToolsRequest, PaginatedRequestParams, RequestMetaObject,
};
use serde_json::{Map, Value};
use tokio::sync::Mutex;
use tokio::time::{Instant, sleep, timeout_at};
use tokio_util::sync::CancellationToken;

use super::address::Address;
use super::connection::{Connection, Greeting};
use super::error::{Faults, McpError};
use super::limits::{CALL, FIRST_PAUSE, LONGEST_PAUSE, PAGES, START};
use super::program::Program;
use super::result;
use super::secrets::Secrets;
use super::tool_list::{self, ListedTool};
use crate::child::Environment;
use crate::mcp_server::{McpServer, Reach};
use crate::retry::Pauses;
use crate::session::OpenError;
use crate::toolbox::ToolOutput;
use crate::transport::Transport;

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
    /// How the coordinator of the run is reached again. Other servers are not.
    coordinator: Option<Coordinator>,
}

struct Coordinator {
    transport: Arc<dyn Transport>,
    url: String,
    headers: BTreeMap<String, String>,
}

impl Coordinator {
    async fn connect(&self, patience: Duration) -> Result<Connection, McpError> {
        let faults = Faults::default();
        let address = Address::open(Arc::clone(&self.transport), &self.url, &self.headers, faults.clone());
        let opening = Connection::open(address, faults, Greeting::Handshake);
        let connected = timeout_at(Instant::now() + patience, opening).await;
        connected.map_err(|_| McpError::Silent(patience))?
    }
}

/// Pauses between requests to the coordinator of the run.
struct Rests {
    pauses: Pauses,
    taken: u32,
}

impl Rests {
    fn new(spread_by: &str) -> Self {
        Self { pauses: Pauses::new(FIRST_PAUSE, spread_by), taken: 0 }
    }

    async fn rest(&mut self, fault: &McpError) {
        let pause = self.pauses.next(self.taken).min(LONGEST_PAUSE);
        self.taken += 1;
        tracing::warn!(%fault, "the coordinator's tools did not respond; will retry");
        sleep(pause).await;
    }
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
        let is_coordinator = matches!(server.reach, Reach::Coordinator { .. });
        let failed = |fault: &McpError, log: &str| {
            let said = if log.is_empty() { String::new() } else { format!("; last lines of stderr: {log}") };
            let message = format!("the MCP server '{}' did not start: {fault}{said}", server.name);
            OpenError::Missing(secrets.hide(message))
        };
        let connect = async |greeting: Greeting| match &server.reach {
            Reach::Program { command, args, env } => {
                let own = env.iter().map(|(name, value)| (name.into(), value.into()));
                let environment: Environment = environment.iter().cloned().chain(own).collect();
                let faults = Faults::default();
                let started = Program::start(command, args, &environment, folder, faults.clone()).await;
                let (program, stderr) = started.map_err(|fault| (fault, String::new()))?;
                let greeted = greet(program, faults, greeting, patience.start, &secrets).await;
                greeted.map_err(|fault| (fault, stderr.text()))
            }
            Reach::Address { url, headers } | Reach::Coordinator { url, headers } => {
                let mut rests = Rests::new(headers.values().next().unwrap_or(url));
                let greeted = loop {
                    let faults = Faults::default();
                    let address = Address::open(Arc::clone(&transport), url, headers, faults.clone());
                    match greet(address, faults, greeting, patience.start, &secrets).await {
                        Err(fault) if is_coordinator && fault.may_pass() => rests.rest(&fault).await,
                        greeted => break greeted,
                    }
                };
                greeted.map_err(|fault| (fault, String::new()))
            }
        };
        let (connection, tools) = match connect(Greeting::Handshake).await {
            Ok(greeted) => greeted,
            // What the first greeting was refused with is reported: most such servers are of that generation and broken.
            Err((fault @ McpError::OtherGeneration(_), log)) => {
                connect(Greeting::Discovery).await.map_err(|_| failed(&fault, &log))?
            }
            Err((fault, log)) => return Err(failed(&fault, &log)),
        };
        let (name, link) = (server.name.clone(), Mutex::new(Link::Open(connection)));
        let coordinator = match &server.reach {
            Reach::Coordinator { url, headers } => {
                Some(Coordinator { transport, url: url.clone(), headers: headers.clone() })
            }
            Reach::Program { .. } | Reach::Address { .. } => None,
        };
        Ok(Self { name, tools, link, secrets, patience, coordinator })
    }

    /// Calls a tool. Errors are reported to the model.
    pub(super) async fn call(
        &self,
        tool: &str,
        arguments: &Value,
        key: &str,
        cancel: &CancellationToken,
    ) -> ToolOutput {
        let mut rests = Rests::new(key);
        let asked = loop {
            match self.asked(tool, arguments, key, cancel).await {
                Err(fault) if self.coordinator.is_some() && fault.may_pass() => {
                    if cancel.run_until_cancelled(rests.rest(&fault)).await.is_none() {
                        break Err(fault);
                    }
                }
                asked => break asked,
            }
        };
        let mut output = match asked {
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
        if let (Link::Gone(_), Some(coordinator)) = (&*link, &self.coordinator) {
            *link = Link::Open(coordinator.connect(self.patience.start).await?);
        }
        let connection = match &*link {
            Link::Open(connection) => connection,
            Link::Gone(why) => return Err(McpError::Gone(why.clone())),
        };
        let mut params = CallToolRequestParams::new(tool.to_owned());
        params.arguments = arguments.as_object().cloned();
        let trace = accord_trace::current().map(|parent| (accord_trace::HEADER, parent.to_string()));
        let meta = [(IDEMPOTENCY_KEY, key.to_owned())].into_iter().chain(trace);
        let meta: Map<String, Value> = meta.map(|(name, value)| (name.to_owned(), value.into())).collect();
        params.meta = Some(RequestMetaObject::from(meta));
        let request = CallToolRequest::new(params).into();
        match connection.ask(request, self.patience.call, cancel).await {
            // Hidden before it is cut: half a secret would not be found.
            Ok(answered) => result::output(&self.secrets.hide_in(answered)),
            Err(fault) => {
                if connection.is_lost() || (self.coordinator.is_some() && fault.may_pass()) {
                    link.end(format!("it stopped during an earlier call: {fault}")).await;
                }
                Err(fault)
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
            connection.close().await;
        }
    }
}

/// Greets a server, and asks for its tools.
async fn greet(
    transport: impl rmcp::transport::Transport<RoleClient> + 'static,
    faults: Faults,
    greeting: Greeting,
    patience: Duration,
    secrets: &Secrets,
) -> Result<(Connection, Vec<ListedTool>), McpError> {
    let until = Instant::now() + patience;
    let silent = |_| McpError::Silent(patience);
    let connection = timeout_at(until, Connection::open(transport, faults, greeting));
    let connection = connection.await.map_err(silent)??;
    match timeout_at(until, tools_of(&connection, patience, secrets)).await.map_err(silent).flatten() {
        Ok(tools) => Ok((connection, tools)),
        Err(fault) => {
            connection.close().await;
            Err(fault)
        }
    }
}

async fn tools_of(
    server: &Connection,
    patience: Duration,
    secrets: &Secrets,
) -> Result<Vec<ListedTool>, McpError> {
    let (mut tools, mut params) = (Vec::new(), PaginatedRequestParams::default());
    if !server.has_tools() {
        return Ok(tools);
    }
    for _ in 0..PAGES {
        let request = ListToolsRequest::with_param(params).into();
        let page = server.ask(request, patience, &CancellationToken::new()).await?;
        tool_list::page(&page, &mut tools, secrets)?;
        match page.get("nextCursor").and_then(Value::as_str) {
            Some(cursor) => params = PaginatedRequestParams::default().with_cursor(Some(cursor.to_owned())),
            None => return Ok(tools),
        }
    }
    Err(McpError::Broken(format!("its tool list has more than {PAGES} pages")))
}
