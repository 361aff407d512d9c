//! Codex, live by its app server where that works, else by one `codex exec` for each turn.
//!
//! The app server is spoken to in JSON-RPC, one message a line. A schema and a model are those of the turn; what a thread
//! was started with (its MCP servers, the submit tool among them) cannot be changed later, so that another submit tool
//! means a new process that resumes the thread. The thread itself is a file of the CLI's own; what Accord keeps is its id.
//!
//! A thread keeps the instructions that it was started with, and silently ignores others when it is resumed: what
//! changed goes into the user's message. Codex neither validates nor retries, and ends a turn without any message when
//! the model refuses; see `outcome`. A turn that fails after it was asked stays in the thread.

mod arguments;
mod conversation;
mod exec;
mod fault;
mod hearing;
mod item;
mod live;
mod outcome;
mod place;
mod rpc;
mod servers;
mod session;

use async_trait::async_trait;

use crate::child::Variables;
use crate::session::{Executor, OpenError, Session};
use crate::start::Start;

use super::{CODEX, Host, Room, Settings, SubmitServer, wrong};

use arguments::Own;
use conversation::Conversation;
use place::Place;
use session::{Codex, Way};

/// Runs Codex.
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
        let own = Own::read(&settings.args, settings.allowed_tools.as_deref(), &start.tools)
            .map_err(|text| wrong(&CODEX, text))?;
        if start.costs_are_limited {
            let text = "`limits.max_cost_usd` cannot be enforced: Codex does not report its cost. Limit tokens instead \
                        (`limits.max_tokens_total`)";
            return Err(OpenError::Settings(text.to_owned()));
        }
        servers::check(&start.mcp_servers).map_err(|text| wrong(&CODEX, text))?;
        let past = start.conversation.as_ref().map(Conversation::read).transpose()?;
        let Start { project_dir, mcp_servers, max_steps, .. } = start;
        let room = Room::open(&self.host, &self.submit, settings, &project_dir, mcp_servers, max_steps)?;
        let home = place::home(&room)?;
        let place = Place { room, home, own };
        place.check()?;
        let way = Way::choose(&place).await?;
        Ok(Box::new(Codex::new(place, past, way)))
    }
}
