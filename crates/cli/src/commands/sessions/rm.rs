//! `accord sessions rm`.

use std::io;

use accord_api::{SessionId, SessionQuery, SessionStatus};
use accord_client::Client;
use jiff::Timestamp;
use serde_json::json;

use crate::connection::{Access, ConnectionArguments};
use crate::each::each;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::paging::LARGEST_PAGE;
use crate::{beginning, output, runtime, since};

/// Remove sessions with their runs, results and events
#[derive(Debug, clap::Args)]
#[command(after_help = "\
What is removed cannot be brought back. Refused while a run of the session is under way. Where one
cannot be removed, the others still are; the exit code is that of the first failure.

With --before, sessions are taken whose last run has ended and which wait for no child. What workflow
runs have made of their results stays with them.

Examples:
  accord sessions rm ses_…
  accord sessions rm --before 30d --dry-run
  accord sessions rm --before 2026-11-01 --agent ticket-triage")]
pub(crate) struct Arguments {
    /// Their ids, or beginnings that no others have
    #[arg(value_name = "SESSION", required_unless_present = "before", conflicts_with = "before")]
    sessions: Vec<SessionId>,
    /// All that are over and have not changed since: so long ago (30d, 12h), a date, or a time
    #[arg(long, value_name = "TIME", value_parser = since::parse)]
    before: Option<Timestamp>,
    /// With --before: only those of this agent
    #[arg(long, value_name = "NAME", conflicts_with = "sessions")]
    agent: Option<String>,
    /// With --before: say which they are, and remove nothing
    #[arg(long, conflicts_with = "sessions")]
    dry_run: bool,
    /// Print a line of JSON for each, with "error" in it where it failed
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    connection: ConnectionArguments,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    runtime::block_on(async {
        let client = arguments.connection.reach(Access::Look).await?;
        let old = match arguments.before {
            Some(before) => Some(over_since(&client, before, arguments.agent.as_deref()).await?),
            None => None,
        };
        if old.as_ref().is_some_and(Vec::is_empty) {
            output::talk("no session that is over is as old as that\n");
            return Ok(Exit::Success);
        }
        let remove = async |id: &SessionId| -> Result<SessionId, Failure> {
            if arguments.dry_run {
                return Ok(id.clone());
            }
            // Ids from a list are whole.
            let id =
                if old.is_some() { id.clone() } else { beginning::session(&client, id).await?.session_id };
            client.delete_session(&id).await?;
            Ok(id)
        };
        let show = |removed: &SessionId| show(removed, arguments);
        let sessions = old.as_ref().unwrap_or(&arguments.sessions);
        each(sessions, "session_id", arguments.json, remove, show).await
    })
}

/// The sessions that are over and have not changed since then. Only their ids are kept: they may be very many.
async fn over_since(
    client: &Client,
    before: Timestamp,
    agent: Option<&str>,
) -> Result<Vec<SessionId>, Failure> {
    let over = [SessionStatus::Finished, SessionStatus::Stopped, SessionStatus::Failed];
    let mut which = SessionQuery {
        agent_name: agent.map(str::to_owned),
        limit: Some(LARGEST_PAGE),
        ..SessionQuery::default()
    };
    let mut found = Vec::new();
    loop {
        let page = client.sessions(&which).await?;
        let old = page
            .items
            .into_iter()
            .filter(|session| over.contains(&session.status) && session.updated_at < before);
        found.extend(old.map(|session| session.session_id));
        if page.next_cursor.is_none() {
            return Ok(found);
        }
        which.cursor = page.next_cursor;
    }
}

fn show(session: &SessionId, arguments: &Arguments) -> io::Result<()> {
    let removed = !arguments.dry_run;
    if arguments.json {
        return output::json(&json!({"session_id": session, "removed": removed}));
    }
    output::talk(&format!("{} {session}\n", if removed { "removed" } else { "would remove" }));
    Ok(())
}
