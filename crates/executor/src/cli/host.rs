//! What a CLI finds around it: its variables, and what of them must not be shown.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::process::Command;

use crate::cassette::Redactor;
use crate::child::{Environment, is_secret, own_variable};
use crate::mcp_server::{McpServer, Reach};
use crate::session::OpenError;

use super::{Program, Settings};

/// The variables of a runner, as a CLI sees them: all but Accord's own.
#[derive(Clone)]
pub(crate) struct Host {
    program: &'static Program,
    environment: Arc<Environment>,
    /// The executable that Accord's own variable names.
    named: Option<OsString>,
}

impl Host {
    pub(crate) fn new(
        program: &'static Program,
        environment: impl IntoIterator<Item = (OsString, OsString)>,
    ) -> Self {
        let (own, kept): (Environment, Environment) =
            environment.into_iter().partition(|(name, _)| own_variable(name));
        let named = own.into_iter().find(|(name, _)| name == program.variable).map(|(_, value)| value);
        Self { program, environment: Arc::new(kept), named }
    }

    /// The executable, for a blueprint's settings.
    pub(crate) fn find(&self, settings: &Settings, folder: &Path) -> Result<PathBuf, OpenError> {
        let variable = |name: &str| {
            if name == self.program.variable {
                return self.named.clone();
            }
            let own = settings.env.get(name).map(OsString::from);
            own.or_else(|| self.get(name).map(OsStr::to_owned))
        };
        self.program.find(settings.command.as_deref(), folder, variable).map_err(OpenError::Missing)
    }

    /// A command in a folder, with the variables of the runner and above them those of the blueprint. `unset` are left
    /// out of the former.
    pub(crate) fn command(
        &self,
        executable: &Path,
        settings: &Settings,
        folder: &Path,
        unset: &[&str],
    ) -> Command {
        let mut command = Command::new(executable);
        let kept = self.environment.iter().filter(|(name, _)| !unset.iter().any(|unset| name == unset));
        command.current_dir(folder).env_clear().envs(kept.map(|(name, value)| (name, value)));
        command.envs(&settings.env);
        command
    }

    /// What takes secrets out of texts: variables that are secret by name, and all that MCP servers are handed.
    pub(crate) fn redactor(&self, settings: &Settings, servers: &[McpServer]) -> Redactor {
        let inherited =
            self.environment.iter().filter_map(|(name, value)| Some((name.to_str()?, value.to_str()?)));
        let own = settings.env.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let named =
            inherited.chain(own).filter(|(name, _)| is_secret(name)).map(|(_, value)| value.to_owned());
        let handed = servers.iter().flat_map(|server| match &server.reach {
            Reach::Program { env, .. } => secrets(env.iter()),
            Reach::Address { headers, .. } => headers.values().cloned().collect(),
        });
        Redactor::new(named.chain(handed))
    }

    /// A variable of the runner.
    pub(crate) fn get(&self, name: &str) -> Option<&OsStr> {
        self.environment.iter().find(|(each, _)| each == name).map(|(_, value)| value.as_os_str())
    }
}

fn secrets<'a>(variables: impl Iterator<Item = (&'a String, &'a String)>) -> Vec<String> {
    variables.filter(|(name, _)| is_secret(name)).map(|(_, value)| value.clone()).collect()
}
