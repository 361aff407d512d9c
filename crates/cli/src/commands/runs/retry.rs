//! `accord runs retry`.

use accord_api::{CreatedRun, RunId};

use crate::connection::{Access, ConnectionArguments};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::for_each::{each, show_status};
use crate::view::Tone;
use crate::{id_prefix, runtime};

/// Start failed or stopped runs again
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Each new run has the agent, input and contract of the old one, as they were then, and its own id,
which is printed. If no coordinator runs for the project, the new run waits until one is started.

Examples:
  accord runs retry run_…
  accord runs list --status failed --json | jq -r '.items[].run_id' | xargs -r accord runs retry")]
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
        let retry = async |id: &RunId| -> Result<CreatedRun, Failure> {
            let run = id_prefix::run(&client, id).await?;
            Ok(client.retry_run(&run.run_id).await?)
        };
        let show = |created: &CreatedRun| {
            let status = Tone::from(created.status).paint(created.status.as_str()).to_string();
            show_status(&created.run_id, &status, created, arguments.json)
        };
        each(&arguments.runs, "run_id", arguments.json, retry, show).await
    })
}
