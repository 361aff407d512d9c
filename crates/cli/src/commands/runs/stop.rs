//! `accord runs stop`.

use accord_api::{FinishedRun, RunId};

use crate::connection::{Access, ConnectionArguments};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::for_each::{each, show_status};
use crate::view::Tone;
use crate::{id_prefix, runtime};

/// Stop runs; finished runs are left unchanged
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Pending runs stop immediately; running ones stay 'stopping' until their runner confirms. If no
coordinator runs for the project, runs are stopped in the database. If a run cannot be stopped, the
others still are; the exit code is that of the first failure.

Examples:
  accord runs stop run_…
  accord runs list --status running --json | jq -r '.items[].run_id' | xargs -r accord runs stop")]
pub(crate) struct Arguments {
    /// Run ids, or unique prefixes of them
    #[arg(value_name = "RUN", required = true)]
    runs: Vec<RunId>,
    /// Print one JSON object per line; failures have an "error" field
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    connection: ConnectionArguments,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    runtime::block_on(async {
        let client = arguments.connection.reach(Access::Look).await?;
        let stop = async |id: &RunId| -> Result<FinishedRun, Failure> {
            let run = id_prefix::run(&client, id).await?;
            Ok(client.stop_run(&run.run_id).await?)
        };
        let show = |stopped: &FinishedRun| {
            let status = Tone::from(stopped.status).paint(stopped.status.as_str()).to_string();
            show_status(&stopped.run_id, &status, stopped, arguments.json)
        };
        each(&arguments.runs, "run_id", arguments.json, stop, show).await
    })
}
