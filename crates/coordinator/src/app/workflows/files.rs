//! The folder of workflows: `<folder>/<name>.yaml` (or `.yml`, `.json`).
//!
//! One broken workflow never hides the others: whatever is wrong with a file is a problem of that workflow.

use std::collections::BTreeMap;
use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use accord_api::{Problem, Severity};
use jiff::Timestamp;

use super::read::Read;
use crate::app::agents::{Format, hash_of, read_text};

/// The largest workflow file: a thousand nodes with their prompts.
const MAX_BYTES: u64 = 4 * 1024 * 1024;

/// Files beyond this are not looked at: somebody has pointed us at a wrong place.
const MOST_FILES: usize = 10_000;

/// A workflow in a file.
#[derive(Debug)]
pub(super) struct FileWorkflow {
    /// The file's name without its ending.
    pub(super) name: String,
    pub(super) path: PathBuf,
    pub(super) format: Format,
    pub(super) read: Arc<Read>,
    /// A hash of the document.
    pub(super) hash: String,
    pub(super) modified_at: Option<Timestamp>,
}

fn format_of(path: &Path) -> Option<Format> {
    match path.extension()?.to_str()? {
        "yaml" | "yml" => Some(Format::Yaml),
        "json" => Some(Format::Json),
        _ => None,
    }
}

/// Reads a folder. One that is not there has no workflows.
pub(super) fn load(folder: &Path) -> BTreeMap<String, Arc<FileWorkflow>> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) => {
            if error.kind() != ErrorKind::NotFound {
                tracing::warn!(folder = %folder.display(), %error, "the workflows folder cannot be read");
            }
            return BTreeMap::new();
        }
    };
    let mut paths: Vec<PathBuf> = entries.filter_map(Result::ok).map(|entry| entry.path()).collect();
    paths.sort();
    let mut workflows: BTreeMap<String, Arc<FileWorkflow>> = BTreeMap::new();
    for path in paths.into_iter().take(MOST_FILES) {
        let Some(format) = format_of(&path) else { continue };
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        // Hidden entries are editors' and version control's.
        if name.starts_with('.') {
            continue;
        }
        let workflow = match workflows.get(&name) {
            Some(other) => {
                let names =
                    [&other.path, &path].map(|path| path.file_name().unwrap_or_default().to_string_lossy());
                let [first, second] = names;
                broken(
                    name,
                    path.clone(),
                    format,
                    format!("found both {first} and {second}; keep one of them"),
                )
            }
            None => one(name, path.clone(), format),
        };
        workflows.insert(workflow.name.clone(), Arc::new(workflow));
    }
    workflows
}

/// Reads one file.
pub(super) fn one(name: String, path: PathBuf, format: Format) -> FileWorkflow {
    let (text, modified_at) = match read_text(&path, MAX_BYTES) {
        Ok(read) => read,
        Err(reason) => return broken(name, path, format, reason),
    };
    let read = Read::text(&text, format, &path.display().to_string(), &name);
    let hash = match read.document().is_null() {
        true => hash_of(&text),
        false => hash_of(&read.document().to_string()),
    };
    FileWorkflow { name, path, format, read: Arc::new(read), hash, modified_at }
}

fn broken(name: String, path: PathBuf, format: Format, message: String) -> FileWorkflow {
    let file = Some(path.display().to_string());
    let problem =
        Problem { severity: Severity::Error, path: "$".to_owned(), message, file, line: None, column: None };
    let mut read = Read::value(serde_json::Value::Null);
    read.problems = vec![problem];
    FileWorkflow { name, path, format, read: Arc::new(read), hash: hash_of(""), modified_at: None }
}

/// A number that changes when something in the folder does.
pub(super) fn fingerprint(folder: &Path) -> u64 {
    let mut hasher = DefaultHasher::new();
    let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok).take(MOST_FILES);
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if let Ok(metadata) = fs::metadata(&path) {
            let changed = (metadata.ino(), metadata.ctime(), metadata.ctime_nsec());
            (path, metadata.len(), metadata.modified().ok(), changed).hash(&mut hasher);
        }
    }
    hasher.finish()
}
