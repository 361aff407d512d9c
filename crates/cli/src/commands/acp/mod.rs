//! `accord acp`: an agent of the project for editors that speak the Agent Client Protocol.

mod history;
mod inputs;
mod prompt;
mod record;
mod server;
mod transport;
mod updates;

use accord_api::{AgentView, PageQuery};
use accord_client::Client;

use crate::connection::ConnectionArguments;
use crate::exit::Exit;
use crate::failure::{Failure, Problem};
use crate::host;
use crate::own_coordinator::{self, Lasting};

use record::Record;

/// Serve an agent to an editor over the Agent Client Protocol on stdin and stdout
#[derive(Debug, clap::Args)]
#[command(after_help = "\
For editors that start their agents themselves, for example Zed. Each conversation in the editor is
a session with the agent, and each prompt is a run: the editor shows its progress, and its validated
result as the answer. Uses the coordinator that runs for this project, or starts a temporary one;
that one and its runs end when the editor disconnects. Logs go to stderr.

Examples:
  accord acp --agent ticket-triage
  accord acp --dir /path/to/project --agent summarizer
  accord acp --coordinator http://10.0.0.5:8765 --key-file ~/.accord.key --agent summarizer")]
pub(crate) struct Arguments {
    /// Agent that answers [default: the only agent of the project]
    #[arg(long, value_name = "NAME", add = crate::candidates::agents())]
    agent: Option<String>,
    #[command(flatten)]
    connection: ConnectionArguments,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    let config = arguments.connection.config(Vec::new())?;
    let look = async |client: &Client| match &arguments.agent {
        Some(name) => client.agent(name).await.map(drop),
        None => Ok(()),
    };
    let work = async |client: &Client| {
        let agent = choose(client, arguments.agent.as_deref()).await?;
        server::serve(client.clone(), agent, Record::of_project(&config.project)).await
    };
    host::observed(&config, own_coordinator::work(&config, Lasting::No, look, work))
}

/// The agent of this name, or the only one.
async fn choose(client: &Client, name: Option<&str>) -> Result<AgentView, Failure> {
    if let Some(name) = name {
        return Ok(client.agent(name).await?);
    }
    let agents = client.agents(&[], &PageQuery::default()).await?.items;
    let names: Vec<&str> = agents.iter().map(|agent| agent.name.as_str()).collect();
    match names.as_slice() {
        [] => Err(Problem::new("the project has no agents")
            .hint("create one with `accord agents new NAME`, or get examples with `accord init`")
            .into()),
        [only] => Ok(client.agent(only).await?),
        names => Err(Problem::new(format!("expected one agent, got {}: {}", names.len(), names.join(", ")))
            .hint("choose one with --agent NAME")
            .into()),
    }
}
