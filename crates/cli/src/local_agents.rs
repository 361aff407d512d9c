//! Agents of a folder, examined without a coordinator.

use std::path::{Path, PathBuf};

use accord_api::{AgentSummary, AgentView};

use crate::config::{Config, FOLDER};
use crate::failure::Problem;

/// Every agent of a project with its verdict, by name: where the project's settings name a provider, it is known.
pub(crate) fn agents_of(config: &Config) -> Vec<AgentView> {
    examined(&config.agents_dir(), &config.provider_names())
}

/// Every agent of a folder with its problems, by name. A missing folder has none.
pub(crate) fn agents_in(folder: &Path) -> Vec<AgentView> {
    examined(folder, &[])
}

/// The agents of a folder, with paths relative to the current folder.
fn examined(folder: &Path, providers: &[String]) -> Vec<AgentView> {
    let mut agents = accord_blueprint::agents_in(folder, providers);
    for agent in &mut agents {
        seen_from_here(&mut agent.file, &mut agent.summary.problems);
    }
    agents
}

/// Makes the paths of a definition and of its problems relative to the current folder.
pub(crate) fn seen_from_here(file: &mut Option<String>, problems: &mut [accord_api::Problem]) {
    let Ok(here) = std::env::current_dir() else { return };
    for file in std::iter::once(file).chain(problems.iter_mut().map(|problem| &mut problem.file)) {
        let inside = file.as_deref().and_then(|file| Path::new(file).strip_prefix(&here).ok());
        if let Some(inside) = inside.map(|path| path.display().to_string()) {
            *file = Some(inside);
        }
    }
}

/// The summaries of agents.
pub(crate) fn summaries(agents: &[AgentView]) -> Vec<AgentSummary> {
    agents.iter().map(|agent| agent.summary.clone()).collect()
}

/// The agent that a path names: its file, or its folder.
pub(crate) fn agent_at(path: &Path, config: &Config) -> Result<AgentView, Problem> {
    let unreadable = |error: std::io::Error| {
        Problem::new(format!("cannot read {}: {error}", path.display()))
            .hint("pass the name of an agent, its folder, or its agent.yaml")
    };
    let real = path.canonicalize().map_err(unreadable)?;
    let folder = if real.is_dir() { real.as_path() } else { real.parent().unwrap_or(&real) };
    let name = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let beside = |folder: &Path| examined(folder, &config.provider_names());
    let agents = folder.parent().map(beside).unwrap_or_default();
    agents.into_iter().find(|agent| agent.summary.name == name).ok_or_else(|| {
        Problem::new(format!("no agent found in {}", folder.display()))
            .hint("an agent is a folder with an agent.yaml (or agent.json)")
    })
}

/// The folder of agents that a folder is or holds.
pub(crate) fn agents_dir(folder: &Path) -> PathBuf {
    let inside = folder.join(FOLDER).join("agents");
    if inside.is_dir() { inside } else { folder.to_owned() }
}
