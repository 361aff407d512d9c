//! Any agent that speaks the Agent Client Protocol (ACP, version 1) on its stdin and stdout.
//!
//! The messages are the types of the official crate. The lines are ours, as for the other CLIs: they are bounded, a process
//! that ends says why, and nothing that it started is left. One process has one session and takes as many turns as are asked;
//! another submit tool means another process, which resumes the session.
//!
//! The agent gets no access to files or terminals through us: it works with its own tools, and asks for permission (see
//! `permissions`). The protocol has no place for a schema, so a result comes by the submit tool, else as text.

mod agent;
mod conversation;
mod model;
mod opening;
mod outcome;
mod permissions;
mod rpc;
mod servers;
mod session;
mod settings;
mod tool;
mod updates;

use async_trait::async_trait;

use crate::child::Variables;
use crate::mcp::McpServers;
use crate::session::{Executor, OpenError, Session};
use crate::start::Start;

use super::{ACP, Host, PermissionDesk, SUBMIT_SERVER, SessionContext, SubmitServer, wrong};

use conversation::Conversation;
use permissions::Permissions;
use session::AcpSession;

#[derive(Clone)]
pub struct AcpExecutor {
    host: Host,
    submit: SubmitServer,
    servers: Option<McpServers>,
}

impl AcpExecutor {
    /// The agent sees these variables, without Accord's own, and those of its settings. Where a result is to be handed in
    /// by a tool, it gets this server.
    pub fn new(variables: impl Into<Variables>, submit: SubmitServer) -> Self {
        Self { host: Host::new(&ACP, variables), submit, servers: None }
    }

    /// With MCP servers, for agents that name some of a server's tools in `approve` or `effects`.
    #[must_use]
    pub fn with_mcp_servers(self, servers: McpServers) -> Self {
        Self { servers: Some(servers), ..self }
    }
}

/// What stays the same for a session.
struct Launcher {
    context: SessionContext,
    auth_method: Option<String>,
    permissions: Permissions,
}

#[async_trait]
impl Executor for AcpExecutor {
    async fn open(&self, start: Start) -> Result<Box<dyn Session>, OpenError> {
        let (settings, auth_method) = settings::read(&start.settings)?;
        if start.costs_are_limited {
            let text = "`limits.max_cost_usd` cannot be enforced: ACP agents need not report their cost. Limit the time \
                        instead (`limits.timeout_seconds`)";
            return Err(OpenError::Settings(text.to_owned()));
        }
        if !start.tools.is_empty() {
            return Err(wrong(&ACP, "built-in tools are not supported; the agent has its own"));
        }
        if start.mcp_servers.iter().any(|server| server.name == SUBMIT_SERVER) {
            return Err(wrong(
                &ACP,
                format!("the MCP server name '{SUBMIT_SERVER}' is reserved; use another"),
            ));
        }
        let past = start.conversation.as_ref().map(Conversation::read).transpose()?;
        let allowed_tools = settings.allowed_tools.as_deref().unwrap_or_default();
        let known = permissions::known_tools(allowed_tools, &start.mcp_servers);
        let desk = PermissionDesk::open(known, &start, self.servers.as_ref()).await?;
        let permissions = Permissions::new(allowed_tools, &start.mcp_servers, desk.policy());
        let context = SessionContext::open(&self.host, &self.submit, settings, desk, start)?;
        Ok(Box::new(AcpSession::new(Launcher { context, auth_method, permissions }, past)))
    }
}
