//! What a session has around it, and how its process is started.

use std::io;
use std::path::PathBuf;

use crate::cassette::Redactor;
use crate::child::Live;
use crate::mcp_server::McpServer;
use crate::program;
use crate::session::TurnError;
use crate::turn::{Allowance, Delivery};

use super::super::{Desk, Host, LONGEST_LINE, SUBMIT_SERVER, Scratch, Settings, SubmitServer, shown};
use super::arguments::{self, Bounds, Files, Setup, Way};
use super::listen::Broken;
use super::tools::{Permissions, prefix};

/// The lowering profile of its validator.
pub(super) const PROFILE: &str = "claude-code";

/// The variable by which it is told of another address than the public one.
const ADDRESS: &str = "ANTHROPIC_BASE_URL";

/// What stays the same for a session.
pub(super) struct Place {
    pub(super) host: Host,
    pub(super) submit: SubmitServer,
    pub(super) executable: PathBuf,
    pub(super) folder: PathBuf,
    pub(super) scratch: Scratch,
    pub(super) settings: Settings,
    pub(super) permissions: Permissions,
    pub(super) servers: Vec<McpServer>,
    pub(super) redactor: Redactor,
    pub(super) max_steps: u32,
}

/// A process, and what it was started with.
pub(super) struct Running {
    pub(super) live: Live,
    pub(super) setup: Setup,
    /// Where results are handed in.
    pub(super) desk: Option<Desk>,
}

impl Place {
    pub(super) fn endpoint(&self) -> String {
        let inherited = self.host.get(ADDRESS).map(|address| address.to_string_lossy().into_owned());
        let address = self.settings.env.get(ADDRESS).cloned().or(inherited);
        // Whatever stands before an @ is a secret, and so may be what stands behind a question mark.
        let address = address.unwrap_or_default();
        let address = address.split(['?', '#']).next().unwrap_or_default();
        let address = address.rsplit('@').next().unwrap_or_default();
        let address = address.strip_prefix("http://").or(address.strip_prefix("https://")).unwrap_or(address);
        match address.trim_end_matches('/') {
            "" => PROFILE.to_owned(),
            address => format!("{PROFILE} {address}"),
        }
    }

    pub(super) async fn start(
        &self,
        setup: Setup,
        delivery: &Delivery,
        allowance: &Allowance,
        resumed: Option<&str>,
    ) -> Result<Running, TurnError> {
        let wrote =
            |error: io::Error| TurnError::Failed(format!("a temporary file cannot be written: {error}"));
        let desk = match delivery {
            Delivery::Tool { schema, description, .. } => {
                Some(self.submit.open(&self.scratch, schema, description).map_err(wrote)?)
            }
            Delivery::Text | Delivery::Native { .. } => None,
        };
        let servers: Vec<&McpServer> =
            self.servers.iter().chain(desk.as_ref().map(|desk| &desk.server)).collect();
        let config = arguments::mcp_config(&servers).to_string();
        let mcp_config = self.scratch.write("mcp.json", &config).map_err(wrote)?;
        let system_prompt = match setup.system_prompt.trim() {
            "" => None,
            text => Some(self.scratch.write("system-prompt.md", text).map_err(wrote)?),
        };
        let files = Files { mcp_config: &mcp_config, system_prompt: system_prompt.as_deref() };
        let mut permissions = self.permissions.clone();
        permissions.allowed.extend(desk.is_some().then(|| prefix(SUBMIT_SERVER)));
        let own = &self.settings.args;
        let bounds = Bounds { steps: self.max_steps, cost_usd: allowance.cost_usd };
        let list = arguments::list(&setup, &permissions, &files, resumed, bounds, own);
        let mut command =
            self.host.command(&self.executable, &self.settings, &self.folder, &arguments::NESTED);
        command.args(list).env(arguments::OWN_ATTEMPTS.0, arguments::OWN_ATTEMPTS.1);
        let is_set = |name: &str| self.settings.env.contains_key(name);
        for (name, value) in arguments::QUIET.into_iter().filter(|(name, _)| !is_set(name)) {
            command.env(name, value);
        }
        let (name, value) = arguments::REPETITIONS;
        if !is_set(name) && self.host.get(name).is_none() {
            command.env(name, value);
        }
        let live = Live::spawn(command, LONGEST_LINE).await;
        let live = live.map_err(|error| self.not_started(&error, &setup))?;
        Ok(Running { live, setup, desk })
    }

    fn not_started(&self, error: &io::Error, setup: &Setup) -> TurnError {
        if error.kind() == io::ErrorKind::ArgumentListTooLong && matches!(setup.way, Way::Native(_)) {
            let text = "the schema is too long to be passed to Claude Code, which takes it as an argument";
            return TurnError::SchemaRejected(text.to_owned());
        }
        TurnError::Failed(format!(
            "Claude Code ({}) could not be started: {}",
            self.executable.display(),
            program::cause(error)
        ))
    }

    /// Whether the MCP servers are there. Without one of them it would go on, and the agent could not do its work.
    pub(super) fn connected(&self, running: &Running, servers: &[(String, String)]) -> Result<(), Broken> {
        let status = |name: &str| {
            let found = servers.iter().find(|(each, _)| each == name);
            found.map_or("not known to it", |(_, status)| status.as_str())
        };
        let failed: Vec<String> = self
            .servers
            .iter()
            .map(|server| (server.name.as_str(), status(&server.name)))
            .filter(|(_, status)| *status != "connected")
            .map(|(name, status)| format!("'{name}' ({})", shown(status)))
            .collect();
        if !failed.is_empty() {
            let text = format!(
                "Claude Code could not start the MCP server {}: check its command or address in the blueprint",
                failed.join(", ")
            );
            return Err(Broken::process(text));
        }
        if running.desk.is_some() && status(SUBMIT_SERVER) != "connected" {
            let text =
                format!("Claude Code could not start the submit tool ({})", shown(status(SUBMIT_SERVER)));
            return Err(Broken::Process(TurnError::ToolRejected(text)));
        }
        Ok(())
    }
}
