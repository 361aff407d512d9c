//! `accord sessions stop`.

use accord_api::SessionId;

use crate::connection::{Access, ConnectionArguments};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::view::Tone;
use crate::{id_prefix, output, runtime};

/// Stop the run of a session, if one is in progress
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  accord sessions stop ses_…")]
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
    let stopped = runtime::block_on(async {
        let client = arguments.connection.reach(Access::Look).await?;
        let session = id_prefix::session(&client, &arguments.session).await?;
        Ok(client.stop_session(&session.session_id).await?)
    })?;
    if arguments.json {
        output::json(&stopped)?;
    } else {
        let status = Tone::from(stopped.status).paint(stopped.status.as_str());
        output::show(&format!("{}  {status}\n", stopped.session_id))?;
    }
    Ok(Exit::Success)
}
