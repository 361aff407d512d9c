//! Workflows: their checks, their editing and their runs.
//!
//! A graph is checked against the agents and workflows that exist now, each time it is shown or used: removing an agent makes
//! a workflow invalid. A run keeps its graph and what was known when it was created.
//! [`rounds`] looks for runs to advance, and [`engine`] advances them; it decides nothing itself.

mod depth;
mod edit;
mod engine;
mod known;
mod records;
mod rounds;
mod runs;
mod start;
mod view;

use std::sync::Arc;

use accord_workflow::Flow;

use super::recent::{IN_USE, Recent};

/// What is kept of workflows besides the definitions.
pub(crate) struct WorkflowState {
    /// Graphs prepared for runs, by the hash of their definition.
    flows: Recent<Arc<Flow>>,
}

impl Default for WorkflowState {
    fn default() -> Self {
        Self { flows: Recent::new(IN_USE) }
    }
}
