//! `accord schemas show`.

use crate::connection::{Access, ConnectionArguments};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::view::text;
use crate::{output, runtime};

/// Print a registered schema
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  accord schemas show task > task.schema.json
  accord schemas show task --json | jq -r .hash")]
pub(crate) struct Arguments {
    /// Schema name
    name: String,
    /// Print JSON with all metadata
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    connection: ConnectionArguments,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    let schema = runtime::block_on(async {
        let client = arguments.connection.reach(Access::Look).await?;
        Ok(client.schema(&arguments.name).await?)
    })?;
    if arguments.json {
        output::json(&schema)?;
    } else if output::stdout_is_terminal() {
        output::show(&format!("{}\n", text::json(&schema.schema)))?;
    } else {
        output::pretty_json(&schema.schema)?;
    }
    Ok(Exit::Success)
}
