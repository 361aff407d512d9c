//! `accord workflows list`.

use accord_api::{Page, PageQuery, WorkflowSummary};

use super::examine::workflows_in;
use crate::connection::{self, ConnectionArguments};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::paging::{self, PagingArguments};
use crate::view::{text, workflow};
use crate::{output, project, runtime};

/// List workflows, including invalid ones
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Asks the coordinator that runs for this project; if none runs, reads the files of the project.
The exit code is 0 even if a workflow is invalid; `accord workflows validate` fails then.

Examples:
  accord workflows list
  accord workflows list --json | jq -r '.items[] | select(.valid | not).name'")]
pub(crate) struct Arguments {
    #[command(flatten)]
    paging: PagingArguments,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    connection: ConnectionArguments,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    let config = arguments.connection.config(Vec::new())?;
    let (page, asked): (Page<WorkflowSummary>, Option<String>) = runtime::block_on(async {
        let Some(client) = &connection::running(&config).await? else {
            if let Some(problem) = project::missing(&config.project) {
                return Err(problem.into());
            }
            let found = workflows_in(&config, config.workflows_dir()).await?;
            let items = found.into_iter().map(|workflow| workflow.summary).collect();
            return Ok((Page::new(items, None), None));
        };
        let page =
            arguments.paging.gather(|page: PageQuery| async move { client.workflows(&page).await }).await?;
        Ok((page, Some(format!("the coordinator at {}", client.base_url().trim_end_matches('/')))))
    })?;
    let place = asked.unwrap_or_else(|| config.workflows_dir().display().to_string());
    let none = format!("No workflows found in {place}.");
    let exit = paging::show(&page, arguments.json, &none, workflow::list)?;
    let invalid = page.items.iter().filter(|workflow| !workflow.valid).count() as u64;
    if invalid > 0 && !arguments.json {
        let invalid = text::counted(invalid, "invalid workflow");
        output::message(&format!("warning: {invalid}; run `accord workflows validate` for details\n"));
    }
    Ok(exit)
}
