//! `accord workflow list`.

use accord_api::{Page, PageQuery, WorkflowSummary};

use super::examine::workflows_in;
use crate::connection::{self, ConnectionArguments};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::paging::{self, PagingArguments};
use crate::runtime;
use crate::view::workflow;

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
    let place = asked.unwrap_or_else(|| config.workflows_dir().display().to_string());
    let none = format!("no workflows in {place}");
    paging::show(&page, arguments.json, &none, workflow::list)
}
