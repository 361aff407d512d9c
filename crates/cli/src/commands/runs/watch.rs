//! `accord runs watch`.

use accord_api::{RunId, RunView};

use crate::connection::{Access, ConnectionArguments, none_runs};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::follow::{Follower, OnSignal, Seen};
use crate::view::words::Times;
use crate::view::{event, run};
use crate::{beginning, output, runtime};

/// Follow a run until it is over: attempts, tools, verdicts
#[derive(Debug, clap::Args)]
#[command(after_help = "\
What happened before is shown first; of a run that is over that is all, and no coordinator has to
run. With --json each event is a line of JSON. Ctrl-C, or a reader that goes away, ends the watching
(exit code 4) and leaves the run alone.
Exit codes: 0 completed, 2 the contract was not met, 3 failed otherwise, 4 stopped or timed out.

Examples:
  accord runs watch run_…
  accord runs watch run_… --json | jq -r 'select(.type == \"attempt.judged\").attempt.outcome'")]
pub(crate) struct Arguments {
    /// The run's id, or a beginning that no other has
    run: RunId,
    /// Print each event as a line of JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    connection: ConnectionArguments,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    runtime::block_on(async {
        let client = arguments.connection.reach(Access::Look).await?;
        let follower = Follower::new(&client, OnSignal::Leave)?;
        let RunView { run_id, created_at: start, status, .. } =
            beginning::run(&client, &arguments.run).await?;
        if client.is_own() && !status.is_over() {
            return Err(none_runs().into());
        }
        let show = |event: Seen<'_>| -> Result<(), Failure> {
            let event = match event {
                Ok(event) => event,
                Err(error) => {
                    output::talk(&event::unread(error));
                    return Ok(());
                }
            };
            if arguments.json {
                output::json(event)?;
            } else if let Some(line) = event::view(event, start) {
                output::show(&line)?;
            }
            // Who has seen the end has seen how it ended.
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
