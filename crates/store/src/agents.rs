//! Agents that live in the store.

use async_trait::async_trait;

use crate::documents::{Condition, DocumentRecord};
use crate::error::StoreError;
use crate::runs::Idempotency;

/// Keeps agents.
#[async_trait]
pub trait AgentStore: Send + Sync {
    /// Writes one. `created_at` of one that exists is kept. Some text: the idempotency key was used before, and this was
    /// the answer; nothing is written then.
    async fn put_agent(
        &self,
        agent: DocumentRecord,
        condition: Condition,
        idempotency: Option<Idempotency>,
    ) -> Result<Option<String>, StoreError>;

    /// One agent.
    async fn agent(&self, name: &str) -> Result<Option<DocumentRecord>, StoreError>;

    /// All agents, by name. They are few.
    async fn agents(&self) -> Result<Vec<DocumentRecord>, StoreError>;

    /// Removes one, under a condition.
    async fn remove_agent(&self, name: &str, condition: Condition) -> Result<(), StoreError>;
}
