//! What a session has around it, and how its processes are started.

use std::fs;
use std::path::{Path, PathBuf};

use tokio::process::Command;

use crate::cassette::Redactor;
use crate::child::Live;
use crate::mcp_server::McpServer;
use crate::program;
use crate::session::{OpenError, TurnError};
use crate::turn::Delivery;

use super::super::{Desk, Host, LONGEST_LINE, Scratch, Settings, SubmitServer};
use super::arguments::{Own, Provider};

/// The lowering profile of the provider behind it.
pub(super) const PROFILE: &str = "openai";

/// What stays the same for a session.
pub(super) struct Place {
    pub(super) host: Host,
    pub(super) submit: SubmitServer,
    pub(super) executable: PathBuf,
    pub(super) folder: PathBuf,
    pub(super) home: PathBuf,
    pub(super) scratch: Scratch,
    pub(super) settings: Settings,
    pub(super) own: Own,
    pub(super) servers: Vec<McpServer>,
    pub(super) redactor: Redactor,
    pub(super) max_steps: u32,
}

impl Place {
    /// Who answers, without secrets.
    pub(super) fn endpoint(&self) -> String {
        let address = self.provider().map(|provider| provider.base_url).unwrap_or_default();
        // Whatever stands before an @ is a secret, and so may be what stands behind a question mark.
        let address = address.split(['?', '#']).next().unwrap_or_default();
        let address = address.split_once("://").map_or(address, |(_, rest)| rest);
        let address = address.rsplit('@').next().unwrap_or_default();
        match address.trim_end_matches('/') {
            "" => "codex".to_owned(),
            address => format!("codex {address}"),
        }
    }

    /// The provider that the usual variables name. A key of the runner goes to the runner's address, and not to one that
    /// a blueprint names.
    fn provider(&self) -> Option<Provider> {
        let own = |name: &str| self.settings.env.get(name).filter(|value| !value.is_empty()).cloned();
        let inherited = |name: &str| {
            let value = self.host.get(name).map(|value| value.to_string_lossy().into_owned());
            value.filter(|value| !value.is_empty())
        };
        let has_own_key = own("OPENAI_API_KEY").is_some();
        match own("OPENAI_BASE_URL") {
            Some(base_url) => Provider::of(Some(base_url), has_own_key, true),
            None => {
                let has_key = has_own_key || inherited("OPENAI_API_KEY").is_some();
                let is_logged_in = self.home.join("auth.json").is_file();
                Provider::of(inherited("OPENAI_BASE_URL"), has_key, is_logged_in)
            }
        }
    }

    /// A command of Codex, with what every one of them is told.
    pub(super) fn command(&self, words: &[&str]) -> Command {
        let mut command = self.host.command(&self.executable, &self.settings, &self.folder, &[]);
        command.args(words).args(self.own.list(self.provider().as_ref())).env("CODEX_HOME", &self.home);
        command
    }

    pub(super) async fn spawn(&self, command: Command) -> Result<Live, String> {
        let live = Live::spawn(command, LONGEST_LINE).await;
        live.map_err(|error| {
            format!("Codex ({}) could not be started: {}", self.executable.display(), program::cause(&error))
        })
    }

    /// The submit tool, where the answer is to be delivered by it.
    pub(super) fn desk(&self, delivery: &Delivery) -> Result<Option<Desk>, TurnError> {
        let Delivery::Tool { schema, description, .. } = delivery else { return Ok(None) };
        let opened = self.submit.open(&self.scratch, schema, description);
        opened.map(Some).map_err(|error| wrote(&error))
    }

    /// All servers, the submit tool among them.
    pub(super) fn servers<'a>(&'a self, desk: Option<&'a Desk>) -> impl Iterator<Item = &'a McpServer> {
        self.servers.iter().chain(desk.map(|desk| &desk.server))
    }
}

/// A temporary file that could not be written.
pub(super) fn wrote(error: &std::io::Error) -> TurnError {
    TurnError::Failed(format!("a temporary file cannot be written: {error}"))
}

/// The folder where Codex keeps its login and its threads: the user's own, unless somebody names another. It is made,
/// because Codex refuses to start without.
pub(super) fn home(host: &Host, settings: &Settings) -> Result<PathBuf, OpenError> {
    let variable = |name: &str| {
        let own = settings.env.get(name).map(PathBuf::from);
        own.or_else(|| host.get(name).map(PathBuf::from)).filter(|path| !path.as_os_str().is_empty())
    };
    let home =
        variable("CODEX_HOME").or_else(|| Some(variable("HOME")?.join(".codex"))).ok_or_else(|| {
            OpenError::Missing("Codex needs a home: set HOME or CODEX_HOME for the runner".to_owned())
        })?;
    let unusable = |error: std::io::Error| {
        OpenError::Missing(format!("Codex's home {} cannot be used: {error}", home.display()))
    };
    fs::create_dir_all(&home).map_err(unusable)?;
    Path::new(&home).canonicalize().map_err(unusable)
}
