//! `accord mcp`: Accord's tools for an MCP client that starts its servers itself.

use std::sync::Arc;

use accord_api::SessionId;
use accord_client::Client;
use accord_mcp::Accord;

use crate::connection::ConnectionArguments;
use crate::exit::Exit;
use crate::failure::{Failure, Problem};
use crate::own_coordinator::{self, Lasting};
use crate::{host, runtime};

/// The parent session of runs that are started here. It is set by the process that starts this server, not by the model.
const PARENT: &str = "ACCORD_PARENT_SESSION";

/// Serve Accord's tools over MCP on stdin and stdout
#[derive(Debug, clap::Args)]
#[command(after_help = "\
For MCP clients that start their servers themselves. Clients that speak HTTP can use the address
/mcp of a coordinator instead, for example http://127.0.0.1:8765/mcp. Uses the coordinator that runs
for this project, or starts a temporary one; that one and its runs end when the client disconnects.
Logs go to stderr.

ACCORD_PARENT_SESSION sets the parent of the sessions that are started here.

Examples:
  claude mcp add accord -- accord mcp --dir /path/to/project
  accord mcp --coordinator http://10.0.0.5:8765 --key-file ~/.accord.key")]
pub(crate) struct Arguments {
    #[command(flatten)]
    connection: ConnectionArguments,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    let config = arguments.connection.config(Vec::new())?;
    let parent = parent()?;
    let look = async |_: &Client| Ok(());
    let work = async |client: &Client| serve(client.clone(), parent).await;
    host::observed(&config, own_coordinator::work(&config, Lasting::No, look, work))
}

async fn serve(client: Client, parent: Option<SessionId>) -> Result<Exit, Failure> {
    let tools = Arc::new(Accord::new(client, parent));
    let (input, output) = runtime::streams()?;
    accord_mcp::serve(tools, input, output).await?;
    Ok(Exit::Success)
}

fn parent() -> Result<Option<SessionId>, Problem> {
    let Some(text) = std::env::var(PARENT).ok().filter(|text| !text.is_empty()) else { return Ok(None) };
    let problem = |error| Problem::new(format!("invalid {PARENT}: {error}"));
    text.parse().map(Some).map_err(problem)
}
