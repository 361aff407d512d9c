//! `accord workflow list`.

use accord_api::{Page, PageQuery, WorkflowSummary};

use super::examine::workflows_in;
use crate::connection::{self, ConnectionArguments};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::paging::{self, PagingArguments};
use crate::view::workflow;
use crate::{output, runtime};

/// List workflows with their verdicts, broken ones too
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Asks the coordinator that runs for this project; where none does, the files are examined here.

Examples:
  accord workflow list
  accord workflow list --json | jq -r '.items[] | select(.valid | not).name'")]
pub(crate) struct Arguments {
    #[command(flatten)]
    paging: PagingArguments,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    connection: ConnectionArguments,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    let config = arguments.connection.config(Vec::new())?;
    let (page, asked): (Page<WorkflowSummary>, Option<String>) = runtime::block_on(async {
        let Some(client) = &connection::running(&config).await? else {
            let found = workflows_in(&config, config.workflows_dir()).await?;
            let items = found.into_iter().map(|workflow| workflow.summary).collect();
            return Ok((Page { items, next_cursor: None }, None));
        };
        let page =
            arguments.paging.gather(|page: PageQuery| async move { client.workflows(&page).await }).await?;
        Ok((page, Some(format!("the coordinator at {}", client.base_url().trim_end_matches('/')))))
    })?;
    if arguments.json {
        output::json(&page)?;
    } else if page.items.is_empty() {
        let place = asked.unwrap_or_else(|| config.workflows_dir().display().to_string());
        output::talk(&format!("no workflows in {place}\n"));
    } else {
        output::show(&workflow::list(&page.items))?;
        paging::tell_more(&page);
    }
    Ok(Exit::Success)
}
