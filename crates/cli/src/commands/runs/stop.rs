//! `accord runs stop`.

use std::io;

use accord_api::{FinishedRun, RunId};
use serde_json::json;

use crate::connection::ConnectionArguments;
use crate::exit::Exit;
use crate::failure::{self, Failure};
use crate::view::Tone;
use crate::{output, runtime};

/// Stop runs; those that are over stay as they are
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A run that waits stops at once; one at work is told to, and is 'stopping' until its runner has.
Where one cannot be stopped, the others still are; the exit code is that of the first failure.

Examples:
  accord runs stop run_…
  accord runs list --status running --json | jq -r '.items[].run_id' | xargs accord runs stop")]
pub(crate) struct Arguments {
    /// The runs
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
        let client = arguments.connection.client().await?;
        let mut first_failure = None;
        for run in &arguments.runs {
            match client.stop_run(run).await {
                Ok(stopped) => show(&stopped, arguments.json)?,
                Err(error) => {
                    let exit = tell(run, error.into(), arguments.json)?;
                    first_failure.get_or_insert(exit);
                }
            }
        }
        Ok(first_failure.unwrap_or(Exit::Success))
    })
}

fn show(stopped: &FinishedRun, json: bool) -> io::Result<()> {
    if json {
        return output::json(stopped);
    }
    let status = Tone::from(stopped.status).paint(stopped.status.as_str());
    output::show(&format!("{}  {status}\n", stopped.run_id))
}

/// Says why a run was not stopped, and how the command ends for it.
fn tell(run: &RunId, failure: Failure, json: bool) -> io::Result<Exit> {
    if json {
        output::json(&json!({"run_id": run, "error": failure.problem()}))?;
    }
    // On stdout it has its line already.
    Ok(failure::tell(failure, false))
}
