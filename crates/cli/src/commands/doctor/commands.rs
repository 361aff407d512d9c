//! What commands of agents reach.

use accord_api::AgentView;

use crate::config::Config;
use crate::connection;
use crate::host::{self, Opening};

use super::check::Check;

const NAME: &str = "commands";

pub(super) fn check(config: &Config) -> Check {
    let folders = &config.values.runner.command_folders;
    match host::tools(config).check_commands() {
        Err(error) => {
            Check::warn(NAME, error.to_string(), "agents that use run_command fail until this is fixed")
        }
        Ok(()) if folders.iter().any(|folder| folder == "/") => {
            Check::ok(NAME, "run_command can reach every file that its user can (runner.command_folders)")
        }
        Ok(()) if folders.is_empty() => Check::ok(NAME, "run_command is confined to the project folder"),
        Ok(()) => {
            let folders = folders.join(", ");
            Check::ok(NAME, format!("run_command is confined to the project folder, {folders}"))
        }
    }
}

pub(super) async fn openings(config: &Config, agents: &[AgentView]) -> Vec<Check> {
    let coordinator = connection::running(config).await.ok().flatten();
    let found = host::openings(config, agents, coordinator.as_ref()).await;
    found.into_iter().map(|Opening { message, remedy }| Check::warn(NAME, message, remedy)).collect()
}
