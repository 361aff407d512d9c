//! `accord runs steps`.

use accord_api::RunId;

use crate::connection::{Access, ConnectionArguments};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::view::step;
use crate::{id_prefix, output, runtime};

/// List the steps of a run: model answers, tool results, verdicts
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A run can be continued from each of its steps with `accord runs fork`. Texts are shortened to the
terminal, and control characters are escaped; --json prints everything unchanged.

Examples:
  accord runs steps run_…
  accord runs steps run_… --json | jq '.items[] | select(.body.type == \"tool_result\")'")]
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
    let steps = runtime::block_on(async {
        let client = arguments.connection.reach(Access::Look).await?;
        let run = id_prefix::run(&client, &arguments.run).await?;
        Ok(client.steps(&run.run_id).await?)
    })?;
    if arguments.json {
        output::json(&steps)?;
    } else if steps.items.is_empty() {
        output::message(
            "No steps found: the run has not done anything yet, or its steps are not recorded.\n",
        );
    } else {
        output::show(&step::list(&steps.items))?;
    }
    Ok(Exit::Success)
}
