//! Agents.

pub(crate) mod check;
pub(crate) mod contracts;
pub(crate) mod file_schema;
mod folder;
mod kb;
mod parse;
pub(crate) mod providers;
mod read;
#[cfg(test)]
mod tests;
pub(crate) mod tiers;
pub(crate) mod view;
mod write;

pub use folder::Agents;
pub use parse::{ParsedAgent, ValidBlueprint};

/// The file of a system prompt, beside the file of its agent.
const PROMPT_FILE: &str = "system-prompt.md";
