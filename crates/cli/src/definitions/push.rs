//! Uploads agents and workflows to a coordinator.

use std::io;

use accord_api::Source;
use accord_client::{Client, ClientError};
use serde::Serialize;

use super::{Definition, Summary};
use crate::failure::Problem;
use crate::output;
use crate::view::Tone;
use crate::view::text::line;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Change {
    Created,
    Updated,
    Unchanged,
}

/// One that the coordinator has now.
#[derive(Debug, Serialize)]
pub(crate) struct Pushed {
    name: String,
    change: Change,
    hash: String,
    source: Source,
}

impl Pushed {
    fn of<D: Definition>(change: Change, stored: &D) -> Self {
        let Summary { name, source, .. } = D::summary(stored.listed());
        Self { name: name.to_owned(), change, hash: stored.hash().to_owned(), source }
    }

    /// Prints it at once, unless one JSON object is printed in the end.
    pub(crate) fn show(&self, json: bool) -> io::Result<()> {
        let change = match self.change {
            Change::Created => Tone::Good.paint("created  "),
            Change::Updated => Tone::Busy.paint("updated  "),
            Change::Unchanged => Tone::Plain.paint("unchanged"),
        };
        if json { Ok(()) } else { output::show(&format!("{change}  {}\n", line(&self.name))) }
    }
}

/// Creates one, or replaces the one of the same name if that is different.
pub(crate) async fn push<D: Definition>(client: &Client, local: &D) -> Result<Pushed, ClientError> {
    match local.create(client).await {
        Ok(stored) => return Ok(Pushed::of(Change::Created, &stored)),
        Err(error) if error.is(D::EXISTS) => {}
        Err(error) => return Err(error),
    }
    let existing = D::get(client, D::summary(local.listed()).name).await?;
    if existing.hash() == local.hash() {
        return Ok(Pushed::of(Change::Unchanged, &existing));
    }
    Ok(Pushed::of(Change::Updated, &local.replace(client, existing.hash()).await?))
}

/// The problem to report if the coordinator has some of them in files.
pub(crate) fn not_saved(pushed: &[Pushed]) -> Option<Problem> {
    let of_files = pushed.iter().filter(|pushed| pushed.source == Source::File);
    let names: Vec<String> = of_files.map(|pushed| line(&pushed.name)).collect();
    let were = if names.len() == 1 { "was" } else { "were" };
    let message =
        format!("{} {were} not saved: the coordinator reads files of the same name", names.join(", "));
    let hint = "stop the coordinator and push again to write to the database, or push to a coordinator in another \
                folder with --coordinator URL";
    (!names.is_empty()).then(|| Problem::new(message).hint(hint))
}
