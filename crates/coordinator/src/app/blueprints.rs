//! Agents and workflows, from files and from the store: listed, checked and edited.

use std::sync::Arc;

use accord_blueprint::Workflows;
use accord_store::Store;

use super::audit::Audit;
use super::catalog::Catalog;
use super::definitions::Definitions;
use super::instance::Instance;
use crate::outside::Outside;
use crate::settings::Settings;

/// The definitions that runs are made from.
pub(crate) struct Blueprints {
    pub(crate) catalog: Catalog,
    pub(super) workflows: Definitions<Workflows>,
    pub(super) store: Arc<dyn Store>,
    pub(super) outside: Arc<dyn Outside>,
    pub(super) settings: Arc<Settings>,
    pub(super) audit: Arc<Audit>,
    pub(super) instance: Arc<Instance>,
}
