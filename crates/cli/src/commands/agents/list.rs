//! `accord agents list`.

use accord_api::{AgentSummary, Page, PageQuery};

use crate::connection::{self, ConnectionArguments};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::paging::{self, PagingArguments};
use crate::view::agent;
use crate::{local, runtime};

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
    let (page, asked): (Page<AgentSummary>, Option<String>) = runtime::block_on(async {
        let Some(client) = &connection::running(&config).await? else {
            let mut items = local::summaries(&local::agents_of(&config));
            items.retain(|agent| tags.iter().all(|tag| agent.tags.contains(tag)));
            return Ok((Page { items, next_cursor: None }, None));
        };
        let fetch = |page: PageQuery| async move { client.agents(tags, &page).await };
        let page = arguments.paging.gather(fetch).await?;
        Ok((page, Some(format!("the coordinator at {}", client.base_url().trim_end_matches('/')))))
    })?;
    let place = asked.unwrap_or_else(|| config.agents_dir().display().to_string());
    let none = format!("no agents in {place}; accord agents new NAME makes one");
    paging::show(&page, arguments.json, &none, agent::list)
}
