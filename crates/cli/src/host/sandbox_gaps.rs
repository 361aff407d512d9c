//! Gaps through which sandboxed commands of agents could reach more than the project.
//!
//! The kernel confines commands of `run_command` to the project folder. But an admin of the coordinator is not confined
//! by that: an agent that it creates runs any program. And everybody is an admin who reaches a coordinator
//! without keys, or can write to the database that holds them.

use std::path::{Path, PathBuf};
use std::time::Duration;

use accord_api::AgentView;
use accord_client::Client;
use tokio::time::timeout;

use super::{executors, runner};
use crate::config::Config;
use crate::meter::meter;
use crate::store::{self, DatabaseLocation};

/// How long to wait for a coordinator: nothing else depends on its response.
const PATIENCE: Duration = Duration::from_secs(2);

/// One gap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Opening {
    /// What is accessible, and to which agents.
    pub(crate) message: String,
    /// How to close it.
    pub(crate) remedy: &'static str,
}

/// The ways that are open to these agents here, where this coordinator runs.
pub(crate) async fn openings(
    config: &Config,
    agents: &[AgentView],
    coordinator: Option<&Client>,
) -> Vec<Opening> {
    let folders = executors::command_folders(config);
    let confined = |agent: &&AgentView| lists_commands(agent);
    let Some(agent) = agents.iter().find(confined) else { return Vec::new() };
    let name = &agent.summary.name;
    // Without a sandbox there are no gaps in it.
    if folders.iter().any(|folder| folder == Path::new("/")) {
        return Vec::new();
    }
    let mut found = Vec::new();
    if is_open(coordinator).await {
        found.push(Opening {
            message: format!(
                "commands of agent '{name}' (run_command) could create agents with full access to the runner's user account: the \
                 coordinator has no keys, so anyone on this machine can control it"
            ),
            remedy: "create a key with `accord keys create --role admin --name me`",
        });
    }
    if let Some(database) = database_within(config, folders) {
        found.push(Opening {
            message: format!(
                "commands of agent '{name}' (run_command) can change the database, including keys and results: {} is in a folder \
                 that they can write to",
                database.display()
            ),
            remedy: "move it: set database.url to sqlite:///FOLDER/accord.db, or runner.project_dir to a folder without \
                     .accord",
        });
    }
    found
}

/// Says so in the log, at the start of a runner. That does not wait for it: to read thousands of agents takes seconds.
pub(crate) fn tell_of_openings(config: &Config, coordinator: Client) {
    let config = config.clone();
    tokio::spawn(async move {
        let (folder, providers) = (config.agents_dir(), config.provider_names());
        let read =
            tokio::task::spawn_blocking(move || accord_blueprint::agents_in(&folder, &providers, &meter()));
        let Ok(agents) = read.await else { return };
        for Opening { message, remedy } in openings(&config, &agents, Some(&coordinator)).await {
            tracing::warn!("{message}; {remedy}");
        }
    });
}

/// Whether an agent has sandboxed commands.
fn lists_commands(agent: &AgentView) -> bool {
    let tools = agent.blueprint.get("tools").and_then(|tools| tools.as_array());
    agent.summary.executor_type == "llm"
        && tools.is_some_and(|tools| tools.iter().any(|tool| tool == "run_command"))
}

/// Whether a coordinator lets in everybody. One that does not tell needs a key.
async fn is_open(coordinator: Option<&Client>) -> bool {
    let Some(coordinator) = coordinator else { return false };
    let told = timeout(PATIENCE, coordinator.config()).await;
    told.is_ok_and(|told| told.is_ok_and(|config| !config.auth))
}

/// The SQLite file, where it is and commands may write it.
fn database_within(config: &Config, folders: Vec<PathBuf>) -> Option<PathBuf> {
    let Ok(DatabaseLocation::File(path)) = store::place(config) else { return None };
    let path = path.canonicalize().ok()?;
    let project = runner::folder(config).ok();
    let mut folders = folders.into_iter().filter_map(|folder| folder.canonicalize().ok()).chain(project);
    folders.any(|folder| path.starts_with(folder)).then_some(path)
}
