//! What a CLI finds around it: its variables, and what of them must not be shown.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::process::Command;

use crate::cassette::Redactor;
use crate::child::{self, Variables};
use crate::mcp_server::{McpServer, Reach};
use crate::session::OpenError;

use super::{Program, Settings};

/// The variables of a runner, without Accord's own.
#[derive(Clone)]
pub(crate) struct Host {
    program: &'static Program,
    variables: Arc<Variables>,
    /// The executable that Accord's own variable names.
    named: Option<OsString>,
}

impl Host {
    pub(crate) fn new(program: &'static Program, variables: impl Into<Variables>) -> Self {
        let all = variables.into();
        let named = all.get(program.variable).map(OsStr::to_owned);
        Self { program, variables: Arc::new(all.without_own()), named }
    }

    pub(crate) fn title(&self) -> &'static str {
        self.program.title
    }

    pub(crate) fn find(&self, settings: &Settings, folder: &Path) -> Result<PathBuf, OpenError> {
        let variable = |name: &str| {
            if name == self.program.variable {
                return self.named.clone();
            }
            let own = settings.env.get(name).map(OsString::from);
            own.or_else(|| self.get(name).map(OsStr::to_owned))
        };
        let found = self.program.find(settings.command.as_deref(), folder, variable);
        found.map_err(|error| OpenError::Missing(error.to_string()))
    }

    /// A command in a folder, with the variables of the runner and above them those of the blueprint. Of the former, keys
    /// of others and `unset` are left out.
    pub(crate) fn command(
        &self,
        executable: &Path,
        settings: &Settings,
        folder: &Path,
        unset: &[&str],
    ) -> Command {
        let mut command = Command::new(executable);
        let is_foreign = |name: &OsStr| self.program.is_foreign(name, self.variables.is_key(name));
        let is_kept = |name: &OsStr| !is_foreign(name) && !unset.iter().any(|unset| name == *unset);
        let kept = self.variables.iter().filter(|(name, _)| is_kept(name));
        command.current_dir(folder).env_clear().envs(kept);
        child::trace(&mut command);
        command.envs(&settings.env);
        command
    }

    /// What takes secrets out of texts: variables that are secret by name, and all that MCP servers are handed.
    pub(crate) fn redactor(&self, settings: &Settings, servers: &[McpServer]) -> Redactor {
        let inherited = self.variables.secrets().map(str::to_owned);
        let handed = servers.iter().flat_map(|server| match &server.reach {
            Reach::Program { env, .. } => self.secrets(env),
            Reach::Address { headers, .. } | Reach::Coordinator { headers, .. } => {
                headers.values().cloned().collect()
            }
        });
        Redactor::new(inherited.chain(self.secrets(&settings.env)).chain(handed))
    }

    pub(crate) fn get(&self, name: &str) -> Option<&OsStr> {
        self.variables.get(name)
    }

    /// Whether a variable is a secret by its name.
    pub(crate) fn is_secret(&self, name: &str) -> bool {
        self.variables.is_secret(name)
    }

    fn secrets(&self, variables: &BTreeMap<String, String>) -> Vec<String> {
        variables.iter().filter(|(name, _)| self.is_secret(name)).map(|(_, value)| value.clone()).collect()
    }
}
