//! Writes the files that are made from code: `dashboard/openapi.json`, which the dashboard's types come from, and the
//! tables of providers and executors in the dashboard and in the guide.
//!
//! The coordinator's own test writes the document, so that this tool does not have to build the coordinator for every
//! other task.

use std::path::{Path, PathBuf};
use std::process::Command;

use accord_contract::lower::Profile;
use accord_domain::agent::ExecutorKind;
use accord_domain::provider::ProviderKind;
use anyhow::Context as _;

const CATALOG: &str = "dashboard/src/lib/catalog.ts";
const GUIDE: &str = "docs/guides/configuration.md";
const TABLE_START: &str = "<!-- providers: written by `cargo xtask gen` -->\n";
const TABLE_END: &str = "<!-- end of providers -->\n";

/// Whether all files were written.
pub(crate) fn run() -> anyhow::Result<bool> {
    for (file, text) in tables()? {
        std::fs::write(path(file), text).with_context(|| format!("{file} cannot be written"))?;
    }
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let arguments = [
        "test",
        "--quiet",
        "--package",
        "accord-coordinator",
        "--lib",
        "the_file_of_the_dashboard_is_current",
    ];
    let status = Command::new(cargo)
        .args(arguments)
        .env("ACCORD_WRITE_OPENAPI", "1")
        .status()
        .context("cargo cannot be started")?;
    Ok(status.success())
}

/// Each file with a table, and its current text.
fn tables() -> anyhow::Result<[(&'static str, String); 2]> {
    let guide = std::fs::read_to_string(path(GUIDE)).with_context(|| format!("{GUIDE} cannot be read"))?;
    let (before, rest) = guide.split_once(TABLE_START).context("the guide has no table of providers")?;
    let (_, after) = rest.split_once(TABLE_END).context("the table of providers in the guide has no end")?;
    let guide = format!("{before}{TABLE_START}{}{TABLE_END}{after}", provider_table());
    Ok([(CATALOG, catalog()), (GUIDE, guide)])
}

fn path(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(file)
}

fn catalog() -> String {
    let field = |name: &str, value: &str| match name.contains(['-', '.']) {
        true => format!("  '{name}': '{value}',\n"),
        false => format!("  {name}: '{value}',\n"),
    };
    let quoted = |names: Vec<&str>| {
        let names: Vec<String> = names.into_iter().map(|name| format!("'{name}'")).collect();
        names.join(", ")
    };
    let providers = quoted(ProviderKind::ALL.map(ProviderKind::name).to_vec());
    let executors = ExecutorKind::ALL.map(ExecutorKind::row);
    let titles: String = executors.iter().map(|row| field(row.name, row.title)).collect();
    let executors = quoted(executors.iter().map(|row| row.name).collect());
    let used =
        |profile: &&Profile| ProviderKind::ALL.iter().any(|kind| kind.row().schema_profile == profile.name);
    let used: Vec<&Profile> = Profile::all().iter().filter(used).collect();
    let profiles = quoted(used.iter().map(|profile| profile.name.as_str()).collect());
    let labels: String = used.iter().map(|profile| field(&profile.name, &profile.label)).collect();
    format!(
        "// Written by `cargo xtask gen` from the tables in crates/domain and crates/contract.

export const PROVIDERS = [{providers}]

export const EXECUTORS = [{executors}] as const

export const EXECUTOR_TITLES: Record<(typeof EXECUTORS)[number], string> = {{
{titles}}}

export const SCHEMA_PROFILES = [{profiles}]

export const SCHEMA_PROFILE_LABELS: Record<string, string> = {{
{labels}}}
"
    )
}

fn provider_table() -> String {
    let rows = ProviderKind::ALL.map(ProviderKind::row).map(|row| {
        let address = match (row.base_url_variable, row.base_url) {
            (Some(variable), Some(address)) => format!("`{variable}`, else `{address}`"),
            (None, Some(address)) => format!("`{address}`"),
            (Some(variable), None) => format!("`{variable}`, else `base_url` of the agent"),
            (None, None) => "`base_url` of the agent".to_owned(),
        };
        let key = match (row.key_variable, row.token_variable, row.signing) {
            (Some(key), Some(token), _) => format!("`{key}`, else `{token}` as a bearer token"),
            (Some(key), None, Some(signing)) => {
                format!("`{key}`, else `{}` and `{}`, which sign requests", signing.key_id, signing.secret)
            }
            (Some(key), None, None) => format!("`{key}`"),
            (None, Some(token), _) => format!("none, or `{token}`"),
            (None, None, _) => "none".to_owned(),
        };
        format!("| `{}` | {} | {address} | {key} |\n", row.name, row.api)
    });
    rows.into_iter()
        .fold("| name | API | address | key |\n|---|---|---|---|\n".to_owned(), |table, row| table + &row)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_of_providers_are_current() {
        for (file, text) in tables().unwrap() {
            let found = std::fs::read_to_string(path(file)).unwrap();
            assert!(found == text, "{file} is not current: run 'cargo xtask gen'");
        }
    }
}
