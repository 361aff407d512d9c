//! What endpoints take and refuse, remembered so that the next run starts with what works.

use async_trait::async_trait;
use jiff::Timestamp;
use serde::Deserialize;

use crate::error::StoreError;

/// How an endpoint took a feature.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It works.
    Works,
    /// It is refused.
    Refused,
    /// It is taken and has no effect.
    Ignored,
}

impl Verdict {
    /// Its name on the wire and in the store.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Works => "works",
            Self::Refused => "refused",
            Self::Ignored => "ignored",
        }
    }
}

/// One thing learnt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    /// Who: provider and address.
    pub endpoint: String,
    /// With which model.
    pub model: String,
    /// What: `native`, `tool`, `native_beside_tools`…; with `#` and the hash of a schema behind it, of this schema alone.
    pub feature: String,
    /// How it went.
    pub verdict: Verdict,
    /// When.
    pub at: Timestamp,
}

/// Remembers facts. They are written with the end of a run.
#[async_trait]
pub trait FactStore: Send + Sync {
    /// What is known about these models since then, at every endpoint.
    async fn facts(&self, models: &[String], since: Timestamp) -> Result<Vec<Fact>, StoreError>;
}
