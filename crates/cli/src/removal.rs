//! Removing sessions and workflow runs, by id or by age.

use std::fmt::Display;

use accord_client::{Client, ClientError};
use jiff::Timestamp;
use serde::Serialize;
use serde_json::json;

use crate::connection::ConnectionArguments;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::for_each::each;
use crate::{output, since};

/// Which ones, besides those that `ids` names, and how to print them
#[derive(Debug, clap::Args)]
pub(crate) struct RemovalArguments {
    /// Remove finished ones that have not changed since this age (30d), date or time
    #[arg(long, value_name = "TIME", value_parser = since::parse)]
    before: Option<Timestamp>,
    /// List what would be removed, and remove nothing (with --before)
    #[arg(long, conflicts_with = "ids")]
    dry_run: bool,
    /// Print one JSON object per line; failures have an "error" field
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    connection: ConnectionArguments,
}

/// One kind of objects.
pub(crate) struct Kind<Old, Find, Delete> {
    /// The name of an id in JSON.
    pub(crate) id: &'static str,
    /// The message if nothing is old enough.
    pub(crate) none: &'static str,
    /// The ids of all that finished before a time.
    pub(crate) old: Old,
    /// The id that a typed one is a prefix of.
    pub(crate) find: Find,
    pub(crate) delete: Delete,
}

impl RemovalArguments {
    /// Removes each, or lists them (`--dry-run`).
    pub(crate) fn run<I: Clone + Display + Serialize>(
        &self,
        ids: &[I],
        kind: &Kind<
            impl AsyncFn(&Client, Timestamp) -> Result<Vec<I>, Failure>,
            impl AsyncFn(&Client, &I) -> Result<I, Failure>,
            impl AsyncFn(&Client, &I) -> Result<(), ClientError>,
        >,
    ) -> Result<Exit, Failure> {
        self.connection.ask(async |client| {
            let old = match self.before {
                Some(before) => Some((kind.old)(client, before).await?),
                None => None,
            };
            if old.as_ref().is_some_and(Vec::is_empty) {
                output::message(kind.none);
                return Ok(Exit::Success);
            }
            let remove = async |id: &I| -> Result<I, Failure> {
                let id = if old.is_some() { id.clone() } else { (kind.find)(client, id).await? };
                if !self.dry_run {
                    (kind.delete)(client, &id).await?;
                }
                Ok(id)
            };
            let show = |id: &I| {
                let removed = !self.dry_run;
                if self.json {
                    return output::json(&json!({kind.id: id, "removed": removed}));
                }
                output::message(&format!("{} {id}\n", if removed { "removed" } else { "would remove" }));
                Ok(())
            };
            each(old.as_deref().unwrap_or(ids), kind.id, self.json, remove, show).await
        })
    }
}
