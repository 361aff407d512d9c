//! Codex, live by its app server where that works, else by one `codex exec` for each turn.
//!
//! The protocol of the app server is JSON-RPC, one message a line. A schema and a model are those of the turn; what a thread
//! was started with (its MCP servers, the submit tool among them) cannot be changed later, so that another submit tool
//! means a new process that resumes the thread. The thread itself is a file of the CLI's own; what Accord keeps is its id.
//!
//! A thread keeps the instructions that it was started with, and silently ignores others when it is resumed: what
//! changed goes into the user's message. Codex neither validates nor retries, and ends a turn without any message when
//! the model refuses; see `outcome`. A turn that fails after it was asked stays in the thread.

mod approvals;
mod arguments;
mod conversation;
mod exec;
mod item;
mod launcher;
mod live;
mod outcome;
mod rpc;
mod servers;
mod session;
mod turn_error;

use async_trait::async_trait;

use crate::child::Variables;
use crate::mcp::McpServers;
use crate::session::{Executor, OpenError, Session};
use crate::start::Start;

use super::{CODEX, Host, PermissionDesk, SessionContext, Settings, SubmitServer, wrong};

use arguments::OwnArguments;
use conversation::Conversation;
use launcher::Launcher;
use session::{Backend, Codex};

#[derive(Clone)]
pub struct CodexExecutor {
    host: Host,
    submit: SubmitServer,
    servers: Option<McpServers>,
}

impl CodexExecutor {
    /// The CLI sees these variables, without Accord's own, and those of its settings. Where a result is to be handed in
    /// by a tool, it gets this server.
    pub fn new(variables: impl Into<Variables>, submit: SubmitServer) -> Self {
        Self { host: Host::new(&CODEX, variables), submit, servers: None }
    }

    /// With MCP servers, for agents that name some of a server's tools in `approve` or `effects`.
    #[must_use]
    pub fn with_mcp_servers(self, servers: McpServers) -> Self {
        Self { servers: Some(servers), ..self }
    }
}

#[async_trait]
impl Executor for CodexExecutor {
    async fn open(&self, start: Start) -> Result<Box<dyn Session>, OpenError> {
        let settings = Settings::read(&CODEX, &start.settings)?;
        let own = OwnArguments::read(&settings.args, settings.allowed_tools.as_deref(), &start.tools)
            .map_err(|error| wrong(&CODEX, error))?;
        if start.costs_are_limited {
            let text = "`limits.max_cost_usd` cannot be enforced: Codex does not report its cost. Limit tokens instead \
                        (`limits.max_tokens_total`)";
            return Err(OpenError::Settings(text.to_owned()));
        }
        servers::check(&start.mcp_servers).map_err(|error| wrong(&CODEX, error))?;
        let past = start.conversation.as_ref().map(Conversation::read).transpose()?;
        let known = approvals::known_tools(&start.mcp_servers);
        let desk = PermissionDesk::open(known, &start, self.servers.as_ref()).await?;
        let context = SessionContext::open(&self.host, &self.submit, settings, desk, start)?;
        let home = launcher::home(&context)?;
        let launcher = Launcher { context, home, own };
        launcher.check()?;
        let backend = Backend::choose(&launcher).await?;
        Ok(Box::new(Codex::new(launcher, past, backend)))
    }
}
