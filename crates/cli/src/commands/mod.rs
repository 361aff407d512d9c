//! One command a file.

pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod coordinator;
pub(crate) mod record;
pub(crate) mod replay;
pub(crate) mod run;
pub(crate) mod runner;
pub(crate) mod schema;
pub(crate) mod up;

use crate::arguments::Command;
use crate::exit::Exit;
use crate::failure::Failure;

pub(crate) fn run(command: Command) -> Result<Exit, Failure> {
    match command {
        Command::Up(arguments) => up::run(&arguments),
        Command::Coordinator(arguments) => coordinator::run(&arguments),
        Command::Runner(arguments) => runner::run(&arguments),
        Command::Run(arguments) => run::run(&arguments),
        Command::Record(arguments) => record::run(&arguments),
        Command::Replay(arguments) => replay::run(&arguments),
        Command::Check(arguments) => check::run(&arguments),
        Command::Schema(arguments) => schema::run(&arguments),
        Command::Completions(arguments) => completions::run(&arguments),
    }
}
