//! What endpoints support, as evidence, so that the next run starts with what works.

use accord_domain::evidence::Evidence;
use async_trait::async_trait;

use crate::error::StoreError;

/// The evidence for one feature of an endpoint with one model.
#[derive(Debug, Clone, PartialEq)]
pub struct Fact {
    pub endpoint: String,
    pub model: String,
    /// `native`, `tool`, `native_beside_tools`…; with `#` and the hash of a schema behind it, for this schema only.
    pub feature: String,
    /// What speaks for it and against it.
    pub evidence: Evidence,
}

/// Selects facts. `None` matches all.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FactFilter {
    pub endpoint: Option<String>,
    /// About one of these models.
    pub models: Option<Vec<String>>,
    /// About this feature; its facts about single schemas are included.
    pub feature: Option<String>,
}

impl FactFilter {
    /// About these models, at every endpoint.
    pub fn of_models(models: Vec<String>) -> Self {
        Self { models: Some(models), ..Self::default() }
    }
}

/// Keeps facts. Observations are written with the end of a run, merged by [`Evidence::after`].
#[async_trait]
pub trait FactStore: Send + Sync {
    /// Facts by endpoint, model and feature.
    async fn facts(&self, filter: &FactFilter) -> Result<Vec<Fact>, StoreError>;

    /// Removes facts and says how many there were.
    async fn forget_facts(&self, filter: &FactFilter) -> Result<u64, StoreError>;
}
