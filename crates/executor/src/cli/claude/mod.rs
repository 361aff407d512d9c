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
use crate::session::{Executor, OpenError, Session};
use crate::start::Start;

use super::{CLAUDE_CODE, Host, SessionContext, Settings, SubmitServer};

use conversation::Conversation;
use process::Launcher;
use session::ClaudeCode;
use tools::Permissions;

#[derive(Clone)]
pub struct ClaudeCodeExecutor {
    host: Host,
    submit: SubmitServer,
    private_files: Arc<[PathBuf]>,
}

impl ClaudeCodeExecutor {
    /// The CLI sees these variables, without Accord's own, and those of its settings. Where a result is to be handed in
    /// by a tool, it gets this server.
    pub fn new(variables: impl Into<Variables>, submit: SubmitServer) -> Self {
        Self { host: Host::new(&CLAUDE_CODE, variables), submit, private_files: Arc::default() }
    }

    /// The same executor, where the built-in tools for files leave these alone: the settings and the data that Accord uses.
    pub fn with_private_files(self, files: Vec<PathBuf>) -> Self {
        Self { private_files: files.into(), ..self }
    }
}

#[async_trait]
impl Executor for ClaudeCodeExecutor {
    async fn open(&self, start: Start) -> Result<Box<dyn Session>, OpenError> {
        let settings = Settings::read(&CLAUDE_CODE, &start.settings)?;
        arguments::check(&settings.args)?;
        if !start.approvals.tools().is_empty() {
            arguments::check_with_approvals(&settings.args)?;
        }
        let mut permissions =
            Permissions::new(&start.tools, settings.allowed_tools.as_deref(), &start.mcp_servers)?;
        permissions.asked = approvals::ask_rules(start.approvals.as_ref(), &permissions, &start.mcp_servers);
        let past = start.conversation.clone().map(Conversation::read).transpose()?;
        let tools = start.tools.clone();
        let context = SessionContext::open(&self.host, &self.submit, settings, start)?;
        let permissions = permissions.keeping(&tools, &context.folder, &self.private_files);
        Ok(Box::new(ClaudeCode::new(Launcher { context, permissions }, past)))
    }
}
