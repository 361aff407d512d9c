//! `accord runs stop`.

use accord_api::RunId;

use crate::connection::ConnectionArguments;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::view::Tone;
use crate::{output, runtime};

/// Stop runs; those that are over stay as they are
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A run that waits stops at once; one at work is told to, and is 'stopping' until its runner has.

Examples:
  accord runs stop run_…
  accord runs list --status running --json | jq -r '.items[].run_id' | xargs accord runs stop")]
pub(crate) struct Arguments {
    /// The runs
    #[arg(value_name = "RUN", required = true)]
    runs: Vec<RunId>,
    /// Print a line of JSON for each
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    connection: ConnectionArguments,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    runtime::block_on(async {
        let client = arguments.connection.client().await?;
        for run in &arguments.runs {
            let stopped = client.stop_run(run).await?;
            if arguments.json {
                output::json(&stopped)?;
            } else {
                let status = Tone::from(stopped.status).paint(stopped.status.as_str());
                output::show(&format!("{}  {status}\n", stopped.run_id))?;
            }
        }
        Ok(Exit::Success)
    })
}
