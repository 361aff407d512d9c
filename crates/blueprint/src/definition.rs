//! What agents and workflows in files have in common.

use std::collections::BTreeMap;
use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use accord_api::{Problem, Severity};
use accord_contract::Meter;
use jiff::Timestamp;
use serde_json::Value;

use crate::document::Format;
use crate::hash::hash_of;
use crate::stamp::{FileState, Stamp};
use crate::write_error::WriteError;
use crate::yaml;

/// Maximum entries of a folder that are read: with more, the setting names a wrong folder.
pub(crate) const MAX_ENTRIES: usize = 10_000;

/// A parsed definition, valid or not.
pub trait Parsed: Send + Sync + 'static {
    /// The document; null if it cannot be parsed.
    fn value(&self) -> &Value;

    /// Mistakes and warnings.
    fn problems(&self) -> &[Problem];

    /// A definition that cannot be parsed.
    fn broken(problem: Problem) -> Self;
}

/// The file that a definition is written to.
#[derive(Debug, Clone)]
pub struct SourceFile {
    pub(crate) file: PathBuf,
    pub(crate) format: Format,
    /// The file of the system prompt, if it has its own.
    pub(crate) prompt: Option<PathBuf>,
}

impl SourceFile {
    /// The text of a value in the format of the file.
    pub(crate) fn text_of(&self, value: &Value) -> Result<String, WriteError> {
        match self.format {
            Format::Yaml => yaml::write(value),
            Format::Json => Ok(serde_json::to_string_pretty(value)? + "\n"),
        }
    }
}

/// A definition in a folder.
#[derive(Debug)]
pub struct DefinitionFile<P> {
    /// The name of its file or folder.
    pub name: String,
    /// Its file for messages; its folder if no file is known.
    pub path: String,
    /// Where it can be written.
    pub source: Option<SourceFile>,
    /// The definition.
    pub parsed: Arc<P>,
    /// A hash of the document.
    pub hash: String,
    /// When its file was modified.
    pub modified_at: Option<Timestamp>,
    /// The state of its files before they were read, or `None` if they must be read again every time.
    pub stamp: Option<Stamp>,
}

impl<P: Parsed> DefinitionFile<P> {
    /// A definition whose file cannot be read.
    pub(crate) fn unreadable(name: String, path: String, message: String) -> Self {
        let problem = Problem {
            severity: Severity::Error,
            path: "$".to_owned(),
            message,
            file: Some(path.clone()),
            line: None,
            column: None,
        };
        Self {
            name,
            path,
            source: None,
            parsed: Arc::new(P::broken(problem)),
            hash: hash_of(""),
            modified_at: None,
            stamp: None,
        }
    }
}

/// All definitions of a folder, as they were at one time.
#[derive(Debug)]
pub struct Folder<P> {
    /// By name.
    pub definitions: BTreeMap<String, Arc<DefinitionFile<P>>>,
    /// Why it is empty, if the folder exists but cannot be read.
    pub unreadable: Option<String>,
}

impl<P> Default for Folder<P> {
    fn default() -> Self {
        Self { definitions: BTreeMap::new(), unreadable: None }
    }
}

impl<P> Clone for Folder<P> {
    fn clone(&self) -> Self {
        Self { definitions: self.definitions.clone(), unreadable: self.unreadable.clone() }
    }
}

impl<P> Folder<P> {
    /// The hash of each definition.
    pub fn hashes(&self) -> BTreeMap<String, String> {
        self.definitions.iter().map(|(name, file)| (name.clone(), file.hash.clone())).collect()
    }
}

/// A kind of definitions: how they are read and written.
pub trait DefinitionKind: Send + Sync + 'static {
    /// A parsed definition.
    type Parsed: Parsed;

    /// Parses a document that is not in a file.
    fn parse(value: Value, meter: &Meter) -> Self::Parsed;

    /// Reads a folder; one that does not exist is empty. Each definition may cost what the meter allows.
    fn load(folder: &Path, meter: &Meter) -> Folder<Self::Parsed>;

    /// Reads one definition, as [`Self::load`] would.
    fn load_one(folder: &Path, name: &str, meter: &Meter) -> Option<DefinitionFile<Self::Parsed>>;

    /// Writes a document to the file of a definition.
    fn write(file: &DefinitionFile<Self::Parsed>, value: &Value) -> Result<(), WriteError>;

    fn remove(file: &DefinitionFile<Self::Parsed>) -> Result<(), WriteError>;

    /// The entries of the folder that can be the definition of this name.
    fn entries(name: &str) -> Vec<String>;

    /// The files that a definition in this entry of the folder consists of.
    fn files_in(entry: &Path) -> Vec<PathBuf>;

    /// Whether an entry of this name exists.
    fn exists(folder: &Path, name: &str) -> bool {
        Self::entries(name).iter().any(|entry| fs::symlink_metadata(folder.join(entry)).is_ok())
    }

    /// The state of the files of this name.
    fn stamp(folder: &Path, name: &str) -> Stamp {
        let entries = Self::entries(name).into_iter();
        let files: Vec<PathBuf> = entries.flat_map(|entry| Self::files_in(&folder.join(entry))).collect();
        Stamp::of(&files)
    }

    /// A number that changes when a file of the folder does.
    fn fingerprint(folder: &Path) -> u64 {
        let mut hasher = DefaultHasher::new();
        let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
        let mut paths: Vec<PathBuf> = Vec::new();
        for entry in entries.take(MAX_ENTRIES) {
            paths.extend(Self::files_in(&entry.path()));
            paths.push(entry.path());
        }
        paths.sort();
        for path in paths {
            if let Some(state) = FileState::of(&path) {
                (path, state).hash(&mut hasher);
            }
        }
        hasher.finish()
    }
}
