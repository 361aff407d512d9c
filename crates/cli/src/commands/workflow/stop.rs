//! `accord workflows stop`.

use accord_api::{WorkflowRunId, WorkflowRunView};

use crate::connection::{Access, ConnectionArguments};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::for_each::{each, show_status};
use crate::view::Tone;
use crate::{id_prefix, runtime};

/// Stop workflow runs; finished runs are left unchanged
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A run stays 'stopping' until its running agents have stopped. If one run cannot be stopped, the
others still are; the exit code is that of the first failure. If no coordinator runs for the
project, runs are stopped in the database, and no further step is executed.

Examples:
  accord workflows stop wfr_…
  accord workflows runs qa --status running --json | jq -r '.items[].workflow_run_id' |
    xargs -r accord workflows stop")]
pub(crate) struct Arguments {
    /// Workflow run ids, or unique prefixes of them
    #[arg(value_name = "RUN", required = true)]
    runs: Vec<WorkflowRunId>,
    /// Print one JSON object per line; failures have an "error" field
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    connection: ConnectionArguments,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    runtime::block_on(async {
        let client = arguments.connection.reach(Access::Look).await?;
        let stop = async |id: &WorkflowRunId| -> Result<WorkflowRunView, Failure> {
            let run = id_prefix::workflow_run(&client, id).await?;
            Ok(client.stop_workflow_run(&run.workflow_run_id).await?)
        };
        let show = |stopped: &WorkflowRunView| {
            let status = Tone::from(stopped.status).paint(stopped.status.as_str()).to_string();
            show_status(&stopped.workflow_run_id, &status, stopped, arguments.json)
        };
        each(&arguments.runs, "workflow_run_id", arguments.json, stop, show).await
    })
}
