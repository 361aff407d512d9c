//! `accord sessions rm`.

use accord_api::{PageQuery, SessionId, SessionQuery, SessionStatus, SessionView};
use accord_client::Client;
use jiff::Timestamp;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::removal::{Kind, RemovalArguments};
use crate::{id_prefix, paging};

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
    ids: Vec<SessionId>,
    /// Filter by agent (with --before)
    #[arg(long, value_name = "NAME", conflicts_with = "ids")]
    agent: Option<String>,
    #[command(flatten)]
    removal: RemovalArguments,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    let kind = Kind {
        id: "session_id",
        none: "No finished sessions are that old.\n",
        old: async |client: &Client, before| over_since(client, before, arguments.agent.as_deref()).await,
        find: async |client: &Client, id: &SessionId| Ok(id_prefix::session(client, id).await?.session_id),
        delete: async |client: &Client, id: &SessionId| client.delete_session(id).await,
    };
    arguments.removal.run(&arguments.ids, &kind)
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
