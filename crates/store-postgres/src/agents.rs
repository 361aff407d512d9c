//! Agents that live in the store.

use accord_store::{AgentStore, Condition, DocumentRecord, Idempotency, StoreError};
use async_trait::async_trait;

use crate::fault::retrying;
use crate::named::Table;
use crate::store::PostgresStore;

const TABLE: Table = Table { name: "agents", kind: "agent" };

#[async_trait]
impl AgentStore for PostgresStore {
    async fn put_agent(
        &self,
        agent: DocumentRecord,
        condition: Condition,
        idempotency: Option<Idempotency>,
    ) -> Result<Option<String>, StoreError> {
        retrying(|| TABLE.put(self, &agent, &condition, idempotency.as_ref())).await
    }

    async fn agent(&self, name: &str) -> Result<Option<DocumentRecord>, StoreError> {
        retrying(|| TABLE.find(&self.pool, name)).await
    }

    async fn agents(&self) -> Result<Vec<DocumentRecord>, StoreError> {
        retrying(|| TABLE.all(&self.pool)).await
    }

    async fn remove_agent(&self, name: &str, condition: Condition) -> Result<(), StoreError> {
        retrying(|| TABLE.remove(self, name, &condition)).await
    }
}
