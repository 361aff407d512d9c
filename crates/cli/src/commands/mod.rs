//! One command a file.

pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod schema;

use crate::arguments::Command;
use crate::exit::Exit;
use crate::failure::Failure;

pub(crate) fn run(command: Command) -> Result<Exit, Failure> {
    match command {
        Command::Check(arguments) => check::run(&arguments),
        Command::Schema(arguments) => schema::run(&arguments),
        Command::Completions(arguments) => completions::run(&arguments),
    }
}
