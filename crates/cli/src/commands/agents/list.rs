//! `accord agents list`.

use accord_api::{AgentSummary, Page, PageQuery};

use crate::connection::{self, ConnectionArguments};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::paging::{self, PagingArguments};
use crate::view::{agent, text};
use crate::{local_agents, output, project, runtime};

/// List agents, including invalid ones
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Asks the coordinator that runs for this project; if none runs, reads the files of the project.
The exit code is 0 even if an agent is invalid; `accord agents validate` fails then.

Examples:
  accord agents list
  accord agents list --tags review,eu
  accord agents list --json | jq -r '.items[] | select(.valid | not).name'")]
pub(crate) struct Arguments {
    /// Filter by tags; an agent must have all of them
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    tags: Vec<String>,
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
    let tags = &arguments.tags;
    let (page, asked): (Page<AgentSummary>, Option<String>) = runtime::block_on(async {
        let Some(client) = &connection::running(&config).await? else {
            if let Some(problem) = project::missing(&config.project) {
                return Err(problem.into());
            }
            let mut items = local_agents::summaries(&local_agents::agents_of(&config));
            items.retain(|agent| tags.iter().all(|tag| agent.tags.contains(tag)));
            return Ok((Page::new(items, None), None));
        };
        let fetch = |page: PageQuery| async move { client.agents(tags, &page).await };
        let page = arguments.paging.gather(fetch).await?;
        Ok((page, Some(format!("the coordinator at {}", client.base_url().trim_end_matches('/')))))
    })?;
    let place = asked.unwrap_or_else(|| config.agents_dir().display().to_string());
    let none = format!("No agents found in {place}. Create one with `accord agents new NAME`.");
    let exit = paging::show(&page, arguments.json, &none, agent::list)?;
    let invalid = page.items.iter().filter(|agent| !agent.valid).count() as u64;
    if invalid > 0 {
        let invalid = text::counted(invalid, "invalid agent");
        output::message(&format!("warning: {invalid}; run `accord agents validate` for details\n"));
    }
    Ok(exit)
}
