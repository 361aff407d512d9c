//! The folder of agents: `<folder>/<name>/agent.yaml` (or `.yml`, `.json`) and `system-prompt.md` beside it.
//!
//! A mistake in one entry of the folder is a problem of that agent and never hides the others.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use accord_contract::Meter;
use jiff::Timestamp;
use serde_json::Value;

use super::parse::{ParsedAgent, Surroundings, parse, parse_value};
use super::{PROMPT_FILE, write};
use crate::definition::{DefinitionFile, DefinitionKind, Folder, MAX_ENTRIES, Parsed as _, SourceFile};
use crate::document::{Document, Format};
use crate::hash::hash_of;
use crate::stamp::Stamp;
use crate::text_file::{ReadError, read_text};
use crate::write_error::WriteError;

type FileAgent = DefinitionFile<ParsedAgent>;

/// Maximum bytes of an agent file: two schemas of the maximum size.
const MAX_AGENT_BYTES: u64 = 2 * 1024 * 1024;

/// Maximum bytes of a system prompt. Models accept less.
const MAX_PROMPT_BYTES: u64 = 1024 * 1024;

/// The possible names of an agent's file.
const AGENT_FILES: [&str; 3] = ["agent.yaml", "agent.yml", "agent.json"];

/// Agents: `<folder>/<name>/agent.yaml` (or `.yml`, `.json`) with `system-prompt.md` beside it.
#[derive(Debug)]
pub enum Agents {}

impl DefinitionKind for Agents {
    type Parsed = ParsedAgent;

    fn parse(value: Value, meter: &Meter) -> ParsedAgent {
        parse_value(value, meter)
    }

    fn load(folder: &Path, meter: &Meter) -> Folder<ParsedAgent> {
        let (root, entries) = match fs::canonicalize(folder).and_then(|root| Ok((fs::read_dir(&root)?, root)))
        {
            Ok((entries, root)) => (root, entries),
            Err(error) if error.kind() == ErrorKind::NotFound => return Folder::default(),
            Err(error) => {
                tracing::warn!(folder = %folder.display(), %error, "the agents folder cannot be read");
                let unreadable = format!("the agents folder {} cannot be read: {error}", folder.display());
                return Folder { unreadable: Some(unreadable), ..Folder::default() };
            }
        };
        let mut names: Vec<_> = entries.filter_map(Result::ok).map(|entry| entry.file_name()).collect();
        names.sort();
        if names.len() > MAX_ENTRIES {
            tracing::warn!(folder = %folder.display(), "more than {MAX_ENTRIES} entries; the rest is ignored");
        }
        let mut agents = BTreeMap::new();
        for file_name in names.into_iter().take(MAX_ENTRIES) {
            let name = file_name.to_string_lossy().into_owned();
            // Hidden entries belong to editors and version control.
            if name.starts_with('.') {
                continue;
            }
            let entry = Entry { root: &root, path: folder.join(&file_name), name };
            if let Some(agent) = entry.read(&meter.anew()) {
                agents.entry(agent.name.clone()).or_insert_with(|| Arc::new(agent));
            }
        }
        Folder { definitions: agents, unreadable: None }
    }

    fn load_one(folder: &Path, name: &str, meter: &Meter) -> Option<FileAgent> {
        let root = fs::canonicalize(folder).ok()?;
        let beside = ["yaml", "yml", "json"].map(|extension| format!("{name}.{extension}"));
        std::iter::once(name.to_owned())
            .chain(beside)
            .map(|name| Entry { root: &root, path: folder.join(&name), name })
            .filter(|entry| fs::symlink_metadata(&entry.path).is_ok())
            .find_map(|entry| entry.read(meter).filter(|agent| agent.name == name))
    }

    fn write(file: &FileAgent, value: &Value) -> Result<(), WriteError> {
        write::write(file, value)
    }

    fn remove(file: &FileAgent) -> Result<(), WriteError> {
        write::remove(file)
    }

    fn entries(name: &str) -> Vec<String> {
        vec![name.to_owned()]
    }

    fn files_in(entry: &Path) -> Vec<PathBuf> {
        AGENT_FILES.iter().copied().chain([PROMPT_FILE]).map(|file| entry.join(file)).collect()
    }
}

/// One entry of the folder.
struct Entry<'a> {
    root: &'a Path,
    path: PathBuf,
    name: String,
}

impl Entry<'_> {
    fn read(self, meter: &Meter) -> Option<FileAgent> {
        let metadata = match fs::metadata(&self.path) {
            Ok(metadata) => metadata,
            Err(error) => return Some(self.broken(ReadError::Io(error).to_string())),
        };
        if !metadata.is_dir() {
            return self.misplaced();
        }
        if let Err(error) = self.inside(&self.path) {
            return Some(self.broken(error.to_string()));
        }
        let files: Vec<PathBuf> = AGENT_FILES
            .iter()
            .map(|name| self.path.join(name))
            .filter(|file| fs::symlink_metadata(file).is_ok())
            .collect();
        match files.as_slice() {
            [file] => Some(self.read_agent(file, meter)),
            [] => match fs::read_dir(&self.path) {
                Ok(entries) => {
                    let mut names = entries.filter_map(Result::ok).map(|entry| entry.file_name());
                    let looks_like_one = names.any(|name| is_agent_like(Path::new(&name)));
                    looks_like_one.then(|| self.broken("no agent.yaml, agent.yml or agent.json found".into()))
                }
                Err(error) => Some(self.broken(format!("the folder cannot be read: {error}"))),
            },
            [first, second, ..] => {
                let names =
                    [first, second].map(|file| file.file_name().unwrap_or_default().to_string_lossy());
                Some(self.broken(format!("found both {} and {}; keep one of them", names[0], names[1])))
            }
        }
    }

    /// An agent's file that is not in its own folder.
    fn misplaced(self) -> Option<FileAgent> {
        let path = &self.path;
        Format::of(path)?;
        let extension = path.extension()?.to_str()?;
        let name = path.file_stem()?.to_string_lossy().into_owned();
        let message = format!("each agent needs its own folder: move this file to {name}/agent.{extension}");
        Some(Entry { name, ..self }.broken(message))
    }

    fn read_agent(self, file: &Path, meter: &Meter) -> FileAgent {
        let path = file.display().to_string();
        // Taken before reading, so that a write during it is noticed afterwards.
        let stamp = Some(Stamp::of(&Agents::files_in(&self.path)));
        let (text, modified_at) = match self.read_text(file, MAX_AGENT_BYTES) {
            Ok(read) => read,
            Err(error) => return FileAgent::unreadable(self.name, path, error.to_string()),
        };
        let prompt_file = self.path.join(PROMPT_FILE);
        let prompt_exists = fs::symlink_metadata(&prompt_file).is_ok();
        let format = Format::of(file).unwrap_or(Format::Yaml);
        let source =
            SourceFile { file: file.to_owned(), format, prompt: prompt_exists.then(|| prompt_file.clone()) };
        let (parsed, hash) = match Document::read(&text, format, &path, meter) {
            Ok(document) => {
                let mut prompt = None;
                if prompt_exists {
                    match self.read_text(&prompt_file, MAX_PROMPT_BYTES) {
                        Ok((text, _)) => prompt = Some(text),
                        Err(error) => {
                            let path = prompt_file.display().to_string();
                            let unreadable = FileAgent::unreadable(self.name, path, error.to_string());
                            return FileAgent { modified_at, ..unreadable };
                        }
                    }
                }
                let parsed = parse(document, Surroundings { folder: Some(&self.name), prompt }, meter);
                let hash = hash_of(&parsed.document());
                (parsed, hash)
            }
            Err(problem) => (ParsedAgent::broken(problem), hash_of(&text)),
        };
        FileAgent {
            name: self.name,
            path,
            source: Some(source),
            parsed: Arc::new(parsed),
            hash,
            modified_at,
            stamp,
        }
    }

    fn read_text(&self, file: &Path, limit: u64) -> Result<(String, Option<Timestamp>), ReadError> {
        self.inside(file)?;
        let (text, modified_at) = read_text(file, limit)?;
        match text.find('\0') {
            Some(offset) => Err(ReadError::Nul(offset + 1)),
            None => Ok((text, modified_at)),
        }
    }

    /// Links may point inside the folder of agents only.
    fn inside(&self, path: &Path) -> Result<(), ReadError> {
        match fs::canonicalize(path)?.starts_with(self.root) {
            true => Ok(()),
            false => Err(ReadError::Outside),
        }
    }

    fn broken(self, message: String) -> FileAgent {
        FileAgent::unreadable(self.name, self.path.display().to_string(), message)
    }
}

fn is_agent_like(path: &Path) -> bool {
    path == Path::new(PROMPT_FILE) || Format::of(path).is_some()
}
