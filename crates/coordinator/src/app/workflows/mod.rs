//! Workflows: their checks, their editing and their runs.
//!
//! A graph is checked against the agents and workflows that exist now, each time it is shown or used: removing an agent makes
//! a workflow invalid. A run keeps its graph and what was known when it was created.
//! [`rounds`] looks for runs to advance, and [`engine`] advances them; it decides nothing itself.

mod engine;
mod quarantined;
mod records;
mod references;
mod rounds;
mod runs;
mod start;
mod usage;
mod view;

use std::sync::Arc;

use accord_store::Store;
use accord_workflow::Flow;
use tokio_util::sync::CancellationToken;

use super::blueprints::Blueprints;
use super::contracts::Contracts;
use super::instance::Instance;
use super::lineage::Lineage;
use super::quarantine::Quarantine;
use super::recent::Recent;
use super::runs::Runs;
use crate::hub::Hub;
use crate::outside::{Embedder, Outside};
use crate::outstanding::Outstanding;
use crate::settings::Settings;

/// Runs of workflows, and the engine that advances them.
pub(crate) struct WorkflowRuns {
    pub(super) store: Arc<dyn Store>,
    pub(super) outside: Arc<dyn Outside>,
    pub(super) settings: Arc<Settings>,
    pub(super) hub: Arc<Hub>,
    pub(super) closing: CancellationToken,
    pub(super) outstanding: Outstanding,
    pub(super) instance: Arc<Instance>,
    pub(super) embedder: Option<Arc<dyn Embedder>>,
    pub(super) blueprints: Arc<Blueprints>,
    pub(super) contracts: Arc<Contracts>,
    pub(super) lineage: Arc<Lineage>,
    pub(super) quarantine: Arc<Quarantine>,
    pub(super) runs: Arc<Runs>,
    /// Graphs made ready, by the hash of their definition.
    pub(super) flows: Recent<Arc<Flow>>,
}
