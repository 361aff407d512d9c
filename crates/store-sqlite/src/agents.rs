//! Agents that live in the store.

use accord_store::{AgentRecord, AgentStore, Condition, Idempotency, StoreError};
use async_trait::async_trait;

use crate::named::{Named, Table};
use crate::store::SqliteStore;

const TABLE: Table = Table { name: "agents", kind: "agent" };

#[async_trait]
impl AgentStore for SqliteStore {
    async fn put_agent(
        &self,
        agent: AgentRecord,
        condition: Condition,
        idempotency: Option<Idempotency>,
    ) -> Result<Option<String>, StoreError> {
        let named = Named::from(agent);
        self.write(move |write| TABLE.put(write.connection(), &named, &condition, idempotency.as_ref())).await
    }

    async fn agent(&self, name: &str) -> Result<Option<AgentRecord>, StoreError> {
        let name = name.to_owned();
        let found = self.look(move |connection| TABLE.find(connection, &name)).await?;
        Ok(found.map(AgentRecord::from))
    }

    async fn agents(&self) -> Result<Vec<AgentRecord>, StoreError> {
        let all = self.read(|connection| TABLE.all(connection)).await?;
        Ok(all.into_iter().map(AgentRecord::from).collect())
    }

    async fn remove_agent(&self, name: &str, condition: Condition) -> Result<(), StoreError> {
        let name = name.to_owned();
        self.write(move |write| TABLE.remove(write.connection(), &name, &condition)).await
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
