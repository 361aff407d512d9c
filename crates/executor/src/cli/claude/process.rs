//! What a session has around it, and how its process is started.

use std::io;

use crate::child::Live;
use crate::mcp_server::McpServer;
use crate::session::TurnError;
use crate::turn::{Allowance, Delivery};

use super::super::{SUBMIT_SERVER, SessionContext, SubmissionInbox, endpoint, excerpt};
use super::arguments::{self, AnswerMode, Bounds, Files, Setup};
use super::tools::{Permissions, prefix};
use super::turn_reader::Interruption;

/// The lowering profile of its validator.
pub(super) const PROFILE: &str = "claude-code";

/// The variable with another address than the public one.
const ADDRESS: &str = "ANTHROPIC_BASE_URL";

/// What stays the same for a session.
pub(super) struct Launcher {
    pub(super) context: SessionContext,
    pub(super) permissions: Permissions,
}

/// A process, and what it was started with.
pub(super) struct Running {
    pub(super) live: Live,
    pub(super) setup: Setup,
    pub(super) inbox: Option<SubmissionInbox>,
    /// Whether it was interrupted: nothing is allowed any more.
    pub(super) is_ending: bool,
}

impl Launcher {
    pub(super) fn endpoint(&self) -> String {
        let SessionContext { host, settings, .. } = &self.context;
        let inherited = host.get(ADDRESS).map(|address| address.to_string_lossy().into_owned());
        endpoint(PROFILE, settings.env.get(ADDRESS).cloned().or(inherited).as_deref())
    }

    pub(super) async fn start(
        &self,
        setup: Setup,
        delivery: &Delivery,
        allowance: &Allowance,
        resumed: Option<&str>,
    ) -> Result<Running, TurnError> {
        let context = &self.context;
        let inbox = context.inbox(delivery)?;
        let servers: Vec<&McpServer> = context.servers(inbox.as_ref()).collect();
        let mcp_config = context.write("mcp.json", &arguments::mcp_config(&servers).to_string())?;
        let system_prompt = match setup.system_prompt.trim() {
            "" => None,
            text => Some(context.write("system-prompt.md", text)?),
        };
        let files = Files { mcp_config: &mcp_config, system_prompt: system_prompt.as_deref() };
        let mut permissions = self.permissions.clone();
        permissions.allowed.extend(inbox.is_some().then(|| prefix(SUBMIT_SERVER)));
        let bounds = Bounds { steps: context.max_steps, cost_usd: allowance.cost_usd };
        let list = arguments::list(&setup, &permissions, &files, resumed, bounds, &context.settings.args);
        let mut command = context.command(&arguments::NESTED);
        command.args(list).env(arguments::OWN_ATTEMPTS.0, arguments::OWN_ATTEMPTS.1);
        let is_set = |name: &str| context.settings.env.contains_key(name);
        for (name, value) in arguments::QUIET.into_iter().filter(|(name, _)| !is_set(name)) {
            command.env(name, value);
        }
        let (name, value) = arguments::REPETITIONS;
        if !is_set(name) && context.host.get(name).is_none() {
            command.env(name, value);
        }
        let live = context.spawn(command).await;
        let live = live.map_err(|error| self.not_started(&error, &setup))?;
        Ok(Running { live, setup, inbox, is_ending: false })
    }

    fn not_started(&self, error: &io::Error, setup: &Setup) -> TurnError {
        if error.kind() == io::ErrorKind::ArgumentListTooLong && matches!(setup.mode, AnswerMode::Native(_)) {
            let text = "the schema is too long for Claude Code, which receives it as an argument";
            return TurnError::SchemaRejected(text.to_owned());
        }
        TurnError::Failed(self.context.not_started(error))
    }

    /// Whether the MCP servers are there. Without one of them it would go on, and the agent could not do its work.
    pub(super) fn connected(
        &self,
        running: &Running,
        servers: &[(String, String)],
    ) -> Result<(), Interruption> {
        let status = |name: &str| {
            let found = servers.iter().find(|(each, _)| each == name);
            found.map_or("unknown to it", |(_, status)| status.as_str())
        };
        let failed: Vec<String> = self
            .context
            .servers
            .iter()
            .map(|server| (server.name.as_str(), status(&server.name)))
            .filter(|(_, status)| *status != "connected")
            .map(|(name, status)| format!("'{name}' ({})", excerpt(status)))
            .collect();
        if !failed.is_empty() {
            let text = format!(
                "Claude Code could not start the MCP server {}: check its command or address in the blueprint",
                failed.join(", ")
            );
            return Err(Interruption::process(text));
        }
        if running.inbox.is_some() && status(SUBMIT_SERVER) != "connected" {
            let text =
                format!("Claude Code could not start the submit tool ({})", excerpt(status(SUBMIT_SERVER)));
            return Err(Interruption::Process(TurnError::ToolRejected(text)));
        }
        Ok(())
    }
}
