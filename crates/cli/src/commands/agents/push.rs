//! `accord agents push`.

use std::path::PathBuf;

use accord_api::{AgentView, ErrorName, Source};
use accord_client::Client;
use serde::Serialize;

use crate::connection::{self, Access, ConnectionArguments};
use crate::exit::Exit;
use crate::failure::{Failure, Problem};
use crate::view::words::line;
use crate::view::{Tone, agent};
use crate::{local, output, runtime};

/// Put the agents of a folder into a coordinator's store
#[derive(Debug, clap::Args)]
#[command(after_help = "\
All files are examined first; with one mistake nothing is sent. Agents that are there are replaced,
others are left alone. Where no coordinator runs for this project, its store is written directly. A
coordinator that has an agent in a file of its own keeps it there: the exit code is then 1.

Examples:
  accord agents push agents/ --coordinator https://accord.example --key accord_…
  accord agents push . --json | jq -r '.agents[] | select(.change != \"unchanged\").name'")]
pub(crate) struct Arguments {
    /// The folder of agents, or the one that holds .accord
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    connection: ConnectionArguments,
}

/// What became of an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Change {
    Created,
    Updated,
    Unchanged,
}

#[derive(Serialize)]
struct Pushed {
    agents: Vec<PushedAgent>,
}

#[derive(Serialize)]
struct PushedAgent {
    name: String,
    change: Change,
    hash: String,
    source: Source,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    let folder = local::agents_dir(&arguments.folder);
    let agents = local::agents_in(&folder);
    if agents.is_empty() {
        let message = format!("there is no agent in {}", folder.display());
        return Err(Problem::new(message).hint("name the folder that holds the agents' folders").into());
    }
    let broken: Vec<&AgentView> = agents.iter().filter(|agent| !agent.summary.valid).collect();
    if !broken.is_empty() {
        let problems: String = broken.iter().map(|agent| agent::problems(&agent.summary.problems)).collect();
        output::talk(&problems);
        let message = format!("{} of {} agents cannot be used; nothing was sent", broken.len(), agents.len());
        return Err(Problem::new(message).hint("correct them and push again").into());
    }
    // The files of this project are what is pushed: they are not to stand in its way.
    let config = arguments.connection.config(Vec::new())?.without_agents();
    runtime::block_on(async {
        let client = connection::reach(&config, Access::Change).await?;
        let mut pushed = Vec::new();
        for agent in &agents {
            let (change, stored) = push(&client, agent).await?;
            if !arguments.json {
                output::show(&format!("{}  {}\n", words(change), line(&agent.summary.name)))?;
            }
            let AgentView { summary, hash, .. } = stored;
            pushed.push(PushedAgent { name: summary.name, change, hash, source: summary.source });
        }
        let not_stored = in_files(&pushed);
        if arguments.json {
            output::json(&Pushed { agents: pushed })?;
        }
        not_stored.map_or(Ok(Exit::Success), |problem| Err(problem.into()))
    })
}

/// Says so where the coordinator has agents in files of its own.
fn in_files(pushed: &[PushedAgent]) -> Option<Problem> {
    let of_files = pushed.iter().filter(|agent| agent.source == Source::File);
    let names: Vec<String> = of_files.map(|agent| line(&agent.name)).collect();
    let (were, has) = if names.len() == 1 { ("was", "it in a file") } else { ("were", "them in files") };
    let message = format!(
        "{} {were} not put into the store: the coordinator has {has} of its own, and keeps agents where they are",
        names.join(", ")
    );
    let hint = "stop it and push again, which writes the store directly, or push to one of the same store that runs in \
                another folder: --coordinator URL";
    (!names.is_empty()).then(|| Problem::new(message).hint(hint))
}

async fn push(client: &Client, agent: &AgentView) -> Result<(Change, AgentView), Failure> {
    let name = &agent.summary.name;
    match client.create_agent(&agent.blueprint).await {
        Ok(stored) => return Ok((Change::Created, stored)),
        Err(error) if error.is(ErrorName::AgentExists) => {}
        Err(error) => return Err(error.into()),
    }
    let there = client.agent(name).await?;
    if there.hash == agent.hash {
        return Ok((Change::Unchanged, there));
    }
    let stored = client.put_agent(name, &agent.blueprint, Some(&there.hash)).await?;
    Ok((Change::Updated, stored))
}

fn words(change: Change) -> String {
    match change {
        Change::Created => Tone::Good.paint("created  "),
        Change::Updated => Tone::Busy.paint("updated  "),
        Change::Unchanged => Tone::Plain.paint("unchanged"),
    }
}
