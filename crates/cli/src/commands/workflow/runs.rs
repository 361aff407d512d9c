//! `accord workflows runs`.

mod rm;

use accord_api::{PageQuery, WorkflowRunQuery, WorkflowStatus};
use accord_client::Client;
use clap::Subcommand;

use crate::call::ListingArguments;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::paging::{self, FilterArguments};
use crate::view::text::Times;
use crate::view::workflow;

/// List workflow runs, newest first, or remove old ones
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
#[command(after_help = "\
Includes runs of nested workflows. `accord workflows show RUN` shows every node of a run.

Examples:
  accord workflows runs --status failed
  accord workflows runs --search invoice --since 24h
  accord workflows runs code-review --all
  accord workflows runs rm --before 30d
  accord workflows runs --status running --json | jq -r '.items[].workflow_run_id'")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    /// Filter by workflow
    #[arg(value_name = "NAME")]
    workflow: Option<String>,
    /// Filter by status
    #[arg(long, value_name = "STATUS", value_parser = paging::one_of(WorkflowStatus::ALL, WorkflowStatus::as_str))]
    status: Option<WorkflowStatus>,
    #[command(flatten)]
    filters: FilterArguments,
    #[command(flatten)]
    listing: ListingArguments,
}

#[derive(Debug, Subcommand)]
enum Command {
    Rm(rm::Arguments),
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    if let Some(Command::Rm(arguments)) = &arguments.command {
        return rm::run(arguments);
    }
    let which = WorkflowRunQuery {
        status: arguments.status,
        workflow_name: arguments.workflow.clone(),
        q: arguments.filters.search.clone(),
        since: arguments.filters.since,
        until: arguments.filters.until,
        ..WorkflowRunQuery::default()
    };
    let fetch = async |client: &Client, PageQuery { limit, cursor }| {
        client.workflow_runs(&WorkflowRunQuery { limit, cursor, ..which.clone() }).await
    };
    let filtered = arguments.status.is_some() || arguments.workflow.is_some() || arguments.filters.is_some();
    let none = paging::none("workflow runs", filtered);
    arguments.listing.print(fetch, &none, |runs| workflow::runs(runs, &Times::here()))
}
