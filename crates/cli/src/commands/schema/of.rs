//! `accord schemas of`: the schemas of the files that people write for Accord.

use accord_blueprint::agent_file_schema;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::output;

/// Print the schema of agent or workflow files, for editors
#[derive(Debug, clap::Args)]
#[command(after_help = "\
An editor that knows the schema completes fields, shows their descriptions, and marks errors as you
type. With the YAML language server, add this line at the top of the file:
  # yaml-language-server: $schema=../../agent.schema.json
For a full check, run `accord agents validate` or `accord workflows validate`.

Examples:
  accord schemas of agent > .accord/agent.schema.json
  accord schemas of workflow > .accord/workflow.schema.json")]
pub(crate) struct Arguments {
    /// Kind of file
    #[arg(value_enum)]
    file: File,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum File {
    /// agent.yaml or agent.json
    Agent,
    /// Workflow file
    Workflow,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    output::pretty_json(&match arguments.file {
        File::Agent => agent_file_schema(),
        File::Workflow => accord_workflow::file_schema(),
    })?;
    Ok(Exit::Success)
}
