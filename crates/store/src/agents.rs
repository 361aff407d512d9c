//! Agents that live in the store.

use async_trait::async_trait;
use jiff::Timestamp;

use crate::error::StoreError;
use crate::runs::Idempotency;

/// An agent as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentRecord {
    /// Its name.
    pub name: String,
    /// Its blueprint, as JSON text.
    pub document: String,
    /// A hash of the document, for conditions.
    pub hash: String,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub modified_at: Timestamp,
}

/// Under which condition to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Condition {
    /// Only where there is none of this name.
    Absent,
    /// Only where there is one, with this hash.
    Unchanged(String),
    /// Only where there is one.
    Present,
    /// Always.
    Any,
}

/// Keeps agents.
#[async_trait]
pub trait AgentStore: Send + Sync {
    /// Writes one. `created_at` of one that exists is kept. Some text: the idempotency key was used before, and this was
    /// the answer; nothing is written then.
    async fn put_agent(
        &self,
        agent: AgentRecord,
        condition: Condition,
        idempotency: Option<Idempotency>,
    ) -> Result<Option<String>, StoreError>;

    /// One agent.
    async fn agent(&self, name: &str) -> Result<Option<AgentRecord>, StoreError>;

    /// All agents, by name. They are few.
    async fn agents(&self) -> Result<Vec<AgentRecord>, StoreError>;

    /// Removes one, under a condition.
    async fn remove_agent(&self, name: &str, condition: Condition) -> Result<(), StoreError>;
}
