//! `accord workflow show`.

use accord_api::{WorkflowRunId, WorkflowRunQuery};

use super::examine::workflows_in;
use crate::connection::{self, Access, ConnectionArguments};
use crate::exit::Exit;
use crate::failure::{Failure, Problem};
use crate::view::words::Times;
use crate::view::workflow;
use crate::{output, runtime};

/// How many of the newest runs are shown with a workflow.
const SHOWN_RUNS: u32 = 5;

/// Show a workflow and its newest runs, or one run of it
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A workflow is shown as its nodes, edges and verdict; a run as where each node stands, and what its
siblings contradict each other in. A run needs a coordinator.

Examples:
  accord workflow show code-review
  accord workflow show wfr_…
  accord workflow show wfr_… --json | jq '.nodes[] | select(.contradictions != [])'")]
pub(crate) struct Arguments {
    /// The workflow's name, or a run's id
    #[arg(value_name = "NAME|RUN")]
    which: String,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    connection: ConnectionArguments,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    match arguments.which.parse::<WorkflowRunId>() {
        Ok(id) => show_run(arguments, &id),
        Err(_) => show_workflow(arguments),
    }
}

fn show_run(arguments: &Arguments, id: &WorkflowRunId) -> Result<Exit, Failure> {
    let run = runtime::block_on(async {
        let client = arguments.connection.reach(Access::Look).await?;
        Ok(client.workflow_run(id).await?)
    })?;
    if arguments.json {
        output::json(&run)?;
    } else {
        output::show(&workflow::run(&run, &Times::here()))?;
    }
    Ok(Exit::Success)
}

fn show_workflow(arguments: &Arguments) -> Result<Exit, Failure> {
    let config = arguments.connection.config(Vec::new())?;
    let name = &arguments.which;
    let (found, runs) = runtime::block_on(async {
        if let Some(client) = connection::running(&config).await? {
            let query = WorkflowRunQuery {
                workflow_name: Some(name.clone()),
                limit: Some(SHOWN_RUNS),
                ..WorkflowRunQuery::default()
            };
            return Ok((client.workflow(name).await?, client.workflow_runs(&query).await?.items));
        }
        let found = workflows_in(&config, config.workflows_dir()).await?;
        match found.into_iter().find(|workflow| workflow.summary.name == *name) {
            Some(workflow) => Ok((workflow, Vec::new())),
            None => {
                let message =
                    format!("there is no workflow '{name}' in {}", config.workflows_dir().display());
                Err(Problem::new(message).hint("accord workflow list shows what there is").into())
            }
        }
    })?;
    if arguments.json {
        output::json(&found)?;
    } else {
        output::show(&workflow::view(&found, &runs, &Times::here()))?;
    }
    Ok(Exit::Success)
}
