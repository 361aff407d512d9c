//! Agents that live in the store.

use accord_store::{AgentStore, Condition, DocumentRecord, Idempotency, StoreError};
use async_trait::async_trait;

use crate::fault::{Fault, retrying};
use crate::named::Table;
use crate::store::{PostgresStore, conclude};

const TABLE: Table = Table { name: "agents", kind: "agent" };

#[async_trait]
impl AgentStore for PostgresStore {
    async fn put_agent(
        &self,
        agent: DocumentRecord,
        condition: Condition,
        idempotency: Option<Idempotency>,
    ) -> Result<Option<String>, StoreError> {
        retrying(|| self.write_agent(&agent, &condition, idempotency.as_ref())).await
    }

    async fn agent(&self, name: &str) -> Result<Option<DocumentRecord>, StoreError> {
        retrying(|| TABLE.find(&self.pool, name)).await
    }

    async fn agents(&self) -> Result<Vec<DocumentRecord>, StoreError> {
        retrying(|| TABLE.all(&self.pool)).await
    }

    async fn remove_agent(&self, name: &str, condition: Condition) -> Result<(), StoreError> {
        retrying(|| self.delete_agent(name, &condition)).await
    }
}

impl PostgresStore {
    async fn write_agent(
        &self,
        agent: &DocumentRecord,
        condition: &Condition,
        idempotency: Option<&Idempotency>,
    ) -> Result<Option<String>, Fault> {
        let mut transaction = self.begin().await?;
        let written = TABLE.put(&mut transaction, agent, condition, idempotency).await;
        conclude(transaction, written).await
    }

    async fn delete_agent(&self, name: &str, condition: &Condition) -> Result<(), Fault> {
        let mut transaction = self.begin().await?;
        let removed = TABLE.remove(&mut transaction, name, condition).await;
        conclude(transaction, removed).await
    }
}
