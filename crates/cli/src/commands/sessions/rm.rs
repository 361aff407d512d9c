//! `accord sessions rm`.

use accord_api::{PageQuery, SessionId, SessionQuery, SessionStatus, SessionView};
use accord_client::Client;
use jiff::Timestamp;

use crate::connection::ConnectionArguments;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::removal::Removal;
use crate::{id_prefix, paging, since};

/// Remove sessions with their runs, results and events
#[derive(Debug, clap::Args)]
#[command(after_help = "\
This cannot be undone. A session with a run in progress is not removed. If one session cannot be
removed, the others still are; the exit code is that of the first failure.

With --before, sessions are removed if their last run has finished and they wait for no child
session. Workflow runs keep the results they took from these sessions.

Examples:
  accord sessions rm ses_…
  accord sessions rm --before 30d --dry-run
  accord sessions rm --before 2026-11-01 --agent ticket-triage")]
pub(crate) struct Arguments {
    /// Session ids, or unique prefixes of them
    #[arg(value_name = "SESSION", required_unless_present = "before", conflicts_with = "before")]
    sessions: Vec<SessionId>,
    /// Remove finished sessions not updated since this age (30d), date or time
    #[arg(long, value_name = "TIME", value_parser = since::parse)]
    before: Option<Timestamp>,
    /// Filter by agent (with --before)
    #[arg(long, value_name = "NAME", conflicts_with = "sessions")]
    agent: Option<String>,
    /// List what would be removed, and remove nothing (with --before)
    #[arg(long, conflicts_with = "sessions")]
    dry_run: bool,
    /// Print one JSON object per line; failures have an "error" field
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    connection: ConnectionArguments,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    arguments.connection.ask(async |client| {
        let old = match arguments.before {
            Some(before) => Some(over_since(client, before, arguments.agent.as_deref()).await?),
            None => None,
        };
        let removal = Removal {
            named: &arguments.sessions,
            old,
            id: "session_id",
            none: "No finished sessions are that old.\n",
            dry_run: arguments.dry_run,
            json: arguments.json,
        };
        let find = async |id: &SessionId| Ok(id_prefix::session(client, id).await?.session_id);
        removal.run(find, async |id| client.delete_session(id).await).await
    })
}

/// The finished sessions that have not changed since then.
async fn over_since(
    client: &Client,
    before: Timestamp,
    agent: Option<&str>,
) -> Result<Vec<SessionId>, Failure> {
    let fetch = |PageQuery { limit, cursor }: PageQuery| async move {
        let agent_name = agent.map(str::to_owned);
        client.sessions(&SessionQuery { agent_name, limit, cursor, ..SessionQuery::default() }).await
    };
    let over = [SessionStatus::Finished, SessionStatus::Stopped, SessionStatus::Failed];
    let is_old = |session: &SessionView| over.contains(&session.status) && session.updated_at < before;
    paging::sift(fetch, |session| is_old(&session).then_some(session.session_id)).await
}
