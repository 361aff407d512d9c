//! `accord runners`: who takes work.

use accord_api::RunnerView;
use accord_client::Client;
use clap::Subcommand;

use crate::call::ListingArguments;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::table;
use crate::view::Tone;
use crate::view::text::{Times, line};

/// Inspect runners: list
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A run waits for a live runner that meets its requirements: executor, tags, host, folder.

Examples:
  accord runners list")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    List(ListArguments),
}

/// List registered runners, newest first
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A runner that misses its heartbeats is marked gone, and its runs are queued again.
Columns that do not fit the terminal are omitted; --json has all of them.

Examples:
  accord runners list
  accord runners list --json | jq -r '.items[] | select(.alive).profile.hostname'")]
struct ListArguments {
    #[command(flatten)]
    listing: ListingArguments,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    let Command::List(arguments) = &arguments.command;
    let none = "No runners found. Start one with `accord up` or `accord runner`.";
    let fetch = async |client: &Client, page| client.runners(&page).await;
    arguments.listing.print(fetch, none, |runners| view(runners, &Times::here()))
}

fn view(runners: &[RunnerView], times: &Times) -> String {
    let columns = ["runner", "state", "host", "concurrency", "executors", "tags", "last seen", "folder"];
    let mut table = table::new(&columns).spare(&["folder", "tags", "last seen", "executors"]);
    for RunnerView { runner_id, profile, alive, seen_at, .. } in runners {
        let state = if *alive { Tone::Good.cell("alive") } else { Tone::Plain.cell("gone") };
        let names = |names: &std::collections::BTreeSet<String>| {
            line(&names.iter().map(String::as_str).collect::<Vec<_>>().join(", "))
        };
        table.add_row([
            Tone::Plain.cell(runner_id.as_str()),
            state,
            Tone::Plain.cell(&line(&profile.hostname)),
            Tone::Plain.cell(&profile.concurrency.to_string()),
            Tone::Plain.cell(&names(&profile.executor_types)),
            Tone::Plain.cell(&names(&profile.tags)),
            Tone::Plain.cell(&times.at(*seen_at)),
            Tone::Plain.cell(&line(&profile.project_dir)),
        ]);
    }
    table.text()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_runner_is_a_line() {
        let runner = |alive: bool| -> RunnerView {
            serde_json::from_value(serde_json::json!({
                "runner_id": "rnr_1",
                "profile": {"hostname": "left\nbank", "project_dir": "/project", "concurrency": 4,
                    "executor_types": ["llm", "process"], "tags": ["gpu"], "held_executor_types": [], "version": "1"},
                "alive": alive,
                "registered_at": "2026-11-15T10:00:00Z",
                "seen_at": "2026-11-15T10:00:00Z"
            }))
            .unwrap()
        };
        let times = Times::fixed("2026-11-15T10:05:00Z", false);
        insta::assert_snapshot!(view(&[runner(true), runner(false)], &times), @r#"
        RUNNER  STATE  HOST        CONCURRENCY  EXECUTORS     TAGS  LAST SEEN            FOLDER
        rnr_1   alive  left\nbank  4            llm, process  gpu   2026-11-15 10:00:00  /project
        rnr_1   gone   left\nbank  4            llm, process  gpu   2026-11-15 10:00:00  /project
        "#);
    }
}
