//! Agents that are programs of others: command line interfaces that talk to a model by themselves.
//!
//! What they share is here: the settings of a blueprint, how the executable is found, which variables it sees, where
//! temporary files are, and how a result is submitted by an MCP tool. The protocol of each is in its own module.

mod acp;
mod claude;
mod codex;
mod host;
mod instructions;
mod lines;
mod permission;
mod program;
mod rpc;
mod scratch;
mod session_context;
mod settings;
mod submit;
mod transcript;

pub use acp::AcpExecutor;
pub use claude::ClaudeCodeExecutor;
pub use codex::CodexExecutor;
pub(crate) use host::Host;
pub(crate) use lines::{LineError, closed, next_line};
pub(crate) use permission::{Permission, PermissionDesk, PermissionRequest};
pub use program::{ACP, CLAUDE_CODE, CODEX, Program, ProgramError};
pub(crate) use scratch::Scratch;
pub(crate) use session_context::{SessionContext, bounded, endpoint};
pub(crate) use settings::Settings;
pub use submit::SubmitServer;
pub(crate) use submit::{SUBMIT_SERVER, SubmissionInbox, read_submissions};

use crate::session::OpenError;

/// How much of a foreign text goes into an error.
const SHOWN_BYTES: usize = 400;

/// The beginning of a text, for an error that shows it.
pub(crate) fn excerpt(text: &str) -> String {
    let text = text.trim();
    match text.len() > SHOWN_BYTES {
        true => format!("{}…", text.get(..text.floor_char_boundary(SHOWN_BYTES)).unwrap_or_default()),
        false => text.to_owned(),
    }
}

/// Settings that a CLI does not take.
pub(crate) fn wrong(program: &Program, text: impl std::fmt::Display) -> OpenError {
    OpenError::Settings(format!("invalid settings of the {} executor: {text}", program.executor))
}
