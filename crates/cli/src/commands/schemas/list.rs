//! `accord schemas list`.

use accord_api::{PageQuery, SchemaView};

use crate::connection::{Access, ConnectionArguments};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::paging::{self, PagingArguments};
use crate::view::text::{Times, line, short};
use crate::{runtime, table};

/// A description is a hint here.
const DESCRIPTION_CHARACTERS: usize = 60;

/// Enough of a hash to tell two apart.
const HASH_CHARACTERS: usize = 20;

/// List registered schemas, by name
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  accord schemas list
  accord schemas list --all --json | jq -r '.items[].name'")]
pub(crate) struct Arguments {
    #[command(flatten)]
    paging: PagingArguments,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    connection: ConnectionArguments,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    let page = runtime::block_on(async {
        let client = &arguments.connection.reach(Access::Look).await?;
        arguments.paging.gather(|page: PageQuery| async move { client.schemas(&page).await }).await
    })?;
    let none = "No schemas found. Register one with `accord schemas add NAME FILE`.";
    paging::show(&page, arguments.json, none, |schemas| view(schemas, &Times::here()))
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
