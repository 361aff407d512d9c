//! `accord runs list`.

use accord_api::{RunQuery, RunStatus, SessionId};

use crate::connection::{Access, ConnectionArguments};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::paging::{self, FilterArguments, PagingArguments};
use crate::view::run;
use crate::view::text::Times;
use crate::{id_prefix, runtime};

const STATUSES: [RunStatus; 9] = [
    RunStatus::Pending,
    RunStatus::Claimed,
    RunStatus::Running,
    RunStatus::Waiting,
    RunStatus::InputRequired,
    RunStatus::Stopping,
    RunStatus::Completed,
    RunStatus::Failed,
    RunStatus::Stopped,
];

/// List runs, newest first
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Columns that do not fit the terminal are omitted; --json has all of them.

Examples:
  accord runs list --status failed --since 24h
  accord runs list --search timeout --since 7d --until 24h
  accord runs list --agent ticket-triage --all --json | jq '.items[].usage'")]
pub(crate) struct Arguments {
    /// Filter by status
    #[arg(long, value_name = "STATUS", value_parser = paging::one_of(&STATUSES, RunStatus::as_str))]
    status: Option<RunStatus>,
    /// Filter by agent
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// Filter by session
    #[arg(long, value_name = "SESSION")]
    session: Option<SessionId>,
    #[command(flatten)]
    filters: FilterArguments,
    #[command(flatten)]
    paging: PagingArguments,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    connection: ConnectionArguments,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    let page = runtime::block_on(async {
        let client = arguments.connection.reach(Access::Look).await?;
        let session_id = match &arguments.session {
            Some(id) => Some(id_prefix::referred(&client, id).await?),
            None => None,
        };
        let which = RunQuery {
            status: arguments.status,
            agent_name: arguments.agent.clone(),
            session_id,
            q: arguments.filters.search.clone(),
            since: arguments.filters.since,
            until: arguments.filters.until,
            ..RunQuery::default()
        };
        let (client, which) = (&client, &which);
        let fetch = |page: accord_api::PageQuery| async move {
            client.runs(&RunQuery { limit: page.limit, cursor: page.cursor, ..which.clone() }).await
        };
        arguments.paging.gather(fetch).await
    })?;
    let Arguments { status, agent, session, filters, .. } = arguments;
    let filtered = status.is_some() || agent.is_some() || session.is_some() || filters.is_some();
    let none = paging::none("runs", filtered);
    paging::show(&page, arguments.json, &none, |runs| run::list(runs, &Times::here()))
}
