//! The part of `accord schemas` that works on files, without a server.

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
use crate::meter::meter;

/// What can be done with schema files.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Check(check::Arguments),
    Lint(lint::Arguments),
    Lower(lower::Arguments),
    Infer(infer::Arguments),
    Of(of::Arguments),
}

pub(crate) fn run(command: &Command) -> Result<Exit, Failure> {
    match command {
        Command::Check(arguments) => check::run(arguments),
        Command::Lint(arguments) => lint::run(arguments),
        Command::Lower(arguments) => lower::run(arguments),
        Command::Infer(arguments) => infer::run(arguments),
        Command::Of(arguments) => of::run(arguments),
    }
}

/// Reads and compiles a schema, or shows the place that does not compile.
pub(crate) fn compile(source: &Source) -> Result<Schema, Problem> {
    Schema::compile(&source.json("schema")?, &meter()).map_err(|error| {
        let message = format!("{} is not a valid schema: {}", source.name, error.message);
        Problem::new(message).at_part(source, &error.path, &error.pointer)
    })
}
