//! `accord runs steps`.

use accord_api::RunId;

use crate::call::CallArguments;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::view::step;
use crate::{id_prefix, output};

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
    #[command(flatten)]
    call: CallArguments,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    let steps = arguments.call.connection.ask(async |client| {
        let run = id_prefix::run(client, &arguments.run).await?;
        Ok(client.steps(&run.run_id).await?)
    })?;
    if arguments.call.json {
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
