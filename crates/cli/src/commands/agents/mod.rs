//! `accord agents`: blueprints, and whether they can be used.

mod list;
mod new;
mod push;
mod rm;
mod show;
mod validate;

use clap::Subcommand;

use crate::exit::Exit;
use crate::failure::Failure;

/// Manage agents: list, show, validate, new, push, rm
#[derive(Debug, clap::Args)]
#[command(after_help = "\
An agent is a folder .accord/agents/NAME with an agent.yaml (or agent.json) and, optionally, a
system-prompt.md.

Examples:
  accord agents new ticket-triage
  accord agents validate
  accord agents list")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    List(list::Arguments),
    Show(show::Arguments),
    Validate(validate::Arguments),
    New(new::Arguments),
    Push(push::Arguments),
    Rm(rm::Arguments),
}

pub(crate) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    match &arguments.command {
        Command::List(arguments) => list::run(arguments),
        Command::Show(arguments) => show::run(arguments),
        Command::Validate(arguments) => validate::run(arguments),
        Command::New(arguments) => new::run(arguments),
        Command::Push(arguments) => push::run(arguments),
        Command::Rm(arguments) => rm::run(arguments),
    }
}
