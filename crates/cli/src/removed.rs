//! Agents, workflows and schemas that are taken out of the store.

use accord_api::Source;
use serde_json::json;

use crate::exit::Exit;
use crate::failure::{Failure, Problem};
use crate::output;

/// Refuses what lives in a file: that is for its owner to remove.
pub(crate) fn is_stored(kind: &str, name: &str, source: Source, file: Option<String>) -> Result<(), Problem> {
    if source == Source::Store {
        return Ok(());
    }
    let file = file.unwrap_or_else(|| "a file of the coordinator".to_owned());
    Err(Problem::new(format!("{kind} '{name}' is defined in {file}, not in the database"))
        .hint(format!("delete the file to remove the {kind}")))
}

/// Tells what is gone.
pub(crate) fn tell(name: &str, json: bool) -> Result<Exit, Failure> {
    if json {
        output::json(&json!({"name": name, "removed": true}))?;
    } else {
        output::talk(&format!("removed {name}\n"));
    }
    Ok(Exit::Success)
}
