//! `accord runs`: what was asked, and how it went.

mod attempts;
mod list;
mod retry;
mod show;
mod stop;
mod watch;

use clap::Subcommand;

use crate::exit::Exit;
use crate::failure::Failure;

/// Inspect and control runs: list, show, watch, attempts, stop, retry
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  accord runs list --status failed --since 24h
  accord runs watch run_…
  accord runs attempts run_… --text")]
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
    Stop(stop::Arguments),
    Retry(retry::Arguments),
}

pub(crate) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    match &arguments.command {
        Command::List(arguments) => list::run(arguments),
        Command::Show(arguments) => show::run(arguments),
        Command::Watch(arguments) => watch::run(arguments),
        Command::Attempts(arguments) => attempts::run(arguments),
        Command::Stop(arguments) => stop::run(arguments),
        Command::Retry(arguments) => retry::run(arguments),
    }
}
