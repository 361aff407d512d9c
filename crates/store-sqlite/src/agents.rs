//! Agents that live in the store.

use accord_store::{AgentStore, Condition, DocumentRecord, Idempotency, StoreError};
use async_trait::async_trait;

use crate::named::Table;
use crate::store::SqliteStore;

const TABLE: Table = Table { name: "agents", kind: "agent" };

#[async_trait]
impl AgentStore for SqliteStore {
    async fn put_agent(
        &self,
        agent: DocumentRecord,
        condition: Condition,
        idempotency: Option<Idempotency>,
    ) -> Result<Option<String>, StoreError> {
        self.write(move |write| TABLE.put(write.connection(), &agent, &condition, idempotency.as_ref())).await
    }

    async fn agent(&self, name: &str) -> Result<Option<DocumentRecord>, StoreError> {
        let name = name.to_owned();
        self.look(move |connection| TABLE.find(connection, &name)).await
    }

    async fn agents(&self) -> Result<Vec<DocumentRecord>, StoreError> {
        self.read(|connection| TABLE.all(connection)).await
    }

    async fn remove_agent(&self, name: &str, condition: Condition) -> Result<(), StoreError> {
        let name = name.to_owned();
        self.write(move |write| TABLE.remove(write.connection(), &name, &condition)).await
    }
}
