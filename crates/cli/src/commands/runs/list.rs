//! `accord runs list`.

use accord_api::{RunQuery, RunStatus, SessionId};
use jiff::Timestamp;

use crate::connection::{Access, ConnectionArguments};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::paging::{self, PagingArguments};
use crate::view::run;
use crate::view::words::Times;
use crate::{beginning, runtime, since};

const STATUSES: [RunStatus; 7] = [
    RunStatus::Pending,
    RunStatus::Claimed,
    RunStatus::Running,
    RunStatus::Stopping,
    RunStatus::Completed,
    RunStatus::Failed,
    RunStatus::Stopped,
];

/// List runs, the newest first
#[derive(Debug, clap::Args)]
#[command(after_help = "\
On a terminal, columns that have no room are left out; --json has everything.

Examples:
  accord runs list --status failed --since 24h
  accord runs list --agent ticket-triage --all --json | jq '.items[].usage'")]
pub(crate) struct Arguments {
    /// Only those that stand so
    #[arg(long, value_name = "STATUS", value_parser = paging::one_of(&STATUSES, RunStatus::as_str))]
    status: Option<RunStatus>,
    /// Only those of this agent
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// Only those of this session
    #[arg(long, value_name = "SESSION")]
    session: Option<SessionId>,
    /// Only those made at this time or later: 30m, 24h, 7d or an RFC 3339 time
    #[arg(long, value_name = "TIME", value_parser = since::parse)]
    since: Option<Timestamp>,
    #[command(flatten)]
    paging: PagingArguments,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    connection: ConnectionArguments,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    let page = runtime::block_on(async {
        let client = arguments.connection.reach(Access::Look).await?;
        let session_id = match &arguments.session {
            Some(id) => Some(beginning::referred(&client, id).await?),
            None => None,
        };
        let which = RunQuery {
            status: arguments.status,
            agent_name: arguments.agent.clone(),
            session_id,
            since: arguments.since,
            ..RunQuery::default()
        };
        let (client, which) = (&client, &which);
        let fetch = |page: accord_api::PageQuery| async move {
            client.runs(&RunQuery { limit: page.limit, cursor: page.cursor, ..which.clone() }).await
        };
        arguments.paging.gather(fetch).await
    })?;
    paging::show(&page, arguments.json, "no run is like that", |runs| run::list(runs, &Times::here()))
}
