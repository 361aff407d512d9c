//! `accord agents rm`.

use crate::connection::{Access, ConnectionArguments};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::{removed, runtime};

/// Take an agent out of the store
#[derive(Debug, clap::Args)]
#[command(after_help = "\
For agents that accord agents push, the HTTP API or the dashboard has put there. One that lives in a
file is refused: its file is yours to remove. Runs that were made with it keep their copy.

Examples:
  accord agents rm ticket-triage
  accord agents rm ticket-triage --coordinator https://accord.example --key-file admin.key")]
pub(crate) struct Arguments {
    /// Its name
    name: String,
    /// Print one JSON object
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
        removed::is_stored("agent", name, found.summary.source, found.file)?;
        Ok(client.delete_agent(name).await?)
    })?;
    removed::tell(name, arguments.json)
}
