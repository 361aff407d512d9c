//! The environment of a session of any CLI: its folder, variables and temporary files.

use std::future::Future;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use tokio::process::Command;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::answer::{Answer, Usage};
use crate::cassette::Redactor;
use crate::child::Live;
use crate::mcp_server::McpServer;
use crate::program;
use crate::session::{Capabilities, OpenError, Tool, TurnError, TurnFailure};
use crate::start::Start;
use crate::turn::{Delivery, Turn};

use super::lines::LONGEST_LINE;
use super::{Host, PermissionDesk, Scratch, Settings, SubmissionInbox, SubmitServer};

/// What stays the same for a session.
pub(crate) struct SessionContext {
    pub(crate) host: Host,
    submit: SubmitServer,
    executable: PathBuf,
    pub(crate) folder: PathBuf,
    scratch: Scratch,
    pub(crate) settings: Settings,
    pub(crate) servers: Vec<McpServer>,
    pub(crate) redactor: Redactor,
    pub(crate) max_steps: u32,
    pub(crate) desk: PermissionDesk,
}

impl SessionContext {
    pub(crate) fn open(
        host: &Host,
        submit: &SubmitServer,
        settings: Settings,
        desk: PermissionDesk,
        start: Start,
    ) -> Result<Self, OpenError> {
        let Start { project_dir, mcp_servers: servers, max_steps, .. } = start;
        let folder = project_dir.canonicalize().map_err(|error| {
            let folder = project_dir.display();
            OpenError::Missing(format!("the project folder {folder} cannot be used: {error}"))
        })?;
        let executable = host.find(&settings, &folder)?;
        let scratch = Scratch::new()
            .map_err(|error| OpenError::Missing(format!("a temporary folder cannot be created: {error}")))?;
        let redactor = host.redactor(&settings, &servers);
        let (host, submit) = (host.clone(), submit.clone());
        Ok(Self { host, submit, executable, folder, scratch, settings, servers, redactor, max_steps, desk })
    }

    /// What a CLI can do: it supports schemas, and tools whose schema is not enforced.
    pub(crate) fn capabilities(&self, endpoint: String, profile: &str) -> Capabilities {
        Capabilities {
            endpoint,
            model: self.settings.model.clone().unwrap_or_else(|| "default".to_owned()),
            native: Some(profile.to_owned()),
            tool: Some(Tool { profile: profile.to_owned(), strict: false, force: false }),
            json_mode: false,
            native_beside_tools: true,
            reprompt: true,
            max_tokens: None,
            takes_ceiling: false,
            repeats: false,
            records_steps: false,
            takes_pdfs: true,
        }
    }

    /// The model of a turn, if the turn or the settings name one.
    pub(crate) fn model<'a>(&'a self, turn: &'a Turn) -> Option<&'a str> {
        turn.model.as_deref().or(self.settings.model.as_deref())
    }

    /// The CLI, to be started, without these of the runner's variables.
    pub(crate) fn command(&self, unset: &[&str]) -> Command {
        self.host.command(&self.executable, &self.settings, &self.folder, unset)
    }

    pub(crate) async fn spawn(&self, command: Command) -> io::Result<Live> {
        Live::spawn(command, LONGEST_LINE).await
    }

    /// That it could not be started, and why.
    pub(crate) fn not_started(&self, error: &io::Error) -> String {
        let (title, executable) = (self.host.title(), self.executable.display());
        format!("{title} ({executable}) could not be started: {}", program::cause(error))
    }

    /// The submit tool, where the answer is to be delivered by it.
    pub(crate) fn inbox(&self, delivery: &Delivery) -> Result<Option<SubmissionInbox>, TurnError> {
        let Delivery::Tool { schema, description, .. } = delivery else { return Ok(None) };
        self.submit.open(&self.scratch, schema, description).map(Some).map_err(not_written)
    }

    /// All servers, the submit tool among them.
    pub(crate) fn servers<'a>(
        &'a self,
        inbox: Option<&'a SubmissionInbox>,
    ) -> impl Iterator<Item = &'a McpServer> {
        self.servers.iter().chain(inbox.map(|inbox| &inbox.server))
    }

    pub(crate) fn write(&self, name: &str, content: &str) -> Result<PathBuf, TurnError> {
        self.scratch.write(name, content).map_err(not_written)
    }

    /// How a turn ended, with what it used and without secrets.
    pub(crate) fn settled(
        &self,
        asked: Result<Answer, TurnError>,
        usage: Usage,
    ) -> Result<Answer, TurnFailure> {
        match asked {
            Ok(answer) => Ok(Answer { usage, ..answer }),
            Err(error) => Err(TurnFailure { error: self.redactor.error(error), usage }),
        }
    }
}

fn not_written(error: io::Error) -> TurnError {
    TurnError::Failed(format!("a temporary file cannot be written: {error}"))
}

/// Waits for an answer until the time is over or it is stopped.
pub(crate) async fn bounded(
    seconds: u64,
    cancel: &CancellationToken,
    asked: impl Future<Output = Result<Answer, TurnError>>,
) -> Result<Answer, TurnError> {
    tokio::select! {
        biased;
        () = cancel.cancelled() => Err(TurnError::Stopped),
        asked = timeout(Duration::from_secs(seconds), asked) => {
            asked.unwrap_or(Err(TurnError::TimedOut(seconds)))
        }
    }
}

/// The endpoint without secrets: the CLI, and the configured address. The part before an @ is a secret, and the query may
/// be one.
pub(crate) fn endpoint(name: &str, address: Option<&str>) -> String {
    let address = address.unwrap_or_default().split(['?', '#']).next().unwrap_or_default();
    let address = address.split_once("://").map_or(address, |(_, rest)| rest);
    let address = address.rsplit('@').next().unwrap_or_default();
    match address.trim_end_matches('/') {
        "" => name.to_owned(),
        address => format!("{name} {address}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_endpoint_is_shown_without_secrets() {
        for (address, expected) in [
            (None, "codex"),
            (Some(""), "codex"),
            (Some("https://h/v1/"), "codex h/v1"),
            (Some("http://u:p@h:80/v1?key=k#f"), "codex h:80/v1"),
            (Some("h"), "codex h"),
        ] {
            assert_eq!(endpoint("codex", address), expected);
        }
    }
}
