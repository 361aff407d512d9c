//! What becomes of agents and workflows that are put into a coordinator's store.

use std::io;

use accord_api::Source;
use serde::Serialize;

use crate::failure::Problem;
use crate::output;
use crate::view::Tone;
use crate::view::text::line;

/// What became of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Change {
    Created,
    Updated,
    Unchanged,
}

/// One that the coordinator has now.
#[derive(Debug, Serialize)]
pub(crate) struct Pushed {
    pub(crate) name: String,
    pub(crate) change: Change,
    pub(crate) hash: String,
    pub(crate) source: Source,
}

impl Pushed {
    /// Tells of it at once, unless one JSON object is wanted in the end.
    pub(crate) fn tell(&self, json: bool) -> io::Result<()> {
        let change = match self.change {
            Change::Created => Tone::Good.paint("created  "),
            Change::Updated => Tone::Busy.paint("updated  "),
            Change::Unchanged => Tone::Plain.paint("unchanged"),
        };
        if json { Ok(()) } else { output::show(&format!("{change}  {}\n", line(&self.name))) }
    }
}

/// Says so where the coordinator has them in files of its own.
pub(crate) fn in_files(pushed: &[Pushed]) -> Option<Problem> {
    let of_files = pushed.iter().filter(|pushed| pushed.source == Source::File);
    let names: Vec<String> = of_files.map(|pushed| line(&pushed.name)).collect();
    let were = if names.len() == 1 { "was" } else { "were" };
    let message =
        format!("{} {were} not saved: the coordinator reads files of the same name", names.join(", "));
    let hint = "stop the coordinator and push again to write to the database, or push to a coordinator in another \
                folder with --coordinator URL";
    (!names.is_empty()).then(|| Problem::new(message).hint(hint))
}
