//! `accord workflows show`.

use accord_api::{WorkflowRunId, WorkflowRunQuery, WorkflowRunSummary, WorkflowView};
use serde::Serialize;

use crate::call::CallArguments;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::view::text::Times;
use crate::view::workflow;
use crate::{id_prefix, output};

/// How many of the newest runs are shown with a workflow.
const SHOWN_RUNS: u32 = 5;

/// Show a workflow and its latest runs, or one workflow run
#[derive(Debug, clap::Args)]
#[command(after_help = "\
For a workflow: nodes, edges and status. For a run: the status of each node and the contradictions
that were found. No coordinator is needed. `accord workflows runs` lists all runs.

Examples:
  accord workflows show code-review
  accord workflows show code-review --json | jq -r '.runs[].workflow_run_id'
  accord workflows show wfr_…
  accord workflows show wfr_… --json | jq '.nodes[] | select(.contradictions != [])'")]
pub(crate) struct Arguments {
    /// Workflow name, or workflow run id (or a unique prefix of it)
    #[arg(value_name = "NAME|RUN")]
    which: String,
    #[command(flatten)]
    call: CallArguments,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    match arguments.which.parse::<WorkflowRunId>() {
        Ok(id) => show_run(arguments, &id),
        Err(_) => show_workflow(arguments),
    }
}

fn show_run(arguments: &Arguments, id: &WorkflowRunId) -> Result<Exit, Failure> {
    let run = arguments.call.connection.ask(async |client| id_prefix::workflow_run(client, id).await)?;
    arguments.call.print(&run, || workflow::run(&run, &Times::here()))
}

/// A workflow, and its newest runs. The JSON form is part of the API.
#[derive(Serialize)]
struct Shown {
    #[serde(flatten)]
    workflow: WorkflowView,
    runs: Vec<WorkflowRunSummary>,
}

fn show_workflow(arguments: &Arguments) -> Result<Exit, Failure> {
    let name = &arguments.which;
    let query = WorkflowRunQuery {
        workflow_name: Some(name.clone()),
        limit: Some(SHOWN_RUNS),
        ..WorkflowRunQuery::default()
    };
    let (shown, there_are_more) = arguments.call.connection.ask(async |client| {
        let workflow = client.workflow(name).await?;
        let page = client.workflow_runs(&query).await?;
        Ok((Shown { workflow, runs: page.items }, page.next_cursor.is_some()))
    })?;
    if arguments.call.json {
        output::json(&shown)?;
    } else {
        output::show(&workflow::view(&shown.workflow, &shown.runs, &Times::here()))?;
        if there_are_more {
            output::message(&format!("There are more runs: see `accord workflows runs {name}`.\n"));
        }
    }
    Ok(Exit::Success)
}
