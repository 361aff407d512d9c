//! `accord sessions rm`.

use accord_api::{PageQuery, SessionId, SessionQuery, SessionStatus, SessionView};
use accord_client::Client;
use jiff::Timestamp;

use crate::connection::{Access, ConnectionArguments};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::removal::Removal;
use crate::{beginning, paging, runtime, since};

/// Remove sessions with their runs, results and events
#[derive(Debug, clap::Args)]
#[command(after_help = "\
What is removed cannot be brought back. Refused while a run of the session is under way. Where one
cannot be removed, the others still are; the exit code is that of the first failure.

With --before, sessions are taken whose last run has ended and which wait for no child. What
workflow runs have made of their results stays with them.

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
        let removal = Removal {
            named: &arguments.sessions,
            old,
            id: "session_id",
            none: "no session that is over is as old as that\n",
            dry_run: arguments.dry_run,
            json: arguments.json,
        };
        let find = async |id: &SessionId| Ok(beginning::session(&client, id).await?.session_id);
        removal.run(find, async |id| client.delete_session(id).await).await
    })
}

/// The sessions that are over and have not changed since then.
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
