//! `accord audit`: who changed what.

use accord_api::{AuditActor, AuditQuery, AuditView, PageQuery};
use accord_client::Client;
use jiff::Timestamp;

use crate::call::ListingArguments;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::paging;
use crate::view::text::{Times, line};
use crate::{since, table};

/// Show who changed keys, agents, workflows, schemas and sessions, and who stopped what
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Newest first. A running coordinator shows the audit log to admins only. Entries are kept for 400
days.

Examples:
  accord audit --since 24h
  accord audit --action key --json | jq '.items[].object'
  accord audit --actor ci")]
pub(crate) struct Arguments {
    /// Only changes since this age (30m, 24h, 7d) or time (RFC 3339)
    #[arg(long, value_name = "TIME", value_parser = since::parse)]
    since: Option<Timestamp>,
    /// Filter by key id, key name, run id, or kind: key, run, open, command_line, file_system
    #[arg(long, value_name = "WHO")]
    actor: Option<String>,
    /// Filter by action, such as key.deleted, or by kind of object, such as key
    #[arg(long, value_name = "ACTION")]
    action: Option<String>,
    #[command(flatten)]
    listing: ListingArguments,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    let which = AuditQuery {
        since: arguments.since,
        actor: arguments.actor.clone(),
        action: arguments.action.clone(),
        ..AuditQuery::default()
    };
    let fetch = async |client: &Client, PageQuery { limit, cursor }| {
        client.audit(&AuditQuery { limit, cursor, ..which.clone() }).await
    };
    let filtered = arguments.since.is_some() || arguments.actor.is_some() || arguments.action.is_some();
    let none = paging::none("changes", filtered);
    arguments.listing.print(fetch, &none, |entries| view(entries, &Times::here()))
}

fn view(entries: &[AuditView], times: &Times) -> String {
    let mut table = table::new(&["time", "action", "object", "by", "from"]).spare(&["from"]);
    for entry in entries {
        table.add_row([
            times.at(entry.at),
            line(&entry.action),
            line(entry.object.as_deref().unwrap_or_default()),
            line(&actor(&entry.actor)),
            line(&from(entry)),
        ]);
    }
    table.text()
}

fn actor(actor: &AuditActor) -> String {
    match actor {
        AuditActor::Key { key_id, name } if name.is_empty() => key_id.to_string(),
        AuditActor::Key { key_id, name } => format!("{name} ({key_id})"),
        AuditActor::Run { run_id } => run_id.to_string(),
        AuditActor::Link => "one-time link".to_owned(),
        AuditActor::Open => "open mode".to_owned(),
        AuditActor::CommandLine => "command line".to_owned(),
        AuditActor::FileSystem => "file system".to_owned(),
    }
}

fn from(entry: &AuditView) -> String {
    match (&entry.address, &entry.forwarded_for) {
        (Some(address), Some(client)) => format!("{client} through {address}"),
        (Some(address), None) => address.clone(),
        (None, _) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_a_line() {
        let entries: Vec<AuditView> = serde_json::from_str(
            r#"[{"at": "2026-11-15T10:00:00Z", "actor": {"kind": "key", "key_id": "key_1", "name": "ci"},
                 "action": "agent.updated", "object": "triage", "hash": "ab", "address": "127.0.0.1",
                 "forwarded_for": "192.0.2.7"},
                {"at": "2026-11-15T09:00:00Z", "actor": {"kind": "open"}, "action": "run.stopped",
                 "object": "run_1", "address": "127.0.0.1"},
                {"at": "2026-11-15T08:00:00Z", "actor": {"kind": "command_line"}, "action": "key.created",
                 "object": "key_1"}]"#,
        )
        .unwrap();
        let shown = view(&entries, &Times::fixed("2026-11-15T10:05:00Z", true));
        insta::assert_snapshot!(anstream::adapter::strip_str(&shown).to_string(), @r"
        TIME    ACTION         OBJECT  BY            FROM
        5m ago  agent.updated  triage  ci (key_1)    192.0.2.7 through 127.0.0.1
        1h ago  run.stopped    run_1   open mode     127.0.0.1
        2h ago  key.created    key_1   command line
        ");
    }
}
