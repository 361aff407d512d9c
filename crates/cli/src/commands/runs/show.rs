//! `accord runs show`.

use accord_api::{PageQuery, RunId, RunStatus, SessionId, SessionQuery};
use accord_client::Client;

use crate::call::CallArguments;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::view::run;
use crate::view::text::Times;
use crate::{id_prefix, paging};

/// Show a run: parameters, contract, result or error
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  accord runs show run_…
  accord runs show run_… --json | jq .result.result_data")]
pub(crate) struct Arguments {
    /// Run id, or a unique prefix of it
    run: RunId,
    #[command(flatten)]
    call: CallArguments,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    let (run, children) = arguments.call.connection.ask(async |client| {
        let run = id_prefix::run(client, &arguments.run).await?;
        let children = match run.status {
            RunStatus::Waiting if !arguments.call.json => unfinished(client, &run.session_id).await?,
            _ => Vec::new(),
        };
        Ok((run, children))
    })?;
    arguments.call.print(&run, || run::view(&run, &children, &Times::here()))
}

/// The children that a run still waits for.
async fn unfinished(client: &Client, parent: &SessionId) -> Result<Vec<SessionId>, Failure> {
    let which = SessionQuery { parent_session_id: Some(parent.clone()), ..SessionQuery::default() };
    let which = &which;
    let fetch = |page: PageQuery| async move {
        client.sessions(&SessionQuery { limit: page.limit, cursor: page.cursor, ..which.clone() }).await
    };
    paging::sift(fetch, |child| child.status.is_busy().then_some(child.session_id)).await
}
