//! MCP servers as tools of a model: started with the session, ended with it.
//!
//! What a server does wrong at its start (it cannot be started, hangs, lies about its tools) is a reason not to open the
//! session at all: an agent that silently lacks its tools would do something else than its author meant. What goes wrong
//! later is reported to the model.

mod address;
mod connection;
mod error;
mod limits;
mod names;
mod program;
mod result;
mod secrets;
mod server;
#[cfg(test)]
mod tests;
mod tool_list;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use futures_util::future::{join_all, try_join_all};
use tokio_util::sync::CancellationToken;

use crate::child::{Environment, Variables};
use crate::mcp_server::McpServer;
use crate::session::OpenError;
use crate::toolbox::{Effect, ToolCall, ToolOutput, ToolSpec, Toolbox};
use crate::transport::Transport;
use server::{Patience, Server};

/// Opens MCP servers.
#[derive(Clone)]
pub struct McpServers {
    transport: Arc<dyn Transport>,
    environment: Arc<Environment>,
    patience: Patience,
}

impl McpServers {
    /// Servers that are reached by this way, or started with these variables, without those that are secrets.
    pub fn new(transport: Arc<dyn Transport>, variables: impl Into<Variables>) -> Self {
        let environment = Arc::new(variables.into().without_secrets());
        Self { transport, environment, patience: Patience::default() }
    }

    /// The names of the tools of a server, which is ended again.
    pub(crate) async fn tools_of(
        &self,
        server: &McpServer,
        project_dir: &Path,
    ) -> Result<Vec<String>, OpenError> {
        let (transport, environment) = (Arc::clone(&self.transport), &self.environment);
        let opened = Server::open(server, transport, environment, project_dir, self.patience).await?;
        opened.close().await;
        Ok(opened.tools.into_iter().map(|tool| tool.name).collect())
    }

    /// Opens servers in parallel, and adds their tools to another toolbox.
    pub(crate) async fn open(
        &self,
        servers: &[McpServer],
        project_dir: &Path,
        others: Box<dyn Toolbox>,
    ) -> Result<Box<dyn Toolbox>, OpenError> {
        if servers.is_empty() {
            return Ok(others);
        }
        let opening = servers.iter().map(|server| {
            Server::open(server, Arc::clone(&self.transport), &self.environment, project_dir, self.patience)
        });
        // The first failure drops the others, which ends them.
        let servers = try_join_all(opening).await?;
        Ok(Box::new(Offered::new(servers, others)))
    }
}

/// The tools of servers, added to another toolbox.
struct Offered {
    others: Box<dyn Toolbox>,
    servers: Vec<Arc<Server>>,
    specs: Vec<ToolSpec>,
    /// By the name that the model knows: whose tool, and what it is called there.
    tools: BTreeMap<String, OfferedTool>,
}

struct OfferedTool {
    server: Arc<Server>,
    name: String,
    effect: Effect,
}

impl Offered {
    fn new(servers: Vec<Server>, others: Box<dyn Toolbox>) -> Self {
        let servers: Vec<Arc<Server>> = servers.into_iter().map(Arc::new).collect();
        let mut specs = others.specs();
        let mut taken: BTreeSet<String> = specs.iter().map(|spec| spec.name.clone()).collect();
        let mut tools = BTreeMap::new();
        for server in &servers {
            for tool in &server.tools {
                let name = names::exposed(&server.name, &tool.shown, &mut taken);
                let (description, parameters) = (tool.description.clone(), tool.parameters.clone());
                let original =
                    Some(format!("{}__{}", server.name, tool.shown)).filter(|whole| *whole != name);
                specs.push(ToolSpec { name: name.clone(), description, parameters, original });
                let (server, effect) = (Arc::clone(server), tool.effect);
                tools.insert(name, OfferedTool { server, name: tool.name.clone(), effect });
            }
        }
        Self { others, servers, specs, tools }
    }
}

#[async_trait]
impl Toolbox for Offered {
    fn specs(&self) -> Vec<ToolSpec> {
        self.specs.clone()
    }

    fn effect(&self, name: &str) -> Effect {
        match self.tools.get(name) {
            None => self.others.effect(name),
            Some(tool) => tool.effect,
        }
    }

    async fn call(&self, call: ToolCall<'_>, cancel: &CancellationToken) -> ToolOutput {
        match self.tools.get(call.name) {
            None => self.others.call(call, cancel).await,
            Some(_) if !call.arguments.is_object() => {
                ToolOutput { ok: false, text: "expected an object as arguments".to_owned() }
            }
            Some(tool) => tool.server.call(&tool.name, call.arguments, call.key, cancel).await,
        }
    }

    async fn close(&self) {
        join_all(self.servers.iter().map(|server| server.close())).await;
        self.others.close().await;
    }
}
