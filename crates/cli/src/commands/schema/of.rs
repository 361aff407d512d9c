//! `accord schema of`: the schemas of the files that people write for Accord.

use accord_coordinator::{agent_file_schema, workflow_file_schema};

use crate::exit::Exit;
use crate::failure::Failure;
use crate::output;

/// Print the schema of agent.yaml or of a workflow's file, for editors
#[derive(Debug, clap::Args)]
#[command(after_help = "\
An editor that knows the schema completes fields, shows what they are for, and marks slips while
you type. For editors with the YAML language server a line at the top of the file is enough:
  # yaml-language-server: $schema=../../agent.schema.json
Whether a file can be used, 'accord agents validate' and 'accord workflow validate' tell.

Examples:
  accord schema of agent > .accord/agent.schema.json
  accord schema of workflow > .accord/workflow.schema.json")]
pub(crate) struct Arguments {
    /// Which file
    #[arg(value_enum)]
    file: File,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum File {
    /// agent.yaml, or agent.json
    Agent,
    /// The file of a workflow
    Workflow,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    output::pretty_json(&match arguments.file {
        File::Agent => agent_file_schema(),
        File::Workflow => workflow_file_schema(),
    })?;
    Ok(Exit::Success)
}
