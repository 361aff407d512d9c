//! `accord coordinator`: the coordinator without a runner.

use crate::commands::up::{self, ServerArguments};
use crate::config::Config;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::project::ProjectArguments;

/// Start a coordinator without a runner (start runners with `accord runner`)
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Any number of coordinators can share one PostgreSQL database; runners can connect to any of them.

Examples:
  accord coordinator
  accord keys create --role admin && accord coordinator --listen 0.0.0.0:8765")]
pub(crate) struct Arguments {
    #[command(flatten)]
    project: ProjectArguments,
    #[command(flatten)]
    server: ServerArguments,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    let config = Config::load(&arguments.project.find()?, arguments.server.flags())?;
    up::serve(&config, false)
}
