//! Claude Code, as one live process for each session.
//!
//! The protocol is lines of JSON in both directions, and one process takes several turns. Its arguments cannot be changed
//! later, so that another schema, model or system prompt means a new process that resumes the conversation. The
//! conversation itself is a file of the CLI's own; what Accord keeps is its id.
//!
//! Its own report of success is not trusted: see `outcome`. A failed turn stays in the conversation, because the CLI cannot
//! remove it.

mod approvals;
mod arguments;
mod conversation;
mod line;
mod outcome;
mod process;
mod session;
mod submissions;
mod tools;
mod totals;
mod transcript;
mod turn_reader;

use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;

use crate::child::Variables;
use crate::mcp::McpServers;
use crate::session::{Executor, OpenError, Session};
use crate::start::Start;

use super::{CLAUDE_CODE, Host, PermissionDesk, SessionContext, Settings, SubmitServer};

use conversation::Conversation;
use process::Launcher;
use session::ClaudeCode;
use tools::Permissions;

#[derive(Clone)]
pub struct ClaudeCodeExecutor {
    host: Host,
    submit: SubmitServer,
    servers: Option<McpServers>,
    private_files: Arc<[PathBuf]>,
}

impl ClaudeCodeExecutor {
    /// The CLI sees these variables, without Accord's own, and those of its settings. Where a result is to be handed in
    /// by a tool, it gets this server.
    pub fn new(variables: impl Into<Variables>, submit: SubmitServer) -> Self {
        let host = Host::new(&CLAUDE_CODE, variables);
        Self { host, submit, servers: None, private_files: Arc::default() }
    }

    /// The same executor, where the built-in tools for files leave these alone: the settings and the data that Accord uses.
    pub fn with_private_files(self, files: Vec<PathBuf>) -> Self {
        Self { private_files: files.into(), ..self }
    }

    /// With MCP servers, for agents that name some of a server's tools in `approve` or `effects`.
    #[must_use]
    pub fn with_mcp_servers(self, servers: McpServers) -> Self {
        Self { servers: Some(servers), ..self }
    }
}

#[async_trait]
impl Executor for ClaudeCodeExecutor {
    async fn open(&self, start: Start) -> Result<Box<dyn Session>, OpenError> {
        let settings = Settings::read(&CLAUDE_CODE, &start.settings)?;
        arguments::check(&settings.args)?;
        let allowed_tools = settings.allowed_tools.as_deref();
        let mut permissions = Permissions::new(&start.tools, allowed_tools, &start.mcp_servers)?;
        let past = start.conversation.clone().map(Conversation::read).transpose()?;
        let known =
            approvals::known_tools(&start.tools, allowed_tools.unwrap_or_default(), &start.mcp_servers);
        let desk = PermissionDesk::open(known, &start, self.servers.as_ref()).await?;
        if desk.is_open() {
            arguments::check_with_approvals(&settings.args)?;
        }
        permissions.asked = approvals::ask_rules(&desk, &permissions, &start.mcp_servers);
        let tools = start.tools.clone();
        let context = SessionContext::open(&self.host, &self.submit, settings, desk, start)?;
        let permissions = permissions.keeping(&tools, &context.folder, &self.private_files);
        Ok(Box::new(ClaudeCode::new(Launcher { context, permissions }, past)))
    }
}
