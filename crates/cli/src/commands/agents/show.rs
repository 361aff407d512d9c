//! `accord agents show`.

use accord_api::AgentView;

use crate::call::CallArguments;
use crate::connection;
use crate::exit::Exit;
use crate::failure::{Failure, Problem};
use crate::view::agent;
use crate::view::text::Times;
use crate::{definitions, project, runtime};

/// Show an agent: status, schemas, where it is defined
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Asks the coordinator that runs for this project; if none runs, reads the files of the project.
--contract shows the input and output schemas and what each provider supports of them.

Examples:
  accord agents show ticket-triage
  accord agents show ticket-triage --contract
  accord agents show ticket-triage --json | jq .blueprint.output_schema")]
pub(crate) struct Arguments {
    /// Agent name
    #[arg(add = crate::candidates::agents())]
    name: String,
    /// Show its schemas and what each provider supports of them
    #[arg(long)]
    contract: bool,
    #[command(flatten)]
    call: CallArguments,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    if arguments.contract {
        return show_contract(arguments);
    }
    let config = arguments.call.connection.config(Vec::new())?;
    let agent: AgentView = runtime::block_on(async {
        match connection::running(&config).await? {
            Some(client) => Ok(client.agent(&arguments.name).await?),
            None => {
                if let Some(problem) = project::missing(&config.project) {
                    return Err(problem.into());
                }
                let agents = definitions::of_project::<AgentView>(&config);
                let found = agents.into_iter().find(|agent| agent.summary.name == arguments.name);
                found.ok_or_else(|| {
                    let message =
                        format!("no agent '{}' in {}", arguments.name, config.agents_dir().display());
                    Problem::new(message).hint("run `accord agents list` to see available agents").into()
                })
            }
        }
    })?;
    arguments.call.print(&agent, || agent::view(&agent, &Times::here()))
}

fn show_contract(arguments: &Arguments) -> Result<Exit, Failure> {
    let contract =
        arguments.call.connection.ask(async |client| Ok(client.agent_contract(&arguments.name).await?))?;
    arguments.call.print(&contract, || agent::contract(&contract))
}
