//! `accord sessions`: conversations with agents.

mod list;
mod result;
mod resume;
mod rm;
mod show;
mod stop;

use clap::Subcommand;

use crate::exit::Exit;
use crate::failure::Failure;

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
    Show(show::Arguments),
    Result(result::Arguments),
    Resume(resume::Arguments),
    Stop(stop::Arguments),
    Rm(rm::Arguments),
}

pub(crate) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    match &arguments.command {
        Command::List(arguments) => list::run(arguments),
        Command::Show(arguments) => show::run(arguments),
        Command::Result(arguments) => result::run(arguments),
        Command::Resume(arguments) => resume::run(arguments),
        Command::Stop(arguments) => stop::run(arguments),
        Command::Rm(arguments) => rm::run(arguments),
    }
}
