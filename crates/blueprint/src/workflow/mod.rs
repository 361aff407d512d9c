//! Workflows.

mod depth;
mod examine;
mod folder;
mod read;
pub(crate) mod view;

pub use examine::{Library, inline_blueprint, inline_blueprints, unregistered_schema};
pub use folder::Workflows;
pub use read::{ParsedWorkflow, has_errors};
