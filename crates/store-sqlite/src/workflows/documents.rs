//! Workflows that live in the store.

use accord_store::{Condition, Idempotency, StoreError, WorkflowRecord, WorkflowStore};
use async_trait::async_trait;

use crate::named::{Named, Table};
use crate::store::SqliteStore;

const TABLE: Table = Table { name: "workflows", kind: "workflow" };

#[async_trait]
impl WorkflowStore for SqliteStore {
    async fn put_workflow(
        &self,
        workflow: WorkflowRecord,
        condition: Condition,
        idempotency: Option<Idempotency>,
    ) -> Result<Option<String>, StoreError> {
        let named = Named::from(workflow);
        self.write(move |write| TABLE.put(write.connection(), &named, &condition, idempotency.as_ref())).await
    }

    async fn workflow(&self, name: &str) -> Result<Option<WorkflowRecord>, StoreError> {
        let name = name.to_owned();
        let found = self.look(move |connection| TABLE.find(connection, &name)).await?;
        Ok(found.map(WorkflowRecord::from))
    }

    async fn workflows(&self) -> Result<Vec<WorkflowRecord>, StoreError> {
        let all = self.read(|connection| TABLE.all(connection)).await?;
        Ok(all.into_iter().map(WorkflowRecord::from).collect())
    }

    async fn remove_workflow(&self, name: &str, condition: Condition) -> Result<(), StoreError> {
        let name = name.to_owned();
        self.write(move |write| TABLE.remove(write.connection(), &name, &condition)).await
    }
}

impl From<WorkflowRecord> for Named {
    fn from(record: WorkflowRecord) -> Self {
        let WorkflowRecord { name, document, hash, created_at, modified_at } = record;
        Self { name, document, hash, created_at, modified_at }
    }
}

impl From<Named> for WorkflowRecord {
    fn from(named: Named) -> Self {
        let Named { name, document, hash, created_at, modified_at } = named;
        Self { name, document, hash, created_at, modified_at }
    }
}
