//! `accord workflows runs rm`.

use accord_api::{PageQuery, WorkflowRunId, WorkflowRunQuery, WorkflowRunSummary};
use accord_client::Client;
use jiff::Timestamp;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::removal::{Kind, RemovalArguments};
use crate::{id_prefix, paging};

/// Remove workflow runs with their nodes and events
#[derive(Debug, clap::Args)]
#[command(after_help = "\
This cannot be undone. A run in progress is not removed. If one run cannot be removed, the others
still are; the exit code is that of the first failure.

Sessions of its agents are kept; remove those with `accord sessions rm`. Runs of nested workflows
are kept as well, unless --before selects them too.

Examples:
  accord workflows runs rm wfr_…
  accord workflows runs rm --before 30d --dry-run
  accord workflows runs rm --before 2026-11-01 --workflow code-review")]
pub(crate) struct Arguments {
    /// Workflow run ids, or unique prefixes of them
    #[arg(value_name = "RUN", required_unless_present = "before", conflicts_with = "before")]
    ids: Vec<WorkflowRunId>,
    /// Filter by workflow (with --before)
    #[arg(long, value_name = "NAME", conflicts_with = "ids")]
    workflow: Option<String>,
    #[command(flatten)]
    removal: RemovalArguments,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    let kind = Kind {
        id: "workflow_run_id",
        none: "No finished workflow runs are that old.\n",
        old: async |client: &Client, before| over_since(client, before, arguments.workflow.as_deref()).await,
        find: async |client: &Client, id: &WorkflowRunId| {
            Ok(id_prefix::workflow_run(client, id).await?.workflow_run_id)
        },
        delete: async |client: &Client, id: &WorkflowRunId| client.delete_workflow_run(id).await,
    };
    arguments.removal.run(&arguments.ids, &kind)
}

/// The runs that ended before then.
async fn over_since(
    client: &Client,
    before: Timestamp,
    workflow: Option<&str>,
) -> Result<Vec<WorkflowRunId>, Failure> {
    let fetch = |PageQuery { limit, cursor }: PageQuery| async move {
        let workflow_name = workflow.map(str::to_owned);
        let which = WorkflowRunQuery { workflow_name, limit, cursor, ..WorkflowRunQuery::default() };
        client.workflow_runs(&which).await
    };
    let is_old = |run: &WorkflowRunSummary| run.finished_at.is_some_and(|end| end < before);
    paging::sift(fetch, |run| is_old(&run).then_some(run.workflow_run_id)).await
}
