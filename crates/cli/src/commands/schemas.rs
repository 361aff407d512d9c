//! `accord schemas`: the registry of output schemas, and work on schema files.

use std::path::PathBuf;

use accord_api::{CreateSchema, SchemaView};
use accord_client::Client;
use clap::Subcommand;

use crate::call::{CallArguments, ListingArguments};
use crate::commands::schema::{self, compile};
use crate::connection::{Access, ConnectionArguments};
use crate::definitions::report_removed;
use crate::document::Input;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::view::text::{self, Times, line, short};
use crate::{output, runtime, table};

/// A description is a hint here.
const DESCRIPTION_CHARACTERS: usize = 60;

/// Enough of a hash to tell two apart.
const HASH_CHARACTERS: usize = 20;

/// Manage registered output schemas, and work with schema files
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A registered schema never changes, so callers that use it by name (--schema-name) always get the
same one: list, add, show, rm. The other commands work with schema files and need no server.

Examples:
  accord schemas add task task.schema.json --description \"One task\"
  accord schemas list
  accord schemas show task > task.schema.json
  accord schemas check schemas/*.json
  accord schemas lint --provider openai report.schema.json
  accord schemas infer examples/*.json > report.schema.json")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    List(ListArguments),
    Add(AddArguments),
    Show(ShowArguments),
    Rm(RmArguments),
    #[command(flatten)]
    Files(schema::Command),
}

pub(crate) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    match &arguments.command {
        Command::List(arguments) => list(arguments),
        Command::Add(arguments) => add(arguments),
        Command::Show(arguments) => show(arguments),
        Command::Rm(arguments) => rm(arguments),
        Command::Files(command) => schema::run(command),
    }
}

/// List registered schemas, by name
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  accord schemas list
  accord schemas list --all --json | jq -r '.items[].name'")]
struct ListArguments {
    #[command(flatten)]
    listing: ListingArguments,
}

fn list(arguments: &ListArguments) -> Result<Exit, Failure> {
    let none = "No schemas found. Register one with `accord schemas add NAME FILE`.";
    let fetch = async |client: &Client, page| client.schemas(&page).await;
    arguments.listing.print(fetch, none, |schemas| view(schemas, &Times::here()))
}

fn view(schemas: &[SchemaView], times: &Times) -> String {
    let columns = ["schema", "hash", "created", "description"];
    let mut table = table::new(&columns).spare(&["hash"]).free_text("description");
    for schema in schemas {
        table.add_row([
            line(&schema.name),
            short(&schema.hash, HASH_CHARACTERS),
            times.at(schema.created_at),
            short(&schema.description, DESCRIPTION_CHARACTERS),
        ]);
    }
    table.text()
}

/// Register a schema under a name
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The schema is compiled first, and errors are shown with their line. Adding the same schema again is
allowed; adding a different one under the same name is an error. Without --description the existing
description is kept.

Examples:
  accord schemas add task task.schema.json --description \"One task\"
  accord schemas infer examples/*.json | accord schemas add report -")]
struct AddArguments {
    /// Schema name: letters, digits, '-', '_' and '.'
    name: String,
    /// Schema file; '-' reads from stdin
    file: PathBuf,
    /// Description of the schema
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    #[command(flatten)]
    call: CallArguments,
}

fn add(arguments: &AddArguments) -> Result<Exit, Failure> {
    let source = Input::of(Some(&arguments.file)).read()?;
    compile(&source)?;
    let schema = source.json("schema")?;
    let added = runtime::block_on(async {
        let client = arguments.call.connection.reach(Access::Change).await?;
        let (name, description) = (arguments.name.clone(), arguments.description.clone());
        Ok(client.create_schema(&CreateSchema { name, description, schema }).await?)
    })?;
    arguments.call.print(&added, || format!("{}  {}\n", line(&added.name), line(&added.hash)))
}

/// Print a registered schema
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  accord schemas show task > task.schema.json
  accord schemas show task --json | jq -r .hash")]
struct ShowArguments {
    /// Schema name
    name: String,
    /// Print JSON with all metadata
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    connection: ConnectionArguments,
}

fn show(arguments: &ShowArguments) -> Result<Exit, Failure> {
    let schema = arguments.connection.ask(async |client| Ok(client.schema(&arguments.name).await?))?;
    if arguments.json {
        output::json(&schema)?;
    } else if output::stdout_is_terminal() {
        output::show(&format!("{}\n", text::json(&schema.schema)))?;
    } else {
        output::pretty_json(&schema.schema)?;
    }
    Ok(Exit::Success)
}

/// Remove a registered schema
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Fails if an agent refers to it. Existing runs keep their copy of the schema.

Examples:
  accord schemas rm task")]
struct RmArguments {
    /// Schema name
    name: String,
    #[command(flatten)]
    call: CallArguments,
}

fn rm(arguments: &RmArguments) -> Result<Exit, Failure> {
    arguments.call.connection.ask(async |client| Ok(client.delete_schema(&arguments.name).await?))?;
    report_removed(&arguments.name, arguments.call.json)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schema_is_a_line() {
        let at: jiff::Timestamp = "2026-11-15T10:00:00Z".parse().unwrap();
        let schema = SchemaView {
            name: "task".to_owned(),
            description: "One\ntask".to_owned(),
            schema: serde_json::json!({}),
            hash: format!("sha256:{}", "0123456789abcdef".repeat(4)),
            created_at: at,
            modified_at: at,
            used_by: accord_api::SchemaUsers::default(),
        };
        insta::assert_snapshot!(view(&[schema], &Times::fixed("2026-11-15T10:05:00Z", false)), @r#"
        SCHEMA  HASH                  CREATED              DESCRIPTION
        task    sha256:0123456789ab…  2026-11-15 10:00:00  One\ntask
        "#);
    }
}
