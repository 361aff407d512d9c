//! Workflows.

mod folder;
mod read;

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

pub use read::{ParsedWorkflow, has_errors};

use crate::definition::{DefinitionFile, DefinitionKind, Folder};
use crate::text_file::replace;

/// The possible extensions of a workflow's file.
const EXTENSIONS: [&str; 3] = ["json", "yaml", "yml"];

/// Workflows: `<folder>/<name>.yaml` (or `.yml`, `.json`).
#[derive(Debug)]
pub enum Workflows {}

impl DefinitionKind for Workflows {
    type Parsed = ParsedWorkflow;

    fn parse(value: Value) -> ParsedWorkflow {
        ParsedWorkflow::from_value(value)
    }

    fn load(folder: &Path) -> Folder<ParsedWorkflow> {
        folder::load(folder)
    }

    fn load_one(folder: &Path, name: &str) -> Option<DefinitionFile<ParsedWorkflow>> {
        folder::load_one(folder, name)
    }

    fn write(file: &DefinitionFile<ParsedWorkflow>, value: &Value) -> Result<(), String> {
        let Some(source) = &file.source else { return Err("the workflow's file is unknown".to_owned()) };
        replace(&source.file, &source.text_of(value)?).map_err(|error| error.to_string())
    }

    fn remove(file: &DefinitionFile<ParsedWorkflow>) -> Result<(), String> {
        let Some(source) = &file.source else { return Err("the workflow's file is unknown".to_owned()) };
        fs::remove_file(&source.file).map_err(|error| error.to_string())
    }

    fn entries(name: &str) -> Vec<String> {
        EXTENSIONS.iter().map(|extension| format!("{name}.{extension}")).collect()
    }

    fn files_in(entry: &Path) -> Vec<PathBuf> {
        vec![entry.to_owned()]
    }
}
