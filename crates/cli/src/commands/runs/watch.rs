//! `accord runs watch`.

use std::fmt::Write as _;

use accord_api::{EventView, RunId, RunView};

use crate::connection::ConnectionArguments;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::follow::follow;
use crate::view::words::{self, Times};
use crate::view::{Tone, event};
use crate::{output, runtime};

/// Follow a run until it is over: attempts, tools, verdicts
#[derive(Debug, clap::Args)]
#[command(after_help = "\
What happened before is shown first. With --json each event is a line of JSON.
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
        let mut signals = runtime::signals()?;
        let start = client.run(&arguments.run).await?.created_at;
        let show = |event: &EventView| -> Result<(), Failure> {
            if arguments.json {
                output::json(event)?;
            } else if let Some(line) = event::view(event, start) {
                output::show(&line)?;
            }
            Ok(())
        };
        let run = tokio::select! {
            run = follow(&client, &arguments.run, show) => run?,
            Some(()) = signals.recv() => return Ok(Exit::Stopped),
        };
        if !arguments.json {
            output::show(&end(&run, &Times::here()))?;
        }
        Ok(Exit::of_run(run.status, run.error.as_ref().map(|error| error.kind)))
    })
}

/// The last line: how it ended, after how long, for how much.
fn end(run: &RunView, times: &Times) -> String {
    let mut text = format!(
        "{} {} after {}",
        run.run_id,
        Tone::from(run.status).paint(run.status.as_str()),
        times.since(run.created_at, run.finished_at)
    );
    let used = words::usage(&run.usage);
    if !used.is_empty() {
        let _ = write!(text, ", {used}");
    }
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::run::tests::completed;

    #[test]
    fn the_end_is_one_line() {
        let text = end(&completed(), &Times::fixed("2026-11-15T10:05:00Z", true));
        assert_eq!(
            anstream::adapter::strip_str(&text).to_string(),
            "run_1 completed after 2.4s, 120 in, 40 out, $0.0012\n"
        );
    }
}
