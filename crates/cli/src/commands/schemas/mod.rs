//! `accord schemas`: the registry of output schemas.

mod add;
mod list;
mod rm;
mod show;

use clap::Subcommand;

use crate::exit::Exit;
use crate::failure::Failure;

/// Manage registered output schemas: list, add, show, rm
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A registered schema never changes, so callers that use it by name (--schema-name) always get the
same one. For schema files, see `accord schema`.

Examples:
  accord schemas add task task.schema.json --description \"One task\"
  accord schemas list
  accord schemas show task > task.schema.json")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    List(list::Arguments),
    Add(add::Arguments),
    Show(show::Arguments),
    Rm(rm::Arguments),
}

pub(crate) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    match &arguments.command {
        Command::List(arguments) => list::run(arguments),
        Command::Add(arguments) => add::run(arguments),
        Command::Show(arguments) => show::run(arguments),
        Command::Rm(arguments) => rm::run(arguments),
    }
}
