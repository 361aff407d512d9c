//! `accord runs show`.

use accord_api::RunId;

use crate::connection::{Access, ConnectionArguments};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::view::run;
use crate::view::text::Times;
use crate::{id_prefix, output, runtime};

/// Show a run: parameters, contract, result or error
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  accord runs show run_…
  accord runs show run_… --json | jq .result.result_data")]
pub(crate) struct Arguments {
    /// Run id, or a unique prefix of it
    run: RunId,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    connection: ConnectionArguments,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    let run = runtime::block_on(async {
        let client = arguments.connection.reach(Access::Look).await?;
        id_prefix::run(&client, &arguments.run).await
    })?;
    if arguments.json {
        output::json(&run)?;
    } else {
        output::show(&run::view(&run, &Times::here()))?;
    }
    Ok(Exit::Success)
}
