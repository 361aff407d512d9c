//! `accord workflows rm`.

use crate::connection::{Access, ConnectionArguments};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::{removal, runtime};

/// Remove a workflow from the database
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Removes workflows that were created by `accord workflows push`, the HTTP API or the dashboard. To
remove a workflow that is defined in a file, delete the file. Existing runs keep their copy of the
workflow.

Examples:
  accord workflows rm code-review
  accord workflows rm code-review --coordinator https://accord.example --key-file admin.key")]
pub(crate) struct Arguments {
    /// Workflow name
    name: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    connection: ConnectionArguments,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    let name = &arguments.name;
    runtime::block_on(async {
        let client = arguments.connection.reach(Access::Look).await?;
        let found = client.workflow(name).await?;
        removal::require_stored("workflow", name, found.summary.source, found.file)?;
        Ok(client.delete_workflow(name).await?)
    })?;
    removal::report(name, arguments.json)
}
