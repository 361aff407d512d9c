//! Removing sessions and workflow runs, by id or by age.

use std::fmt::Display;

use accord_client::ClientError;
use serde::Serialize;
use serde_json::json;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::for_each::each;
use crate::output;

/// What is to be removed.
pub(crate) struct Removal<'a, I> {
    /// Ids as they were typed.
    pub(crate) named: &'a [I],
    /// The complete ids of old objects, if requested.
    pub(crate) old: Option<Vec<I>>,
    /// The name of an id in JSON.
    pub(crate) id: &'static str,
    /// The message if nothing is old enough.
    pub(crate) none: &'static str,
    pub(crate) dry_run: bool,
    pub(crate) json: bool,
}

impl<I: Clone + Display + Serialize> Removal<'_, I> {
    /// Removes each, or lists them (`--dry-run`).
    pub(crate) async fn run(
        &self,
        find: impl AsyncFn(&I) -> Result<I, Failure>,
        delete: impl AsyncFn(&I) -> Result<(), ClientError>,
    ) -> Result<Exit, Failure> {
        if self.old.as_ref().is_some_and(Vec::is_empty) {
            output::message(self.none);
            return Ok(Exit::Success);
        }
        let remove = async |id: &I| -> Result<I, Failure> {
            let id = if self.old.is_some() { id.clone() } else { find(id).await? };
            if !self.dry_run {
                delete(&id).await?;
            }
            Ok(id)
        };
        let show = |id: &I| {
            let removed = !self.dry_run;
            if self.json {
                return output::json(&json!({self.id: id, "removed": removed}));
            }
            output::message(&format!("{} {id}\n", if removed { "removed" } else { "would remove" }));
            Ok(())
        };
        each(self.old.as_deref().unwrap_or(self.named), self.id, self.json, remove, show).await
    }
}
