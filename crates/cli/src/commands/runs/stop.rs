//! `accord runs stop`.

use std::io;

use accord_api::{FinishedRun, RunId};

use crate::connection::{Access, ConnectionArguments};
use crate::each::each;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::view::Tone;
use crate::{beginning, output, runtime};

/// Stop runs; those that are over stay as they are
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A run that waits stops at once; one at work is told to, and is 'stopping' until its runner has.
Where no coordinator runs for the project, the run is stopped in the database.
Where one cannot be stopped, the others still are; the exit code is that of the first failure.

Examples:
  accord runs stop run_…
  accord runs list --status running --json | jq -r '.items[].run_id' | xargs -r accord runs stop")]
pub(crate) struct Arguments {
    /// Their ids, or beginnings that no others have
    #[arg(value_name = "RUN", required = true)]
    runs: Vec<RunId>,
    /// Print a line of JSON for each, with "error" in it where it failed
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    connection: ConnectionArguments,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    runtime::block_on(async {
        let client = arguments.connection.reach(Access::Look).await?;
        let stop = async |id: &RunId| -> Result<FinishedRun, Failure> {
            let run = beginning::run(&client, id).await?;
            Ok(client.stop_run(&run.run_id).await?)
        };
        each(&arguments.runs, "run_id", arguments.json, stop, |stopped| show(stopped, arguments.json)).await
    })
}

fn show(stopped: &FinishedRun, json: bool) -> io::Result<()> {
    if json {
        return output::json(stopped);
    }
    let status = Tone::from(stopped.status).paint(stopped.status.as_str());
    output::show(&format!("{}  {status}\n", stopped.run_id))
}
