//! `accord sessions rm`.

use std::io;

use accord_api::SessionId;
use serde_json::json;

use crate::connection::{Access, ConnectionArguments};
use crate::each::each;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::{beginning, output, runtime};

/// Remove sessions with their runs, results and events
#[derive(Debug, clap::Args)]
#[command(after_help = "\
What is removed cannot be brought back. Refused while a run of the session is under way. Where one
cannot be removed, the others still are; the exit code is that of the first failure.

Examples:
  accord sessions rm ses_…
  accord sessions list --status finished --all --json \\
    | jq -r '.items[] | select(.updated_at < \"2026-11-01\").session_id' | xargs -r accord sessions rm")]
pub(crate) struct Arguments {
    /// Their ids, or beginnings that no others have
    #[arg(value_name = "SESSION", required = true)]
    sessions: Vec<SessionId>,
    /// Print a line of JSON for each, with "error" in it where it failed
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    connection: ConnectionArguments,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    runtime::block_on(async {
        let client = arguments.connection.reach(Access::Look).await?;
        let remove = async |id: &SessionId| -> Result<SessionId, Failure> {
            let id = beginning::session(&client, id).await?.session_id;
            client.delete_session(&id).await?;
            Ok(id)
        };
        let show = |removed: &SessionId| show(removed, arguments.json);
        each(&arguments.sessions, "session_id", arguments.json, remove, show).await
    })
}

fn show(removed: &SessionId, json: bool) -> io::Result<()> {
    if json {
        return output::json(&json!({"session_id": removed, "removed": true}));
    }
    output::talk(&format!("removed {removed}\n"));
    Ok(())
}
