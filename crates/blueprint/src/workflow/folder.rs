//! The folder of workflows: `<folder>/<name>.yaml` (or `.yml`, `.json`).
//!
//! A mistake in one file is a problem of that workflow and never hides the others.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use accord_contract::Meter;
use serde_json::Value;

use super::ParsedWorkflow;
use crate::definition::{DefinitionFile, DefinitionKind, Folder, MAX_ENTRIES, Parsed as _, SourceFile};
use crate::document::Format;
use crate::hash::hash_of;
use crate::text_file::{read_text, replace};
use crate::write_error::WriteError;

type FileWorkflow = DefinitionFile<ParsedWorkflow>;

/// Maximum bytes of a workflow file: a thousand nodes with their prompts.
const MAX_BYTES: u64 = 4 * 1024 * 1024;

/// Workflows: `<folder>/<name>.yaml` (or `.yml`, `.json`).
#[derive(Debug)]
pub enum Workflows {}

impl DefinitionKind for Workflows {
    type Parsed = ParsedWorkflow;

    fn parse(value: Value, meter: &Meter) -> ParsedWorkflow {
        ParsedWorkflow::from_value(value, meter)
    }

    fn load(folder: &Path, meter: &Meter) -> Folder<ParsedWorkflow> {
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) => {
                if error.kind() != ErrorKind::NotFound {
                    tracing::warn!(folder = %folder.display(), %error, "the workflows folder cannot be read");
                }
                return Folder::default();
            }
        };
        let mut paths: Vec<PathBuf> = entries.filter_map(Result::ok).map(|entry| entry.path()).collect();
        paths.sort();
        let mut definitions = BTreeMap::new();
        for path in paths.into_iter().take(MAX_ENTRIES) {
            add(&mut definitions, folder, path, &meter.anew());
        }
        Folder { definitions, unreadable: None }
    }

    fn load_one(folder: &Path, name: &str, meter: &Meter) -> Option<FileWorkflow> {
        let mut definitions = BTreeMap::new();
        for path in Self::entries(name).iter().map(|entry| folder.join(entry)) {
            if fs::symlink_metadata(&path).is_ok() {
                add(&mut definitions, folder, path, &meter.anew());
            }
        }
        definitions.remove(name).and_then(Arc::into_inner)
    }

    fn write(file: &FileWorkflow, value: &Value) -> Result<(), WriteError> {
        let source = file.source.as_ref().ok_or(WriteError::NoFile("workflow"))?;
        Ok(replace(&source.file, &source.text_of(value)?)?)
    }

    fn remove(file: &FileWorkflow) -> Result<(), WriteError> {
        let source = file.source.as_ref().ok_or(WriteError::NoFile("workflow"))?;
        Ok(fs::remove_file(&source.file)?)
    }

    fn entries(name: &str) -> Vec<String> {
        ["json", "yaml", "yml"].iter().map(|extension| format!("{name}.{extension}")).collect()
    }

    fn files_in(entry: &Path) -> Vec<PathBuf> {
        vec![entry.to_owned()]
    }
}

fn add(workflows: &mut BTreeMap<String, Arc<FileWorkflow>>, folder: &Path, path: PathBuf, meter: &Meter) {
    let Some(format) = Format::of(&path) else { return };
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    // Hidden entries belong to editors and version control.
    if name.starts_with('.') {
        return;
    }
    let source = SourceFile { file: path, format, prompt: None };
    let workflow = match workflows.get(&name).and_then(|other| other.source.as_ref()) {
        Some(other) => {
            let [first, second] = [&other.file, &source.file]
                .map(|path| path.file_name().unwrap_or_default().to_string_lossy());
            let message = format!("found both {first} and {second}; keep one of them");
            unreadable(name, source, message)
        }
        None => read(folder, name, source, meter),
    };
    workflows.insert(workflow.name.clone(), Arc::new(workflow));
}

fn read(folder: &Path, name: String, source: SourceFile, meter: &Meter) -> FileWorkflow {
    // Taken before reading, so that a write during it is noticed afterwards.
    let stamp = Some(Workflows::stamp(folder, &name));
    let (text, modified_at) = match read_text(&source.file, MAX_BYTES) {
        Ok(read) => read,
        Err(error) => return unreadable(name, source, error.to_string()),
    };
    let path = source.file.display().to_string();
    let parsed = ParsedWorkflow::from_text(&text, source.format, &path, &name, meter);
    let hash = match parsed.value().is_null() {
        true => hash_of(&text),
        false => hash_of(&parsed.value().to_string()),
    };
    FileWorkflow { name, path, source: Some(source), parsed: Arc::new(parsed), hash, modified_at, stamp }
}

fn unreadable(name: String, source: SourceFile, message: String) -> FileWorkflow {
    let path = source.file.display().to_string();
    FileWorkflow { source: Some(source), ..FileWorkflow::unreadable(name, path, message) }
}
