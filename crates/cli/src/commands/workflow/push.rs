//! `accord workflows push`.

use std::path::PathBuf;

use accord_api::{ErrorName, WorkflowView};
use accord_client::Client;
use serde::Serialize;

use crate::connection::{self, Access, ConnectionArguments};
use crate::definitions::Pushed;
use crate::exit::Exit;
use crate::failure::{Failure, Problem};
use crate::view::agent;
use crate::view::text::line;
use crate::{definitions, output, runtime};

/// Upload the workflows of a folder to a coordinator
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Push the agents first (`accord agents push`): the coordinator rejects a workflow that it cannot run.
Existing workflows of the same name are replaced, others are left unchanged. If no coordinator runs
for this project, the workflows are saved in its database. A workflow that the coordinator reads
from a file is not replaced: exit code 1.

Examples:
  accord workflows push workflows/ --coordinator https://accord.example --key-file admin.key
  accord workflows push . --json | jq -r '.workflows[] | select(.change != \"unchanged\").name'")]
pub(crate) struct Arguments {
    /// Folder of workflows, or a project folder (with .accord in it)
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    connection: ConnectionArguments,
}

#[derive(Default, Serialize)]
struct Workflows {
    workflows: Vec<Pushed>,
    refused: Vec<Refused>,
}

/// One that cannot be run there.
#[derive(Serialize)]
struct Refused {
    name: String,
    error: Option<Problem>,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    // The files of this project are what is pushed, so they must not get in the way.
    let config = arguments.connection.config(Vec::new())?.without_agents();
    let folder = definitions::folder_in::<WorkflowView>(&arguments.folder);
    let workflows = definitions::in_folder::<WorkflowView>(&folder, &config);
    runtime::block_on(async {
        if workflows.is_empty() {
            let message = format!("no workflows found in {}", folder.display());
            return Err(Problem::new(message)
                .hint("pass the folder that contains the workflow files")
                .into());
        }
        let unread = workflows.iter().filter(|workflow| !workflow.workflow.is_object());
        let problems: String = unread.map(|workflow| agent::problems(&workflow.summary.problems)).collect();
        if !problems.is_empty() {
            output::message(&problems);
            let problem = Problem::new("some workflows cannot be parsed; nothing was sent");
            return Err(problem.hint("fix the errors above and push again").into());
        }
        let client = connection::reach(&config, Access::Change).await?;
        let pushed = push_all(&client, workflows, arguments.json).await?;
        for refused in &pushed.refused {
            output::message(&format!("{} was rejected:\n", line(&refused.name)));
            refused.error.iter().for_each(Problem::print);
        }
        let not_stored = definitions::not_saved(&pushed.workflows);
        let exit = if pushed.refused.is_empty() { Exit::Success } else { Exit::Usage };
        if arguments.json {
            output::json(&pushed)?;
        }
        not_stored.map_or(Ok(exit), |problem| Err(problem.into()))
    })
}

/// Pushes them in an order in which the coordinator takes them: one that is part of another has to be there before it.
async fn push_all(client: &Client, mut waiting: Vec<WorkflowView>, json: bool) -> Result<Workflows, Failure> {
    let mut done = Workflows::default();
    loop {
        let (before, mut left) = (waiting.len(), Vec::new());
        done.refused.clear();
        for workflow in waiting {
            match definitions::push(client, &workflow).await {
                Ok(pushed) => {
                    pushed.show(json)?;
                    done.workflows.push(pushed);
                }
                Err(error) if error.is(ErrorName::InvalidWorkflow) => {
                    let name = workflow.summary.name.clone();
                    done.refused.push(Refused { name, error: Failure::from(error).into_problem() });
                    left.push(workflow);
                }
                Err(error) => return Err(error.into()),
            }
        }
        if left.is_empty() || left.len() == before {
            return Ok(done);
        }
        waiting = left;
    }
}
