//! `accord agents rm`.

use crate::connection::{Access, ConnectionArguments};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::{removal, runtime};

/// Remove an agent from the database
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Removes agents that were created by `accord agents push`, the HTTP API or the dashboard. To remove
an agent that is defined in a file, delete the file. Existing runs keep their copy of the agent.

Examples:
  accord agents rm ticket-triage
  accord agents rm ticket-triage --coordinator https://accord.example --key-file admin.key")]
pub(crate) struct Arguments {
    /// Agent name
    name: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    connection: ConnectionArguments,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    let name = &arguments.name;
    runtime::block_on(async {
        let client = arguments.connection.reach(Access::Look).await?;
        let found = client.agent(name).await?;
        removal::require_stored("agent", name, found.summary.source, found.file)?;
        Ok(client.delete_agent(name).await?)
    })?;
    removal::report(name, arguments.json)
}
