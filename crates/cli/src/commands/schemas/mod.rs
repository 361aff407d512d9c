//! `accord schemas`: the registry of output schemas, and work on schema files.

mod add;
mod list;
mod rm;
mod show;

use clap::Subcommand;

use crate::commands::schema;
use crate::exit::Exit;
use crate::failure::Failure;

/// Manage registered output schemas, and work with schema files
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A registered schema never changes, so callers that use it by name (--schema-name) always get the
same one: list, add, show, rm. The other commands work with schema files and need no server.

Examples:
  accord schemas add task task.schema.json --description \"One task\"
  accord schemas list
  accord schemas show task > task.schema.json
  accord schemas check schemas/*.json
  accord schemas lint --provider openai report.schema.json
  accord schemas infer examples/*.json > report.schema.json")]
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
    #[command(flatten)]
    Files(schema::Command),
}

pub(crate) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    match &arguments.command {
        Command::List(arguments) => list::run(arguments),
        Command::Add(arguments) => add::run(arguments),
        Command::Show(arguments) => show::run(arguments),
        Command::Rm(arguments) => rm::run(arguments),
        Command::Files(command) => schema::run(command),
    }
}
