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
use crate::session::{Executor, OpenError, Session};
use crate::start::Start;

use super::{CODEX, Host, SessionContext, Settings, SubmitServer, wrong};

use arguments::OwnArguments;
use conversation::Conversation;
use launcher::Launcher;
use session::{Backend, Codex};

#[derive(Clone)]
pub struct CodexExecutor {
    host: Host,
    submit: SubmitServer,
}

impl CodexExecutor {
    /// The CLI sees these variables, without Accord's own, and those of its settings. Where a result is to be handed in
    /// by a tool, it gets this server.
    pub fn new(variables: impl Into<Variables>, submit: SubmitServer) -> Self {
        Self { host: Host::new(&CODEX, variables), submit }
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
        if let Some(tool) = approvals::unknown(start.approvals.as_ref(), &start.mcp_servers) {
            let text = format!(
                "`approve` has '{tool}', which Codex cannot ask for: use run_command, write_file, or SERVER__TOOL for a tool of `mcp_servers`"
            );
            return Err(OpenError::Settings(text));
        }
        let past = start.conversation.as_ref().map(Conversation::read).transpose()?;
        let context = SessionContext::open(&self.host, &self.submit, settings, start)?;
        let home = launcher::home(&context)?;
        let launcher = Launcher { context, home, own };
        launcher.check()?;
        let backend = Backend::choose(&launcher).await?;
        Ok(Box::new(Codex::new(launcher, past, backend)))
    }
}
