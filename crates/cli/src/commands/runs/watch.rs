//! `accord runs watch`.

use accord_api::{RunId, RunView};

use crate::connection::{ConnectionArguments, none_runs};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::follow::{Follower, OnSignal, Seen};
use crate::view::text::Times;
use crate::view::{event, run};
use crate::{id_prefix, output};

/// Follow a run until it finishes: attempts, tool calls, outcomes
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Past events are shown first. A finished run can be watched without a coordinator. Ctrl-C, or closing
stdout, ends the command (exit code 4) and does not affect the run.
Exit codes: 0 completed, 2 contract not met, 3 other failure, 4 stopped or timed out.

Examples:
  accord runs watch run_…
  accord runs watch run_… --json | jq -r 'select(.type == \"attempt.judged\").attempt.outcome'")]
pub(crate) struct Arguments {
    /// Run id, or a unique prefix of it
    run: RunId,
    /// Print each event as one line of JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    connection: ConnectionArguments,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    arguments.connection.ask(async |client| {
        let follower = Follower::new(client, OnSignal::Leave)?;
        let RunView { run_id, created_at: start, status, .. } =
            id_prefix::run(client, &arguments.run).await?;
        if client.is_own() && !status.is_over() {
            return Err(none_runs().into());
        }
        let show = |event: Seen<'_>| -> Result<(), Failure> {
            let event = match event {
                Ok(event) => event,
                Err(error) => {
                    output::message(&event::unread(error));
                    return Ok(());
                }
            };
            if arguments.json {
                output::json(event)?;
            } else if let Some(line) = event::view(event, start) {
                output::show(&line)?;
            }
            // If the last event was shown, the outcome was shown with it.
            if !event::ends(&event.body) {
                output::still_read()?;
            }
            Ok(())
        };
        let ending = follower.follow(&run_id, show).await?;
        if !arguments.json {
            output::show(&run::end(&ending.run, &Times::here()))?;
        }
        Ok(ending.exit())
    })
}
