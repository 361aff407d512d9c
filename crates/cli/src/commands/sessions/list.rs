//! `accord sessions list`.

use accord_api::{PageQuery, SessionId, SessionQuery, SessionStatus};

use crate::call::ListingArguments;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::id_prefix;
use crate::paging::{self, FilterArguments};
use crate::view::session;
use crate::view::text::Times;

/// List sessions, newest first
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Columns that do not fit the terminal are omitted; --json has all of them.

Examples:
  accord sessions list --status idle
  accord sessions list --search \"cannot log in\" --since 7d
  accord sessions list --parent ses_… --json | jq -r '.items[].session_id'")]
pub(crate) struct Arguments {
    /// Filter by status
    #[arg(long, value_name = "STATUS", value_parser = paging::one_of(SessionStatus::ALL, SessionStatus::as_str))]
    status: Option<SessionStatus>,
    /// Filter by agent
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// Filter by parent session
    #[arg(long, value_name = "SESSION")]
    parent: Option<SessionId>,
    #[command(flatten)]
    filters: FilterArguments,
    #[command(flatten)]
    listing: ListingArguments,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    let page = arguments.listing.call.connection.ask(async |client| {
        let parent_session_id = match &arguments.parent {
            Some(id) => Some(id_prefix::referred(client, id).await?),
            None => None,
        };
        let which = SessionQuery {
            status: arguments.status,
            agent_name: arguments.agent.clone(),
            parent_session_id,
            q: arguments.filters.search.clone(),
            since: arguments.filters.since,
            until: arguments.filters.until,
            ..SessionQuery::default()
        };
        let which = &which;
        let fetch = |page: PageQuery| async move {
            client.sessions(&SessionQuery { limit: page.limit, cursor: page.cursor, ..which.clone() }).await
        };
        arguments.listing.paging.gather(fetch).await
    })?;
    let Arguments { status, agent, parent, filters, .. } = arguments;
    let filtered = status.is_some() || agent.is_some() || parent.is_some() || filters.is_some();
    let none = paging::none("sessions", filtered);
    paging::show(&page, arguments.listing.call.json, &none, |sessions| {
        session::list(sessions, &Times::here())
    })
}
