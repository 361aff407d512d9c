//! `accord agents`: blueprints, and whether they can be used.

pub(crate) mod examples;
mod new;
mod push;
mod show;
mod validate;

use accord_api::AgentView;
use clap::Subcommand;

use crate::call::{CallArguments, ListingArguments};
use crate::definitions;
use crate::exit::Exit;
use crate::failure::Failure;

/// Manage agents: list, show, validate, new, examples, push, rm
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
    List(ListArguments),
    Show(show::Arguments),
    Validate(validate::Arguments),
    New(new::Arguments),
    Examples(examples::Arguments),
    Push(push::Arguments),
    /// Remove an agent from the database
    #[command(after_help = "\
Removes agents that were created by `accord agents push`, the HTTP API or the dashboard. To remove
an agent that is defined in a file, delete the file. Existing runs keep their copy of the agent.

Examples:
  accord agents rm ticket-triage
  accord agents rm ticket-triage --coordinator https://accord.example --key-file admin.key")]
    Rm(NameArguments),
}

pub(crate) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    match &arguments.command {
        Command::List(arguments) => definitions::list::<AgentView>(&arguments.listing, &arguments.tags),
        Command::Show(arguments) => show::run(arguments),
        Command::Validate(arguments) => validate::run(arguments),
        Command::New(arguments) => new::run(arguments),
        Command::Examples(arguments) => examples::run(arguments),
        Command::Push(arguments) => push::run(arguments),
        Command::Rm(NameArguments { name, call }) => definitions::remove::<AgentView>(call, name),
    }
}

/// List agents, including invalid ones
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Asks the coordinator that runs for this project; if none runs, reads the files of the project.
The exit code is 0 even if an agent is invalid; `accord agents validate` fails then.

Examples:
  accord agents list
  accord agents list --tags review,eu
  accord agents list --json | jq -r '.items[] | select(.valid | not).name'")]
struct ListArguments {
    /// Filter by tags; an agent must have all of them
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    tags: Vec<String>,
    #[command(flatten)]
    listing: ListingArguments,
}

#[derive(Debug, clap::Args)]
struct NameArguments {
    /// Agent name
    name: String,
    #[command(flatten)]
    call: CallArguments,
}
