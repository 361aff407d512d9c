//! `accord runs attempts`.

use accord_api::RunId;

use crate::connection::{Access, ConnectionArguments};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::view::attempt::{self, AnswerText};
use crate::{id_prefix, output, runtime};

/// Show every attempt of a run: outcome, errors, repairs, tokens, time
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Control characters in model output are escaped; --json prints it unchanged.

Examples:
  accord runs attempts run_…
  accord runs attempts run_… --text
  accord runs attempts run_… --json | jq -r '.items[0].text'")]
pub(crate) struct Arguments {
    /// Run id, or a unique prefix of it
    run: RunId,
    /// Also show each prompt and answer
    #[arg(long)]
    text: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    connection: ConnectionArguments,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    let attempts = runtime::block_on(async {
        let client = arguments.connection.reach(Access::Look).await?;
        let run = id_prefix::run(&client, &arguments.run).await?;
        Ok(client.attempts(&run.run_id).await?)
    })?;
    if arguments.json {
        output::json(&attempts)?;
    } else if attempts.items.is_empty() {
        output::message("No attempts found: the run has no output schema, or has no answer yet.\n");
    } else {
        let said = if arguments.text { AnswerText::Shown } else { AnswerText::Hidden };
        output::show(&attempt::list(&attempts.items, said))?;
    }
    Ok(Exit::Success)
}
