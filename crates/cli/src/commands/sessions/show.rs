//! `accord sessions show`.

use accord_api::{PageQuery, RunQuery, SessionId};

use crate::connection::{Access, ConnectionArguments};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::paging::PagingArguments;
use crate::view::session;
use crate::view::text::Times;
use crate::{id_prefix, output, runtime};

/// Show a session, its runs and its child sessions
#[derive(Debug, clap::Args)]
#[command(after_help = "\
--json prints only the session; use `accord runs list --session` and `accord sessions list --parent`
for the rest.

Examples:
  accord sessions show ses_…
  accord sessions show ses_… --json | jq -r .status")]
pub(crate) struct Arguments {
    /// Session id, or a unique prefix of it
    session: SessionId,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    connection: ConnectionArguments,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    runtime::block_on(async {
        let client = &arguments.connection.reach(Access::Look).await?;
        let session = id_prefix::session(client, &arguments.session).await?;
        let id = &session.session_id;
        if arguments.json {
            output::json(&session)?;
            return Ok(Exit::Success);
        }
        let of_session = |page: PageQuery| async move {
            let session_id = Some(id.clone());
            client
                .runs(&RunQuery { session_id, limit: page.limit, cursor: page.cursor, ..RunQuery::default() })
                .await
        };
        let runs = PagingArguments::all().gather(of_session).await?;
        let started = |page: PageQuery| async move { client.session_children(id, &page).await };
        let children = PagingArguments::all().gather(started).await?;
        output::show(&session::view(&session, &runs.items, &children.items, &Times::here()))?;
        Ok(Exit::Success)
    })
}
