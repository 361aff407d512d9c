//! `accord runs`: what was asked, and how it went.

mod again;
mod diff;
mod fork;
mod list;
mod retry;
mod show;
mod steps;
mod watch;

use accord_api::{FinishedRun, RunId};
use clap::Subcommand;

use crate::call::CallArguments;
use crate::connection::ConnectionArguments;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::for_each::{each, show_status};
use crate::view::Tone;
use crate::view::attempt::{self, AnswerText};
use crate::{id_prefix, output};

/// Inspect and control runs: list, show, watch, attempts, steps, stop, retry, fork, diff
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  accord runs list --status failed --since 24h
  accord runs watch run_…
  accord runs attempts run_… --text
  accord runs fork run_… --from 4 --model claude-opus-4-6")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    List(list::Arguments),
    Show(show::Arguments),
    Watch(watch::Arguments),
    Attempts(AttemptsArguments),
    Steps(steps::Arguments),
    /// Stop runs; finished runs are left unchanged
    #[command(after_help = "\
Pending runs stop immediately; running ones stay 'stopping' until their runner confirms. If no
coordinator runs for the project, runs are stopped in the database. If a run cannot be stopped, the
others still are; the exit code is that of the first failure.

Examples:
  accord runs stop run_…
  accord runs list --status running --json | jq -r '.items[].run_id' | xargs -r accord runs stop")]
    Stop(RunsArguments),
    Retry(retry::Arguments),
    Fork(fork::Arguments),
    Diff(diff::Arguments),
}

pub(crate) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    match &arguments.command {
        Command::List(arguments) => list::run(arguments),
        Command::Show(arguments) => show::run(arguments),
        Command::Watch(arguments) => watch::run(arguments),
        Command::Attempts(arguments) => attempts(arguments),
        Command::Stop(runs) => runs.stop(),
        Command::Steps(arguments) => steps::run(arguments),
        Command::Retry(arguments) => retry::run(arguments),
        Command::Fork(arguments) => fork::run(arguments),
        Command::Diff(arguments) => diff::run(arguments),
    }
}

/// Show every attempt of a run: outcome, errors, repairs, tokens, time
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Control characters in model output are escaped; --json prints it unchanged.

Examples:
  accord runs attempts run_…
  accord runs attempts run_… --text
  accord runs attempts run_… --json | jq -r '.items[0].text'")]
struct AttemptsArguments {
    /// Run id, or a unique prefix of it
    run: RunId,
    /// Also show each prompt and answer
    #[arg(long)]
    text: bool,
    #[command(flatten)]
    call: CallArguments,
}

fn attempts(arguments: &AttemptsArguments) -> Result<Exit, Failure> {
    let attempts = arguments.call.connection.ask(async |client| {
        let run = id_prefix::run(client, &arguments.run).await?;
        Ok(client.attempts(&run.run_id).await?)
    })?;
    if arguments.call.json {
        output::json(&attempts)?;
    } else if attempts.items.is_empty() {
        output::message("No attempts found: the run has no output schema, or has no answer yet.\n");
    } else {
        let text = if arguments.text { AnswerText::Shown } else { AnswerText::Hidden };
        output::show(&attempt::list(&attempts.items, text))?;
    }
    Ok(Exit::Success)
}

#[derive(Debug, clap::Args)]
struct RunsArguments {
    /// Run ids, or unique prefixes of them
    #[arg(value_name = "RUN", required = true)]
    runs: Vec<RunId>,
    /// Print one JSON object per line; failures have an "error" field
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    connection: ConnectionArguments,
}

impl RunsArguments {
    /// Stops each of the runs, and shows its status.
    fn stop(&self) -> Result<Exit, Failure> {
        self.connection.ask(async |client| {
            let stop = async |id: &RunId| {
                let id = id_prefix::run(client, id).await?.run_id;
                Ok(client.stop_run(&id).await?)
            };
            let show = |stopped: &FinishedRun| {
                let status = stopped.status;
                show_status(&stopped.run_id, Tone::from(status).paint(status.as_str()), stopped, self.json)
            };
            each(&self.runs, "run_id", self.json, stop, show).await
        })
    }
}
