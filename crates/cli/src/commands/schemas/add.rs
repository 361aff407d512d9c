//! `accord schemas add`.

use std::path::PathBuf;

use accord_api::CreateSchema;

use crate::commands::schema::compile;
use crate::connection::{Access, ConnectionArguments};
use crate::document::Input;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::view::text::line;
use crate::{output, runtime};

/// Register a schema under a name
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The schema is compiled first, and errors are shown with their line. Adding the same schema again is
allowed; adding a different one under the same name is an error. Without --description the existing
description is kept.

Examples:
  accord schemas add task task.schema.json --description \"One task\"
  accord schemas infer examples/*.json | accord schemas add report -")]
pub(crate) struct Arguments {
    /// Schema name: letters, digits, '-', '_' and '.'
    name: String,
    /// Schema file; '-' reads from stdin
    file: PathBuf,
    /// Description of the schema
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    connection: ConnectionArguments,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    let source = Input::of(Some(&arguments.file)).read()?;
    compile(&source)?;
    let schema = source.json("schema")?;
    let added = runtime::block_on(async {
        let client = arguments.connection.reach(Access::Change).await?;
        let (name, description) = (arguments.name.clone(), arguments.description.clone());
        Ok(client.create_schema(&CreateSchema { name, description, schema }).await?)
    })?;
    if arguments.json {
        output::json(&added)?;
    } else {
        output::show(&format!("{}  {}\n", line(&added.name), line(&added.hash)))?;
    }
    Ok(Exit::Success)
}
