//! The environment of a session, and how its processes are started.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tokio::process::Command;

use crate::child::holds_secret;
use crate::session::OpenError;

use super::super::{PermissionRequest, SessionContext, SubmissionInbox, endpoint};
use super::approvals::{self, Started};
use super::arguments::{OwnArguments, Provider};
use super::servers;

/// The lowering profile of the provider behind it.
pub(super) const PROFILE: &str = "openai";

/// What stays the same for a session.
pub(super) struct Launcher {
    pub(super) context: SessionContext,
    pub(super) home: PathBuf,
    pub(super) own: OwnArguments,
}

impl Launcher {
    pub(super) fn endpoint(&self) -> String {
        endpoint("codex", self.provider().map(|provider| provider.base_url).as_deref())
    }

    /// The provider that the usual variables name. A key of the runner goes to the runner's address, and not to one that
    /// a blueprint names.
    fn provider(&self) -> Option<Provider> {
        let SessionContext { host, settings, .. } = &self.context;
        let own = |name: &str| settings.env.get(name).filter(|value| !value.is_empty()).cloned();
        let inherited = |name: &str| {
            let value = host.get(name).map(|value| value.to_string_lossy().into_owned());
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

    /// Whether the provider's URL can be passed to Codex: it is an argument, which all users of the machine can read.
    pub(super) fn check(&self) -> Result<(), OpenError> {
        match self.provider().is_some_and(|provider| holds_secret(&provider.base_url)) {
            true => Err(OpenError::Settings(
                "OPENAI_BASE_URL contains a login or a key, and Codex receives the URL as an argument, which other users of the machine can read: put the key into OPENAI_API_KEY and the URL without it into OPENAI_BASE_URL"
                    .to_owned(),
            )),
            false => Ok(()),
        }
    }

    /// The configuration of the MCP servers of a thread.
    pub(super) fn servers(&self, inbox: Option<&SubmissionInbox>) -> Value {
        let desk = &self.context.desk;
        servers::inline(self.context.servers(inbox), |server| approvals::holds_back(desk, server))
    }

    /// What Codex asks for, if a person may have to decide about it.
    pub(super) fn permission_request(
        &self,
        method: &str,
        params: &Value,
        started: &Started,
    ) -> Option<PermissionRequest> {
        if !self.context.desk.is_open() {
            return None;
        }
        approvals::request(method, params, started, &self.context.servers, self.own.has_sandbox())
    }

    /// A command of Codex, with the arguments that all of them have.
    pub(super) fn command(&self, words: &[&str]) -> Command {
        let mut command = self.context.command(&[]);
        command.args(words).args(self.own.list(self.provider().as_ref())).env("CODEX_HOME", &self.home);
        command
    }
}

/// The folder where Codex keeps its login and its threads: the user's own, unless a variable names another. It is
/// created, because Codex refuses to start without it.
pub(super) fn home(context: &SessionContext) -> Result<PathBuf, OpenError> {
    let SessionContext { host, settings, .. } = context;
    let variable = |name: &str| {
        let own = settings.env.get(name).map(PathBuf::from);
        own.or_else(|| host.get(name).map(PathBuf::from)).filter(|path| !path.as_os_str().is_empty())
    };
    let home =
        variable("CODEX_HOME").or_else(|| Some(variable("HOME")?.join(".codex"))).ok_or_else(|| {
            OpenError::Missing("Codex needs a home folder: set HOME or CODEX_HOME for the runner".to_owned())
        })?;
    let unusable = |error: std::io::Error| {
        OpenError::Missing(format!("Codex's home {} cannot be used: {error}", home.display()))
    };
    fs::create_dir_all(&home).map_err(unusable)?;
    Path::new(&home).canonicalize().map_err(unusable)
}
