//! Workflows that live in the store.

use accord_store::{Condition, DocumentRecord, Idempotency, StoreError, WorkflowStore};
use async_trait::async_trait;

use crate::fault::{Fault, retrying};
use crate::named::Table;
use crate::store::{PostgresStore, conclude};

const TABLE: Table = Table { name: "workflows", kind: "workflow" };

#[async_trait]
impl WorkflowStore for PostgresStore {
    async fn put_workflow(
        &self,
        workflow: DocumentRecord,
        condition: Condition,
        idempotency: Option<Idempotency>,
    ) -> Result<Option<String>, StoreError> {
        retrying(|| self.write_workflow(&workflow, &condition, idempotency.as_ref())).await
    }

    async fn workflow(&self, name: &str) -> Result<Option<DocumentRecord>, StoreError> {
        retrying(|| TABLE.find(&self.pool, name)).await
    }

    async fn workflows(&self) -> Result<Vec<DocumentRecord>, StoreError> {
        retrying(|| TABLE.all(&self.pool)).await
    }

    async fn remove_workflow(&self, name: &str, condition: Condition) -> Result<(), StoreError> {
        retrying(|| self.delete_workflow(name, &condition)).await
    }
}

impl PostgresStore {
    async fn write_workflow(
        &self,
        workflow: &DocumentRecord,
        condition: &Condition,
        idempotency: Option<&Idempotency>,
    ) -> Result<Option<String>, Fault> {
        let mut transaction = self.begin().await?;
        let written = TABLE.put(&mut transaction, workflow, condition, idempotency).await;
        conclude(transaction, written).await
    }

    async fn delete_workflow(&self, name: &str, condition: &Condition) -> Result<(), Fault> {
        let mut transaction = self.begin().await?;
        let removed = TABLE.remove(&mut transaction, name, condition).await;
        conclude(transaction, removed).await
    }
}
