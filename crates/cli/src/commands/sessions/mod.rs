//! `accord sessions`: conversations with agents.

mod list;
mod result;
mod resume;
mod rm;

use accord_api::{PageQuery, RunQuery, SessionId};
use clap::Subcommand;

use crate::call::CallArguments;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::for_each::show_status;
use crate::paging::PagingArguments;
use crate::view::text::Times;
use crate::view::{Tone, session};
use crate::{id_prefix, output};

/// Inspect and resume sessions: list, show, result, resume, stop, rm
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  accord sessions list --agent ticket-triage
  accord sessions result ses_…
  accord sessions resume ses_… \"And in French?\"")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    List(list::Arguments),
    /// Show a session, its runs and its child sessions
    #[command(after_help = "\
--json prints only the session; use `accord runs list --session` and `accord sessions list --parent`
for the rest.

Examples:
  accord sessions show ses_…
  accord sessions show ses_… --json | jq -r .status")]
    Show(SessionArguments),
    Result(result::Arguments),
    Resume(resume::Arguments),
    /// Stop the run of a session, if one is in progress
    #[command(after_help = "\
Examples:
  accord sessions stop ses_…")]
    Stop(SessionArguments),
    Rm(rm::Arguments),
}

pub(crate) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    match &arguments.command {
        Command::List(arguments) => list::run(arguments),
        Command::Show(arguments) => show(arguments),
        Command::Result(arguments) => result::run(arguments),
        Command::Resume(arguments) => resume::run(arguments),
        Command::Stop(arguments) => stop(arguments),
        Command::Rm(arguments) => rm::run(arguments),
    }
}

#[derive(Debug, clap::Args)]
struct SessionArguments {
    /// Session id, or a unique prefix of it
    session: SessionId,
    #[command(flatten)]
    call: CallArguments,
}

fn show(arguments: &SessionArguments) -> Result<Exit, Failure> {
    arguments.call.connection.ask(async |client| {
        let session = id_prefix::session(client, &arguments.session).await?;
        let id = &session.session_id;
        if arguments.call.json {
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

fn stop(arguments: &SessionArguments) -> Result<Exit, Failure> {
    let stopped = arguments.call.connection.ask(async |client| {
        let session = id_prefix::session(client, &arguments.session).await?;
        Ok(client.stop_session(&session.session_id).await?)
    })?;
    let status = Tone::from(stopped.status).paint(stopped.status.as_str());
    show_status(&stopped.session_id, status, &stopped, arguments.call.json)?;
    Ok(Exit::Success)
}
