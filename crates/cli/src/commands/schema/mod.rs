//! `accord schema`: work on schema files, without a server.

mod check;
mod infer;
mod lint;
mod lower;
mod of;
mod provider;

use accord_contract::Schema;
use clap::Subcommand;

use crate::document::Source;
use crate::exit::Exit;
use crate::failure::{Failure, Problem};

/// Work with schema files: check, lint, lower, infer, of
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  accord schema check schemas/*.json
  accord schema lint --provider openai report.schema.json
  accord schema lower --for anthropic report.schema.json > lowered.json
  accord schema infer examples/*.json > report.schema.json
  accord schema of agent > .accord/agent.schema.json")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Check(check::Arguments),
    Lint(lint::Arguments),
    Lower(lower::Arguments),
    Infer(infer::Arguments),
    Of(of::Arguments),
}

pub(crate) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    match &arguments.command {
        Command::Check(arguments) => check::run(arguments),
        Command::Lint(arguments) => lint::run(arguments),
        Command::Lower(arguments) => lower::run(arguments),
        Command::Infer(arguments) => infer::run(arguments),
        Command::Of(arguments) => of::run(arguments),
    }
}

/// Reads and compiles a schema, or shows the place that does not compile.
pub(crate) fn compile(source: &Source) -> Result<Schema, Problem> {
    Schema::compile(&source.json("schema")?).map_err(|error| {
        let message = format!("{} is not a valid schema: {}", source.name, error.message);
        Problem::new(message).at_part(source, &error.path, &error.pointer)
    })
}
