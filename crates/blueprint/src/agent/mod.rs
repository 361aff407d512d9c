//! Agents.

pub(crate) mod check;
mod folder;
mod kb;
mod parse;
pub(crate) mod providers;
mod read;
mod shape;
#[cfg(test)]
mod tests;
pub(crate) mod tiers;
pub(crate) mod view;
mod write;

use std::path::{Path, PathBuf};

use serde_json::Value;

pub use parse::{ParsedAgent, ValidBlueprint};

use crate::definition::{DefinitionFile, DefinitionKind, Folder};
use folder::{AGENT_FILES, PROMPT_FILE};

/// Agents: `<folder>/<name>/agent.yaml` (or `.yml`, `.json`) with `system-prompt.md` beside it.
#[derive(Debug)]
pub enum Agents {}

impl DefinitionKind for Agents {
    type Parsed = ParsedAgent;

    fn parse(value: Value) -> ParsedAgent {
        parse::parse_value(value)
    }

    fn load(folder: &Path) -> Folder<ParsedAgent> {
        folder::load(folder)
    }

    fn load_one(folder: &Path, name: &str) -> Option<DefinitionFile<ParsedAgent>> {
        folder::load_one(folder, name)
    }

    fn write(file: &DefinitionFile<ParsedAgent>, value: &Value) -> Result<(), String> {
        write::write(file, value)
    }

    fn remove(file: &DefinitionFile<ParsedAgent>) -> Result<(), String> {
        write::remove(file)
    }

    fn entries(name: &str) -> Vec<String> {
        vec![name.to_owned()]
    }

    fn files_in(entry: &Path) -> Vec<PathBuf> {
        AGENT_FILES.iter().copied().chain([PROMPT_FILE]).map(|file| entry.join(file)).collect()
    }
}
