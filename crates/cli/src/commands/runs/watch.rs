//! `accord runs watch`.

use accord_api::{EventView, RunId};

use crate::connection::ConnectionArguments;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::follow::{Follower, OnSignal};
use crate::view::words::Times;
use crate::view::{event, run};
use crate::{output, runtime};

/// Follow a run until it is over: attempts, tools, verdicts
#[derive(Debug, clap::Args)]
#[command(after_help = "\
What happened before is shown first. With --json each event is a line of JSON. Ctrl-C, or a reader
that goes away, ends the watching (exit code 4) and leaves the run alone.
Exit codes: 0 completed, 2 the contract was not met, 3 failed otherwise, 4 stopped or timed out.

Examples:
  accord runs watch run_…
  accord runs watch run_… --json | jq -r 'select(.type == \"attempt.judged\").attempt.outcome'")]
pub(crate) struct Arguments {
    /// The run
    run: RunId,
    /// Print each event as a line of JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    connection: ConnectionArguments,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    runtime::block_on(async {
        let client = arguments.connection.client().await?;
        let follower = Follower::new(&client, OnSignal::Leave)?;
        let start = client.run(&arguments.run).await?.created_at;
        let show = |event: &EventView| -> Result<(), Failure> {
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
        let ending = follower.follow(&arguments.run, show).await?;
        if !arguments.json {
            output::show(&run::end(&ending.run, &Times::here()))?;
        }
        Ok(ending.exit())
    })
}
