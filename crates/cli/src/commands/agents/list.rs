//! `accord agents list`.

use accord_api::{AgentSummary, Page, PageQuery};

use crate::connection::{self, ConnectionArguments};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::paging::{self, PagingArguments};
use crate::view::agent;
use crate::{local, output, runtime};

/// List agents with their verdicts, broken ones too
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Asks the coordinator that runs for this project; where none does, the files are examined here.

Examples:
  accord agents list
  accord agents list --tags review,eu
  accord agents list --json | jq -r '.items[] | select(.valid | not).name'")]
pub(crate) struct Arguments {
    /// Only those that have all of these tags
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    tags: Vec<String>,
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
    let tags = &arguments.tags;
    let page: Page<AgentSummary> = runtime::block_on(async {
        let Some(client) = &connection::running(&config).await? else {
            let mut items = local::summaries(&local::agents_in(&config.agents_dir()));
            items.retain(|agent| tags.iter().all(|tag| agent.tags.contains(tag)));
            return Ok(Page { items, next_cursor: None });
        };
        arguments.paging.gather(|page: PageQuery| async move { client.agents(tags, &page).await }).await
    })?;
    if arguments.json {
        output::json(&page)?;
    } else if page.items.is_empty() {
        let place = config.agents_dir();
        output::talk(&format!("no agents in {}; accord agents new NAME makes one\n", place.display()));
    } else {
        output::show(&agent::list(&page.items))?;
        paging::tell_more(&page);
    }
    Ok(Exit::Success)
}
