//! Workflows.

mod folder;
mod read;

pub use folder::Workflows;
pub use read::{ParsedWorkflow, has_errors};
