//! `accord agents push`.

use std::path::PathBuf;

use accord_api::AgentView;
use serde_json::json;

use crate::connection::{self, Access, ConnectionArguments};
use crate::exit::Exit;
use crate::failure::{Failure, Problem};
use crate::meter::meter;
use crate::view::agent;
use crate::{definitions, output, runtime};

/// The possible files of an agent's folder.
const AGENT_FILES: [&str; 3] = ["agent.yaml", "agent.yml", "agent.json"];

/// Upload the agents of a folder to a coordinator
#[derive(Debug, clap::Args)]
#[command(after_help = "\
All files are validated first; if one is invalid, nothing is sent. Existing agents of the same name
are replaced, others are left unchanged. If no coordinator runs for this project, the agents are
saved in its database. An agent that the coordinator reads from a file is not replaced: exit code 1.

Examples:
  accord agents push agents/ --coordinator https://accord.example --key-file admin.key
  accord agents push . --json | jq -r '.agents[] | select(.change != \"unchanged\").name'")]
pub(crate) struct Arguments {
    /// Folder of agents, or a project folder (with .accord in it)
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    connection: ConnectionArguments,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    let folder = definitions::folder_in::<AgentView>(&arguments.folder);
    if AGENT_FILES.iter().any(|name| folder.join(name).is_file()) {
        let message = format!("{} is the folder of a single agent", folder.display());
        return Err(Problem::new(message)
            .hint("pass its parent folder, which contains the agent folders")
            .into());
    }
    let agents = definitions::relative(accord_blueprint::agents_in(&folder, &[], &meter()));
    if agents.is_empty() {
        let message = format!("no agents found in {}", folder.display());
        return Err(Problem::new(message).hint("pass the folder that contains the agent folders").into());
    }
    let broken: Vec<&AgentView> = agents.iter().filter(|agent| !agent.summary.valid).collect();
    if !broken.is_empty() {
        let problems: String = broken.iter().map(|agent| agent::problems(&agent.summary.problems)).collect();
        output::message(&problems);
        let message = format!("{} of {} agents are invalid; nothing was sent", broken.len(), agents.len());
        return Err(Problem::new(message).hint("fix the errors above and push again").into());
    }
    // The files of this project are what is pushed, so they must not get in the way.
    let config = arguments.connection.config(Vec::new())?.without_agents();
    runtime::block_on(async {
        let client = connection::reach(&config, Access::Change).await?;
        let mut pushed = Vec::new();
        for agent in &agents {
            let agent = definitions::push(&client, agent).await?;
            agent.show(arguments.json)?;
            pushed.push(agent);
        }
        if arguments.json {
            output::json(&json!({"agents": pushed}))?;
        }
        definitions::not_saved(&pushed).map_or(Ok(Exit::Success), |problem| Err(problem.into()))
    })
}
