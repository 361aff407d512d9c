//! `accord runs`: what was asked, and how it went.

mod again;
mod attempts;
mod diff;
mod fork;
mod list;
mod retry;
mod show;
mod steps;
mod stop;
mod watch;

use clap::Subcommand;

use crate::exit::Exit;
use crate::failure::Failure;

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
    Attempts(attempts::Arguments),
    Steps(steps::Arguments),
    Stop(stop::Arguments),
    Retry(retry::Arguments),
    Fork(fork::Arguments),
    Diff(diff::Arguments),
}

pub(crate) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    match &arguments.command {
        Command::List(arguments) => list::run(arguments),
        Command::Show(arguments) => show::run(arguments),
        Command::Watch(arguments) => watch::run(arguments),
        Command::Attempts(arguments) => attempts::run(arguments),
        Command::Steps(arguments) => steps::run(arguments),
        Command::Stop(arguments) => stop::run(arguments),
        Command::Retry(arguments) => retry::run(arguments),
        Command::Fork(arguments) => fork::run(arguments),
        Command::Diff(arguments) => diff::run(arguments),
    }
}
