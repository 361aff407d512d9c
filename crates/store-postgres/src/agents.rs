//! Agents that live in the store.

use accord_store::{AgentRecord, AgentStore, Condition, Idempotency, StoreError};
use async_trait::async_trait;

use crate::fault::{Fault, retrying};
use crate::named::{Named, Table};
use crate::store::{PostgresStore, conclude};

const TABLE: Table = Table { name: "agents", kind: "agent" };

#[async_trait]
impl AgentStore for PostgresStore {
    async fn put_agent(
        &self,
        agent: AgentRecord,
        condition: Condition,
        idempotency: Option<Idempotency>,
    ) -> Result<Option<String>, StoreError> {
        let named = Named::from(agent);
        retrying(|| self.write_agent(&named, &condition, idempotency.as_ref())).await
    }

    async fn agent(&self, name: &str) -> Result<Option<AgentRecord>, StoreError> {
        let found = retrying(|| TABLE.find(&self.pool, name)).await?;
        Ok(found.map(AgentRecord::from))
    }

    async fn agents(&self) -> Result<Vec<AgentRecord>, StoreError> {
        let all = retrying(|| TABLE.all(&self.pool)).await?;
        Ok(all.into_iter().map(AgentRecord::from).collect())
    }

    async fn remove_agent(&self, name: &str, condition: Condition) -> Result<(), StoreError> {
        retrying(|| self.delete_agent(name, &condition)).await
    }
}

impl PostgresStore {
    async fn write_agent(
        &self,
        named: &Named,
        condition: &Condition,
        idempotency: Option<&Idempotency>,
    ) -> Result<Option<String>, Fault> {
        let mut transaction = self.begin().await?;
        let written = TABLE.put(&mut transaction, named, condition, idempotency).await;
        conclude(transaction, written).await
    }

    async fn delete_agent(&self, name: &str, condition: &Condition) -> Result<(), Fault> {
        let mut transaction = self.begin().await?;
        let removed = TABLE.remove(&mut transaction, name, condition).await;
        conclude(transaction, removed).await
    }
}

impl From<AgentRecord> for Named {
    fn from(record: AgentRecord) -> Self {
        let AgentRecord { name, document, hash, created_at, modified_at } = record;
        Self { name, document, hash, created_at, modified_at }
    }
}

impl From<Named> for AgentRecord {
    fn from(named: Named) -> Self {
        let Named { name, document, hash, created_at, modified_at } = named;
        Self { name, document, hash, created_at, modified_at }
    }
}
