//! `accord workflows retry`.

use accord_api::{WorkflowRunId, WorkflowRunSummary};

use crate::connection::{Access, ConnectionArguments};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::for_each::{each, show_status};
use crate::view::Tone;
use crate::{id_prefix, runtime};

/// Resume failed or stopped workflow runs from the nodes that failed
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Finished nodes keep their outputs, and so do the finished items of a map node. The failed or stopped
nodes run again, and everything that depends on them, in the same workflow run and with the graph it
was started with. A run is 'poisoned' if coordinators crashed three times during one of its steps;
then that step is repeated. If no coordinator runs for the project, the run continues when one is
started.

Examples:
  accord workflows retry wfr_…")]
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
        let retry = async |id: &WorkflowRunId| -> Result<WorkflowRunSummary, Failure> {
            let run = id_prefix::workflow_run(&client, id).await?;
            Ok(client.retry_workflow_run(&run.workflow_run_id).await?)
        };
        let show = |retried: &WorkflowRunSummary| {
            let status = Tone::from(retried.status).paint(retried.status.as_str()).to_string();
            show_status(&retried.workflow_run_id, &status, retried, arguments.json)
        };
        each(&arguments.runs, "workflow_run_id", arguments.json, retry, show).await
    })
}
