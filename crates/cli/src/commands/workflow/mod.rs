//! `accord workflows`: graphs of agents.

mod examine;
mod follow;
mod list;
mod push;
mod retry;
mod rm;
mod run;
mod runs;
mod show;
mod stop;
mod validate;

pub(crate) use examine::workflows_in;
pub(crate) use follow::follow;
pub(crate) use run::{exit, report, why_stopped};

use clap::Subcommand;

use crate::exit::Exit;
use crate::failure::Failure;

/// Manage and run workflows: list, validate, run, runs, show, stop, retry, push, rm
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A workflow is a file .accord/workflows/NAME.yaml (or .json) with nodes and edges: agents that pass
results to each other, with checks and conditions in between.

Examples:
  accord workflows list
  accord workflows validate
  accord workflows run code-review --input diff.json
  accord workflows runs --status failed
  accord workflows show wfr_…")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    List(list::Arguments),
    Validate(validate::Arguments),
    Run(run::Arguments),
    Runs(runs::Arguments),
    Show(show::Arguments),
    Stop(stop::Arguments),
    Retry(retry::Arguments),
    Push(push::Arguments),
    Rm(rm::Arguments),
}

pub(crate) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    match &arguments.command {
        Command::List(arguments) => list::run(arguments),
        Command::Validate(arguments) => validate::run(arguments),
        Command::Run(arguments) => run::run(arguments),
        Command::Runs(arguments) => runs::run(arguments),
        Command::Show(arguments) => show::run(arguments),
        Command::Stop(arguments) => stop::run(arguments),
        Command::Retry(arguments) => retry::run(arguments),
        Command::Push(arguments) => push::run(arguments),
        Command::Rm(arguments) => rm::run(arguments),
    }
}
