//! `accord schemas rm`.

use crate::connection::{Access, ConnectionArguments};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::{removal, runtime};

/// Remove a registered schema
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Fails if an agent refers to it. Existing runs keep their copy of the schema.

Examples:
  accord schemas rm task")]
pub(crate) struct Arguments {
    /// Schema name
    name: String,
    /// Print JSON
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
    removal::report(&arguments.name, arguments.json)
}
