//! Configuration: a file, then the environment, then flags; and where each value came from.
//!
//! `accord.toml`, or `.accord/config.toml`, in the project's folder; then `ACCORD_SECTION__KEY`;
//! then flags. Unknown settings are errors that list the known ones. Secrets are named by the
//! variable that holds them.

mod environment;
mod file;
mod key;
mod origin;
mod ranges;
mod secrets;
mod values;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use accord_api::agent::TIER;

pub(crate) use origin::Origin;
pub(crate) use secrets::without_secrets;
pub(crate) use values::{LogFormat, Provider, Retry, Values};

use crate::failure::Problem;

/// The folder inside a project that is ours.
pub(crate) const FOLDER: &str = ".accord";

/// A project's settings, next to that folder.
pub(crate) const FILE: &str = "accord.toml";

/// The same, inside of it. A project has one of them.
pub(crate) const FILE_INSIDE: &str = "config.toml";

/// The effective configuration.
#[derive(Debug, Clone)]
pub(crate) struct Config {
    /// The folder that holds `.accord`.
    pub(crate) project: PathBuf,
    pub(crate) values: Values,
    /// Where those came from that are not defaults, by dotted key.
    origins: origin::Origins,
    /// Whether agents are read from files.
    file_agents: bool,
}

/// A value given as a flag: its dotted key, its name on the command line, and the value.
pub(crate) struct Flag {
    pub(crate) key: &'static str,
    pub(crate) name: &'static str,
    pub(crate) value: toml::Value,
}

impl Config {
    /// Reads the configuration of a project.
    pub(crate) fn load(project: &Path, flags: Vec<Flag>) -> Result<Self, Problem> {
        Self::layer(project, flags, std::env::vars_os())
    }

    fn layer(
        project: &Path,
        flags: Vec<Flag>,
        environment: impl Iterator<Item = (std::ffi::OsString, std::ffi::OsString)>,
    ) -> Result<Self, Problem> {
        let mut layers = origin::Layers::default();
        file::read(project, &mut layers)?;
        environment::read(environment, &mut layers)?;
        for flag in flags {
            layers.set(flag.key, flag.value, Origin::Flag(flag.name));
        }
        let (values, origins) = layers.finish()?;
        ranges::check(&values, &origins)?;
        Ok(Self { project: project.to_owned(), values, origins, file_agents: true })
    }

    /// Every value in force with its key and where it came from; secrets hidden.
    pub(crate) fn explain(&self) -> Vec<(String, String, Origin)> {
        self.origins.explain(&self.values)
    }

    /// The files that hold a key or a password.
    pub(crate) fn files_with_secrets(&self) -> BTreeSet<PathBuf> {
        let hidden = self.explain().into_iter().filter(|(_, shown, _)| shown.contains(secrets::HIDDEN));
        let files = hidden.filter_map(|(_, _, origin)| match origin {
            Origin::File(name) => Some(PathBuf::from(name)),
            Origin::Default | Origin::Variable(_) | Origin::Flag(_) => None,
        });
        files.collect()
    }

    /// Where a value came from.
    pub(crate) fn origin(&self, key: &str) -> Origin {
        self.origins.of(key)
    }

    /// A path in the settings: `~/` is the home folder, and relative paths are relative to the project.
    pub(crate) fn path(&self, text: &str) -> PathBuf {
        path(text, &self.project, std::env::home_dir().as_deref())
    }

    /// The folder with agents.
    pub(crate) fn agents_dir(&self) -> PathBuf {
        self.project.join(FOLDER).join("agents")
    }

    /// The names of the providers that are configured, and the tiers as `tier:NAME`.
    pub(crate) fn provider_names(&self) -> Vec<String> {
        let tiers = self.values.tiers.keys().map(|name| format!("{TIER}:{name}"));
        self.values.providers.keys().cloned().chain(tiers).collect()
    }

    /// The folder with workflows.
    pub(crate) fn workflows_dir(&self) -> PathBuf {
        self.project.join(FOLDER).join("workflows")
    }

    /// The same folder, where files are looked at.
    pub(crate) fn file_workflows(&self) -> Option<PathBuf> {
        self.file_agents.then(|| self.workflows_dir())
    }

    /// The same folder, where files are looked at.
    pub(crate) fn file_agents(&self) -> Option<PathBuf> {
        self.file_agents.then(|| self.agents_dir())
    }

    /// The same configuration, with agents from the store alone.
    pub(crate) fn without_agents(&self) -> Self {
        Self { file_agents: false, ..self.clone() }
    }

    /// What of the configuration decides how answers are judged, and nothing that could reach anybody: no providers, no
    /// servers, no folders.
    pub(crate) fn offline(&self) -> Self {
        let values = Values { enforcement: self.values.enforcement, ..Values::default() };
        Self { values, ..self.without_agents() }
    }
}

fn path(text: &str, project: &Path, home: Option<&Path>) -> PathBuf {
    let below_home = if text == "~" { Some("") } else { text.strip_prefix("~/") };
    match (below_home, home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => project.join(text),
    }
}

#[cfg(test)]
mod tests;
