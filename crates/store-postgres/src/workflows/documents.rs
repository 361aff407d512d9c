//! Workflows that live in the store.

use accord_store::{Condition, Idempotency, StoreError, WorkflowRecord, WorkflowStore};
use async_trait::async_trait;

use crate::fault::{Fault, retrying};
use crate::named::{Named, Table};
use crate::store::{PostgresStore, conclude};

const TABLE: Table = Table { name: "workflows", kind: "workflow" };

#[async_trait]
impl WorkflowStore for PostgresStore {
    async fn put_workflow(
        &self,
        workflow: WorkflowRecord,
        condition: Condition,
        idempotency: Option<Idempotency>,
    ) -> Result<Option<String>, StoreError> {
        let named = Named::from(workflow);
        retrying(|| self.write_workflow(&named, &condition, idempotency.as_ref())).await
    }

    async fn workflow(&self, name: &str) -> Result<Option<WorkflowRecord>, StoreError> {
        let found = retrying(|| TABLE.find(&self.pool, name)).await?;
        Ok(found.map(WorkflowRecord::from))
    }

    async fn workflows(&self) -> Result<Vec<WorkflowRecord>, StoreError> {
        let all = retrying(|| TABLE.all(&self.pool)).await?;
        Ok(all.into_iter().map(WorkflowRecord::from).collect())
    }

    async fn remove_workflow(&self, name: &str, condition: Condition) -> Result<(), StoreError> {
        retrying(|| self.delete_workflow(name, &condition)).await
    }
}

impl PostgresStore {
    async fn write_workflow(
        &self,
        named: &Named,
        condition: &Condition,
        idempotency: Option<&Idempotency>,
    ) -> Result<Option<String>, Fault> {
        let mut transaction = self.begin().await?;
        let written = TABLE.put(&mut transaction, named, condition, idempotency).await;
        conclude(transaction, written).await
    }

    async fn delete_workflow(&self, name: &str, condition: &Condition) -> Result<(), Fault> {
        let mut transaction = self.begin().await?;
        let removed = TABLE.remove(&mut transaction, name, condition).await;
        conclude(transaction, removed).await
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
