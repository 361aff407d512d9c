//! `accord runs attempts`.

use accord_api::RunId;

use crate::connection::{Access, ConnectionArguments};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::view::attempt::{self, Said};
use crate::{beginning, output, runtime};

/// Show every answer of a run: verdict, errors with their places, repairs, tokens, time
#[derive(Debug, clap::Args)]
#[command(after_help = "\
What a model wrote is shown with its control characters made visible; --json has it as it was.

Examples:
  accord runs attempts run_…
  accord runs attempts run_… --text
  accord runs attempts run_… --json | jq -r '.items[0].text'")]
pub(crate) struct Arguments {
    /// The run's id, or a beginning that no other has
    run: RunId,
    /// Also what was answered, and with what it was asked again
    #[arg(long)]
    text: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    connection: ConnectionArguments,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    let attempts = runtime::block_on(async {
        let client = arguments.connection.reach(Access::Look).await?;
        let run = beginning::run(&client, &arguments.run).await?;
        Ok(client.attempts(&run.run_id).await?)
    })?;
    if arguments.json {
        output::json(&attempts)?;
    } else if attempts.items.is_empty() {
        output::talk("no answer was judged: the run has no contract, or none yet\n");
    } else {
        let said = if arguments.text { Said::Shown } else { Said::Hidden };
        output::show(&attempt::list(&attempts.items, said))?;
    }
    Ok(Exit::Success)
}
