//! Texts and JSON documents that commands read whole, and the errors if they cannot be used.

use std::fs::File;
use std::io::{self, IsTerminal as _, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::failure::Problem;
use crate::json::{offset_of, parse, reason};
use crate::output;

/// The largest file that is read whole. The engine's own limits lie far below and give better errors; this
/// one keeps a wrong file (a disk image, `/dev/zero`) from filling the memory.
const MAX_FILE_BYTES: u64 = 64 * 1024 * 1024;

/// Where a text comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Input {
    Stdin,
    File(PathBuf),
}

impl Input {
    /// `-` and nothing at all mean stdin.
    pub(crate) fn of(path: Option<&Path>) -> Self {
        match path {
            Some(path) if path != Path::new("-") => Self::File(path.to_owned()),
            _ => Self::Stdin,
        }
    }

    pub(crate) fn name(&self) -> String {
        match self {
            Self::Stdin => "<stdin>".to_owned(),
            Self::File(path) => path.display().to_string(),
        }
    }

    /// Opens it for reading. On a terminal, a hint says that the command waits for stdin.
    pub(crate) fn open(&self) -> Result<Box<dyn Read>, Problem> {
        match self {
            Self::Stdin => {
                if io::stdin().is_terminal() {
                    output::message("Reading from the terminal; press Ctrl-D to finish.\n");
                }
                Ok(Box::new(io::stdin().lock()))
            }
            Self::File(path) => match File::open(path) {
                Ok(file) => Ok(Box::new(file)),
                Err(error) => Err(self.unreadable(&error)),
            },
        }
    }

    /// Reads it whole. The text must be UTF-8.
    pub(crate) fn read(&self) -> Result<Source, Problem> {
        let mut bytes = Vec::new();
        self.open()?
            .take(MAX_FILE_BYTES + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| self.unreadable(&error))?;
        if bytes.len() as u64 > MAX_FILE_BYTES {
            let message = format!("{} is larger than {MAX_FILE_BYTES} bytes", self.name());
            return Err(Problem::new(message).hint("is this the right file?"));
        }
        let text = String::from_utf8(bytes).map_err(|error| {
            let offset = error.utf8_error().valid_up_to();
            let byte = error.as_bytes().get(offset).copied().unwrap_or_default();
            let message = format!("{} is not valid UTF-8: byte 0x{byte:02x} at offset {offset}", self.name());
            Problem::new(message).hint("convert it to UTF-8, for example with iconv")
        })?;
        Ok(Source { name: self.name(), text })
    }

    pub(crate) fn unreadable(&self, error: &io::Error) -> Problem {
        let problem = Problem::new(format!("cannot read {}: {error}", self.name()));
        match error.kind() {
            io::ErrorKind::NotFound => problem.hint("check the path; '-' reads from stdin"),
            io::ErrorKind::IsADirectory => problem.hint("pass a file inside the directory"),
            _ => problem,
        }
    }
}

/// A text and what to call it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Source {
    pub(crate) name: String,
    pub(crate) text: String,
}

impl Source {
    /// Reads the text as one JSON document, for example "schema".
    pub(crate) fn json(&self, what: &str) -> Result<Value, Problem> {
        // Editors on some systems write a byte-order mark.
        let start = self.text.len() - self.text.trim_start_matches('\u{feff}').len();
        let text = self.text.get(start..).unwrap_or_default();
        parse(text).map_err(|error| {
            if text.trim().is_empty() {
                return Problem::new(format!("{} is empty: expected JSON ({what})", self.name));
            }
            let at = start + offset_of(text, error.line(), error.column());
            let message = format!("{} is not valid JSON: {}", self.name, reason(&error));
            Problem::new(message).at(self, at..at)
        })
    }

    /// The place of a part of the document, for showing it.
    pub(crate) fn locate(&self, pointer: &str) -> Range<usize> {
        accord_contract::locate(&self.text, 0..self.text.len(), pointer).mark(&self.text)
    }
}
