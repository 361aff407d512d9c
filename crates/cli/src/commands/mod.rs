//! One command a file.

pub(crate) mod acp;
pub(crate) mod agents;
pub(crate) mod audit;
pub(crate) mod batch;
pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod coordinator;
pub(crate) mod doctor;
pub(crate) mod endpoints;
pub(crate) mod init;
pub(crate) mod inputs;
pub(crate) mod keys;
pub(crate) mod mcp;
pub(crate) mod prompt;
pub(crate) mod read_pdf;
pub(crate) mod record;
pub(crate) mod replay;
pub(crate) mod review;
pub(crate) mod run;
pub(crate) mod runner;
pub(crate) mod runners;
pub(crate) mod runs;
pub(crate) mod schema;
pub(crate) mod schemas;
pub(crate) mod sessions;
pub(crate) mod stats;
pub(crate) mod submit;
pub(crate) mod types;
pub(crate) mod up;
pub(crate) mod workflow;

use crate::arguments::Command;
use crate::exit::Exit;
use crate::failure::Failure;

pub(crate) fn run(command: Command) -> Result<Exit, Failure> {
    match command {
        Command::Up(arguments) => up::run(&arguments),
        Command::Coordinator(arguments) => coordinator::run(&arguments),
        Command::Runner(arguments) => runner::run(&arguments),
        Command::Runners(arguments) => runners::run(&arguments),
        Command::Endpoints(arguments) => endpoints::run(&arguments),
        Command::Run(arguments) => run::run(&arguments),
        Command::Batch(arguments) => batch::run(&arguments),
        Command::Prompt(arguments) => prompt::run(&arguments),
        Command::Record(arguments) => record::run(&arguments),
        Command::Replay(arguments) => replay::run(&arguments),
        Command::Review(arguments) => review::run(&arguments),
        Command::Init(arguments) => init::run(&arguments),
        Command::Agents(arguments) => agents::run(&arguments),
        Command::Workflows(arguments) => workflow::run(&arguments),
        Command::Sessions(arguments) => sessions::run(&arguments),
        Command::Runs(arguments) => runs::run(&arguments),
        Command::Inputs(arguments) => inputs::run(&arguments),
        Command::Stats(arguments) => stats::run(&arguments),
        Command::Schemas(arguments) => schemas::run(&arguments),
        Command::Keys(arguments) => keys::run(&arguments),
        Command::Audit(arguments) => audit::run(&arguments),
        Command::Doctor(arguments) => doctor::run(&arguments),
        Command::Check(arguments) => check::run(&arguments),
        Command::Acp(arguments) => acp::run(&arguments),
        Command::Types(arguments) => types::run(&arguments),
        Command::Mcp(arguments) => mcp::run(&arguments),
        Command::Submit(arguments) => submit::run(&arguments),
        Command::ReadPdf(arguments) => read_pdf::run(&arguments),
        Command::Completions(arguments) => completions::run(&arguments),
    }
}
