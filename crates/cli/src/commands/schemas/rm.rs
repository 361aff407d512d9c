//! `accord schemas rm`.

use crate::connection::{Access, ConnectionArguments};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::{removed, runtime};

/// Take a schema out of the registry
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Refused while an agent refers to it. Runs that were made with it keep their copy.

Examples:
  accord schemas rm task")]
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
    runtime::block_on(async {
        let client = arguments.connection.reach(Access::Look).await?;
        Ok(client.delete_schema(&arguments.name).await?)
    })?;
    removed::tell(&arguments.name, arguments.json)
}
