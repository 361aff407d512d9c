//! `accord workflow rm`.

use accord_api::Source;

use crate::connection::{Access, ConnectionArguments};
use crate::exit::Exit;
use crate::failure::{Failure, Problem};
use crate::{output, runtime};

/// Take a workflow out of the store
#[derive(Debug, clap::Args)]
#[command(after_help = "\
For workflows that accord workflow push, the HTTP API or the dashboard has put there. One that lives
in a file is refused: its file is yours to remove. Runs that were made with it keep their copy.

Examples:
  accord workflow rm code-review
  accord workflow rm code-review --coordinator https://accord.example --key accord_…")]
pub(crate) struct Arguments {
    /// Its name
    name: String,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    connection: ConnectionArguments,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    let name = &arguments.name;
    runtime::block_on(async {
        let client = arguments.connection.reach(Access::Look).await?;
        let workflow = client.workflow(name).await?;
        if workflow.summary.source == Source::File {
            let file = workflow.file.unwrap_or_else(|| "a file of the coordinator".to_owned());
            return Err(Problem::new(format!("the workflow '{name}' lives in {file}, not in the store"))
                .hint("remove the file, if the workflow is to go")
                .into());
        }
        Ok(client.delete_workflow(name).await?)
    })?;
    if arguments.json {
        output::json(&serde_json::json!({"name": name, "removed": true}))?;
    } else {
        output::talk(&format!("removed {name}\n"));
    }
    Ok(Exit::Success)
}
