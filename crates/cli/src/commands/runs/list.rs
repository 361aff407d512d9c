//! `accord runs list`.

use accord_api::{RunQuery, RunStatus, SessionId};

use crate::call::ListingArguments;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::id_prefix;
use crate::paging::{self, FilterArguments};
use crate::view::run;
use crate::view::text::Times;

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
    #[arg(long, value_name = "STATUS", value_parser = paging::one_of(RunStatus::ALL, RunStatus::as_str))]
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
    listing: ListingArguments,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    let page = arguments.listing.call.connection.ask(async |client| {
        let session_id = match &arguments.session {
            Some(id) => Some(id_prefix::referred(client, id).await?),
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
        let which = &which;
        let fetch = |page: accord_api::PageQuery| async move {
            client.runs(&RunQuery { limit: page.limit, cursor: page.cursor, ..which.clone() }).await
        };
        arguments.listing.paging.gather(fetch).await
    })?;
    let Arguments { status, agent, session, filters, .. } = arguments;
    let filtered = status.is_some() || agent.is_some() || session.is_some() || filters.is_some();
    let none = paging::none("runs", filtered);
    paging::show(&page, arguments.listing.call.json, &none, |runs| run::list(runs, &Times::here()))
}
