//! `accord workflows`: graphs of agents.

mod follow;
mod push;
mod run;
mod runs;
mod show;

pub(crate) use follow::follow;
pub(crate) use run::{exit, report, why_stopped};

use accord_api::{WorkflowRunId, WorkflowStatus, WorkflowView};
use accord_client::{Client, ClientError};
use clap::Subcommand;
use serde::Serialize;

use crate::call::{CallArguments, ListingArguments};
use crate::connection::ConnectionArguments;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::for_each::{each, show_status};
use crate::project::ProjectArguments;
use crate::view::Tone;
use crate::{definitions, id_prefix};

/// Manage and run workflows: list, validate, run, runs, show, stop, retry, push, rm
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A workflow is a file .accord/workflows/NAME.yaml (or .json) with nodes and edges: agents that pass
results to each other, with checks and conditions in between.

Examples:
  accord workflows list
  accord workflows validate
  accord workflows run code-review --input diff.json
  accord workflows runs --status failed
  accord workflows show wfr_…")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    List(ListArguments),
    Validate(ValidateArguments),
    Run(run::Arguments),
    Runs(runs::Arguments),
    Show(show::Arguments),
    /// Stop workflow runs; finished runs are left unchanged
    #[command(after_help = "\
A run stays 'stopping' until its running agents have stopped. If one run cannot be stopped, the
others still are; the exit code is that of the first failure. If no coordinator runs for the
project, runs are stopped in the database, and no further step is executed.

Examples:
  accord workflows stop wfr_…
  accord workflows runs qa --status running --json | jq -r '.items[].workflow_run_id' |
    xargs -r accord workflows stop")]
    Stop(RunsArguments),
    /// Resume failed or stopped workflow runs from the nodes that failed
    #[command(after_help = "\
Finished nodes keep their outputs, and so do the finished items of a map node. The failed or stopped
nodes run again, and everything that depends on them, in the same workflow run and with the graph it
was started with. A run is 'poisoned' if coordinators crashed three times during one of its steps;
then that step is repeated. If no coordinator runs for the project, the run continues when one is
started.

Examples:
  accord workflows retry wfr_…")]
    Retry(RunsArguments),
    Push(push::Arguments),
    /// Remove a workflow from the database
    #[command(after_help = "\
Removes workflows that were created by `accord workflows push`, the HTTP API or the dashboard. To
remove a workflow that is defined in a file, delete the file. Existing runs keep their copy of the
workflow.

Examples:
  accord workflows rm code-review
  accord workflows rm code-review --coordinator https://accord.example --key-file admin.key")]
    Rm(NameArguments),
}

pub(crate) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    match &arguments.command {
        Command::List(arguments) => definitions::list::<WorkflowView>(&arguments.listing, &[]),
        Command::Validate(ValidateArguments { workflows, deny_warnings, json, project }) => {
            definitions::validate::<WorkflowView>(project, workflows, *deny_warnings, *json, |_, _| ())
        }
        Command::Run(arguments) => run::run(arguments),
        Command::Runs(arguments) => runs::run(arguments),
        Command::Show(arguments) => show::run(arguments),
        Command::Stop(runs) => runs.change(
            async |client, id| client.stop_workflow_run(id).await,
            |stopped| (&stopped.workflow_run_id, stopped.status),
        ),
        Command::Retry(runs) => runs.change(
            async |client, id| client.retry_workflow_run(id).await,
            |retried| (&retried.workflow_run_id, retried.status),
        ),
        Command::Push(arguments) => push::run(arguments),
        Command::Rm(NameArguments { name, call }) => definitions::remove::<WorkflowView>(call, name),
    }
}

/// List workflows, including invalid ones
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Asks the coordinator that runs for this project; if none runs, reads the files of the project.
The exit code is 0 even if a workflow is invalid; `accord workflows validate` fails then.

Examples:
  accord workflows list
  accord workflows list --json | jq -r '.items[] | select(.valid | not).name'")]
struct ListArguments {
    #[command(flatten)]
    listing: ListingArguments,
}

/// Validate workflow files: structure, agents, templates, conditions, schemas
#[derive(Debug, clap::Args)]
#[command(after_help = "\
All errors are reported in one pass, with file, line and column. No coordinator is needed: agents
are looked up in the files of the project.
Exit codes: 0 all are valid, 1 one is invalid, or has a warning with --deny-warnings.

Examples:
  accord workflows validate
  accord workflows validate code-review
  accord workflows validate --deny-warnings drafts/review.yaml")]
struct ValidateArguments {
    /// Workflow names or files [default: all workflows of the project]
    #[arg(value_name = "NAME|FILE")]
    workflows: Vec<String>,
    /// Treat warnings as errors
    #[arg(long)]
    deny_warnings: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    project: ProjectArguments,
}

#[derive(Debug, clap::Args)]
struct NameArguments {
    /// Workflow name
    name: String,
    #[command(flatten)]
    call: CallArguments,
}

#[derive(Debug, clap::Args)]
struct RunsArguments {
    /// Workflow run ids, or unique prefixes of them
    #[arg(value_name = "RUN", required = true)]
    runs: Vec<WorkflowRunId>,
    /// Print one JSON object per line; failures have an "error" field
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    connection: ConnectionArguments,
}

impl RunsArguments {
    /// Changes each of the runs, and shows its status.
    fn change<T: Serialize>(
        &self,
        act: impl AsyncFn(&Client, &WorkflowRunId) -> Result<T, ClientError>,
        status: impl Fn(&T) -> (&WorkflowRunId, WorkflowStatus),
    ) -> Result<Exit, Failure> {
        self.connection.ask(async |client| {
            let act = async |id: &WorkflowRunId| {
                let id = id_prefix::workflow_run(client, id).await?.workflow_run_id;
                Ok(act(client, &id).await?)
            };
            let show = |changed: &T| {
                let (id, status) = status(changed);
                show_status(id, Tone::from(status).paint(status.as_str()), changed, self.json)
            };
            each(&self.runs, "workflow_run_id", self.json, act, show).await
        })
    }
}
