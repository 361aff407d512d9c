//! Agents that are programs of others: command line interfaces that talk to a model by themselves.
//!
//! What they share is here: the settings of a blueprint, how the executable is found, which variables it sees, where
//! temporary files stand, and how a result is handed in by an MCP tool. How each is spoken to is in its own module.

mod claude;
mod codex;
mod host;
mod program;
mod scratch;
mod settings;
mod submit;

pub use claude::ClaudeCodeExecutor;
pub use codex::CodexExecutor;
pub(crate) use host::Host;
pub use program::{CLAUDE_CODE, CODEX, Program};
pub(crate) use scratch::Scratch;
pub(crate) use settings::Settings;
pub use submit::SubmitServer;
pub(crate) use submit::{Desk, SUBMIT_SERVER};

use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;

use crate::session::OpenError;

/// How a program ended, in words.
pub(crate) fn ended(status: Option<ExitStatus>) -> String {
    match status.map(|status| (status.code(), status.signal())) {
        Some((Some(code), _)) => format!("exited with code {code}"),
        Some((None, Some(signal))) => format!("was ended by signal {signal}"),
        _ => "closed its output".to_owned(),
    }
}

/// The longest line that a CLI may say: twice what the judge reads of one answer, because JSON in JSON grows.
pub(crate) const LONGEST_LINE: usize = 16 * 1024 * 1024;

/// How much of a foreign text goes into an error.
const SHOWN_BYTES: usize = 400;

/// The beginning of a text, for an error that shows it.
pub(crate) fn shown(text: &str) -> String {
    let text = text.trim();
    match text.len() > SHOWN_BYTES {
        true => format!("{}…", text.get(..text.floor_char_boundary(SHOWN_BYTES)).unwrap_or_default()),
        false => text.to_owned(),
    }
}

/// A failure, and the end of what the program wrote to stderr.
pub(crate) fn with_stderr(what: &str, stderr: &str) -> String {
    match stderr.trim() {
        "" => format!("{what}; stderr is empty"),
        stderr => format!("{what}; the end of stderr:\n{stderr}"),
    }
}

/// Settings that a CLI does not take.
pub(crate) fn wrong(program: &Program, text: impl std::fmt::Display) -> OpenError {
    OpenError::Settings(format!("the settings of the {} executor do not fit: {text}", program.executor))
}
