//! Agents.

pub(crate) mod check;
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
