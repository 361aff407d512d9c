//! The folder of agents: `<folder>/<name>/agent.yaml` (or `.yml`, `.json`) and `system-prompt.md` beside it.
//!
//! One broken agent never hides the others: whatever is wrong with a folder is a problem of that agent.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::{ErrorKind, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use accord_api::{Problem, Severity};
use jiff::Timestamp;
use serde_json::Value;

use super::document::{Document, Format};
use super::examine::{Examined, Sound, Surroundings, examine, hash_of};
use super::stamp::Stamp;

/// The largest agent file: two schemas of the largest size.
const MAX_AGENT_BYTES: u64 = 2 * 1024 * 1024;

/// The largest system prompt. Models read less.
const MAX_PROMPT_BYTES: u64 = 1024 * 1024;

/// Folders beyond this are not looked at: somebody has pointed us at a wrong place.
const MOST_AGENTS: usize = 10_000;

/// The prompt's file.
pub(super) const PROMPT_FILE: &str = "system-prompt.md";

/// The agent's file, by any of its names.
pub(super) const AGENT_FILES: [(&str, Format); 3] =
    [("agent.yaml", Format::Yaml), ("agent.yml", Format::Yaml), ("agent.json", Format::Json)];

/// Where an agent is written.
#[derive(Debug, Clone)]
pub(crate) struct Home {
    /// The agent's file.
    pub(super) file: PathBuf,
    /// What it is written in.
    pub(super) format: Format,
    /// The prompt's file, where the prompt stands in one.
    pub(super) prompt: Option<PathBuf>,
}

/// An agent in a folder.
#[derive(Debug)]
pub(crate) struct FileAgent {
    /// The folder's name.
    pub(crate) name: String,
    /// The agent's file, as people are told it; the folder, where there is none.
    pub(crate) shown: String,
    /// Where it can be written.
    pub(super) home: Option<Home>,
    /// Whether the file is of another kind than ours.
    pub(super) foreign: bool,
    /// The blueprint's document; null where it cannot be read.
    pub(crate) value: Value,
    /// The same as text.
    pub(crate) document: String,
    /// A hash of it.
    pub(crate) hash: String,
    /// The blueprint, where it has no mistakes.
    pub(crate) sound: Option<Sound>,
    /// Mistakes and warnings.
    pub(crate) problems: Vec<Problem>,
    /// When the file last changed.
    pub(crate) modified_at: Option<Timestamp>,
    /// What its files looked like from outside before they were read; none where it is not known which they are.
    pub(super) stamp: Option<Stamp>,
}

/// All agents of a folder, as they were at one time.
#[derive(Debug, Default, Clone)]
pub(crate) struct Files {
    /// By name.
    pub(crate) agents: BTreeMap<String, Arc<FileAgent>>,
    /// Why there are none, where the folder is there and cannot be read.
    pub(crate) unreadable: Option<String>,
}

/// Reads a folder. One that is not there has no agents.
pub(crate) fn load(folder: &Path) -> Files {
    let (root, entries) = match fs::canonicalize(folder).and_then(|root| Ok((fs::read_dir(&root)?, root))) {
        Ok((entries, root)) => (root, entries),
        Err(error) if error.kind() == ErrorKind::NotFound => return Files::default(),
        Err(error) => {
            tracing::warn!(folder = %folder.display(), %error, "the agents folder cannot be read");
            let unreadable = format!("the agents folder {} cannot be read: {error}", folder.display());
            return Files { unreadable: Some(unreadable), ..Files::default() };
        }
    };
    let mut names: Vec<_> = entries.filter_map(Result::ok).map(|entry| entry.file_name()).collect();
    names.sort();
    if names.len() > MOST_AGENTS {
        tracing::warn!(folder = %folder.display(), "more than {MOST_AGENTS} entries; the rest is ignored");
    }
    let mut agents = BTreeMap::new();
    for file_name in names.into_iter().take(MOST_AGENTS) {
        let name = file_name.to_string_lossy().into_owned();
        // Hidden entries are editors' and version control's.
        if name.starts_with('.') {
            continue;
        }
        let place = Place { root: &root, path: folder.join(&file_name), name };
        if let Some(agent) = place.read() {
            agents.entry(agent.name.clone()).or_insert_with(|| Arc::new(agent));
        }
    }
    Files { agents, unreadable: None }
}

/// Reads one agent of a folder: the same that [`load`] gives for its name.
pub(super) fn load_one(folder: &Path, name: &str) -> Option<FileAgent> {
    let root = fs::canonicalize(folder).ok()?;
    let kinds = AGENT_FILES.iter().filter_map(|(file, _)| Path::new(file).extension()?.to_str());
    let beside = kinds.map(|kind| format!("{name}.{kind}"));
    std::iter::once(name.to_owned())
        .chain(beside)
        .map(|entry| Place { root: &root, path: folder.join(&entry), name: entry })
        .filter(|place| fs::symlink_metadata(&place.path).is_ok())
        .find_map(|place| place.read().filter(|agent| agent.name == name))
}

/// One entry of the folder.
struct Place<'a> {
    root: &'a Path,
    path: PathBuf,
    name: String,
}

impl Place<'_> {
    fn read(self) -> Option<FileAgent> {
        let metadata = match fs::metadata(&self.path) {
            Ok(metadata) => metadata,
            Err(error) => return Some(self.broken(format!("cannot be read: {error}"))),
        };
        if !metadata.is_dir() {
            return self.misplaced();
        }
        if let Err(reason) = self.inside(&self.path) {
            return Some(self.broken(reason));
        }
        let here: Vec<_> = AGENT_FILES
            .iter()
            .map(|(name, format)| (self.path.join(name), *format))
            .filter(|(file, _)| fs::symlink_metadata(file).is_ok())
            .collect();
        match here.as_slice() {
            [(file, format)] => Some(self.read_agent(file, *format)),
            [] => match fs::read_dir(&self.path) {
                Ok(entries) => {
                    let mut names = entries.filter_map(Result::ok).map(|entry| entry.file_name());
                    let looks_like_one = names.any(|name| is_agent_like(Path::new(&name)));
                    looks_like_one.then(|| self.broken("no agent.yaml, agent.yml or agent.json found".into()))
                }
                Err(error) => Some(self.broken(format!("the folder cannot be read: {error}"))),
            },
            [(first, _), (second, _), ..] => {
                let names =
                    [first, second].map(|file| file.file_name().unwrap_or_default().to_string_lossy());
                Some(self.broken(format!("found both {} and {}; keep one of them", names[0], names[1])))
            }
        }
    }

    /// An agent's file that stands beside the folders and not in one.
    fn misplaced(self) -> Option<FileAgent> {
        let path = &self.path;
        let format =
            path.extension()?.to_str().filter(|kind| ["yaml", "yml", "json"].contains(kind))?.to_owned();
        let name = path.file_stem()?.to_string_lossy().into_owned();
        let message = format!("each agent needs its own folder: move this file to {name}/agent.{format}");
        Some(Place { name, ..self }.broken(message))
    }

    fn read_agent(self, file: &Path, format: Format) -> FileAgent {
        let shown = file.display().to_string();
        // Before the reading: what is written during it looks changed afterwards.
        let stamp = Some(Stamp::of(file));
        let (text, modified_at) = match self.read_text(file, MAX_AGENT_BYTES) {
            Ok(read) => read,
            Err(reason) => return self.broken_file(&shown, reason, None),
        };
        let prompt_file = self.path.join(PROMPT_FILE);
        let prompt_is_there = fs::symlink_metadata(&prompt_file).is_ok();
        let home =
            Home { file: file.to_owned(), format, prompt: prompt_is_there.then(|| prompt_file.clone()) };
        let document = match Document::read(&text, format, &shown) {
            Ok(document) => document,
            Err(problem) => {
                let hash = hash_of(&text);
                return FileAgent {
                    home: Some(home),
                    hash,
                    modified_at,
                    stamp,
                    ..self.with(&shown, problem)
                };
            }
        };
        let mut prompt = None;
        if prompt_is_there {
            match self.read_text(&prompt_file, MAX_PROMPT_BYTES) {
                Ok((text, _)) => prompt = Some(text),
                Err(reason) => {
                    let shown = prompt_file.display().to_string();
                    return self.broken_file(&shown, reason, modified_at);
                }
            }
        }
        let surroundings = Surroundings { folder: Some(&self.name), prompt };
        let examined = examine(document, surroundings);
        let document = examined.document();
        let Examined { value, sound, problems, foreign, .. } = examined;
        let hash = hash_of(&document);
        let home = Some(home);
        FileAgent {
            name: self.name,
            shown,
            home,
            foreign,
            value,
            document,
            hash,
            sound,
            problems,
            modified_at,
            stamp,
        }
    }

    fn read_text(&self, file: &Path, limit: u64) -> Result<(String, Option<Timestamp>), String> {
        self.inside(file)?;
        let (text, modified_at) = read_text(file, limit)?;
        match text.find('\0') {
            Some(offset) => Err(format!("is not a text file: byte {} is NUL", offset + 1)),
            None => Ok((text, modified_at)),
        }
    }

    /// Links may lead around in the folder of agents, and not out of it.
    fn inside(&self, path: &Path) -> Result<(), String> {
        match fs::canonicalize(path) {
            Ok(real) if real.starts_with(self.root) => Ok(()),
            Ok(_) => Err("is a link that points outside the agents folder".to_owned()),
            Err(error) => Err(format!("cannot be read: {error}")),
        }
    }

    fn broken(self, message: String) -> FileAgent {
        let shown = self.path.display().to_string();
        self.broken_file(&shown, message, None)
    }

    fn broken_file(self, shown: &str, message: String, modified_at: Option<Timestamp>) -> FileAgent {
        let problem = Problem {
            severity: Severity::Error,
            path: "$".to_owned(),
            message,
            file: Some(shown.to_owned()),
            line: None,
            column: None,
        };
        FileAgent { modified_at, ..self.with(shown, problem) }
    }

    fn with(self, shown: &str, problem: Problem) -> FileAgent {
        FileAgent {
            name: self.name,
            shown: shown.to_owned(),
            home: None,
            foreign: false,
            value: Value::Null,
            document: String::new(),
            hash: hash_of(""),
            sound: None,
            problems: vec![problem],
            modified_at: None,
            stamp: None,
        }
    }
}

/// Reads a file, if it is one: a pipe or a device could keep us waiting for ever.
pub(in crate::app) fn read_text(path: &Path, limit: u64) -> Result<(String, Option<Timestamp>), String> {
    let metadata = fs::metadata(path).map_err(|error| format!("cannot be read: {error}"))?;
    if !metadata.is_file() {
        return Err("is not a file".to_owned());
    }
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(limit + 1).read_to_end(&mut bytes))
        .map_err(|error| format!("cannot be read: {error}"))?;
    if bytes.len() as u64 > limit {
        return Err(format!("has more than {limit} bytes"));
    }
    let text = String::from_utf8(bytes)
        .map_err(|error| format!("is not valid UTF-8 at byte {}", error.utf8_error().valid_up_to() + 1))?;
    let modified_at = metadata.modified().ok().and_then(|time| Timestamp::try_from(time).ok());
    Ok((text, modified_at))
}

fn is_agent_like(path: &Path) -> bool {
    let kind = path.extension().and_then(|kind| kind.to_str()).unwrap_or_default();
    path == Path::new(PROMPT_FILE) || ["yaml", "yml", "json"].contains(&kind)
}

/// A number that changes when something in the folder does. For where the system does not tell.
pub(super) fn fingerprint(folder: &Path) -> u64 {
    let mut hasher = DefaultHasher::new();
    let mut paths: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok).take(MOST_AGENTS) {
        let path = entry.path();
        paths.extend(AGENT_FILES.iter().map(|(name, _)| path.join(name)));
        paths.push(path.join(PROMPT_FILE));
        paths.push(path);
    }
    paths.sort();
    for path in paths {
        if let Ok(metadata) = fs::metadata(&path) {
            (path, metadata.len(), metadata.modified().ok()).hash(&mut hasher);
        }
    }
    hasher.finish()
}
