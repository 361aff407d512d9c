//! Workflows that live in the store.

use accord_store::{Condition, DocumentRecord, Idempotency, StoreError, WorkflowStore};
use async_trait::async_trait;

use crate::fault::retrying;
use crate::named::Table;
use crate::store::PostgresStore;

const TABLE: Table = Table { name: "workflows", kind: "workflow" };

#[async_trait]
impl WorkflowStore for PostgresStore {
    async fn put_workflow(
        &self,
        workflow: DocumentRecord,
        condition: Condition,
        idempotency: Option<Idempotency>,
    ) -> Result<Option<String>, StoreError> {
        retrying(|| TABLE.put(self, &workflow, &condition, idempotency.as_ref())).await
    }

    async fn workflow(&self, name: &str) -> Result<Option<DocumentRecord>, StoreError> {
        retrying(|| TABLE.find(&self.pool, name)).await
    }

    async fn workflows(&self) -> Result<Vec<DocumentRecord>, StoreError> {
        retrying(|| TABLE.all(&self.pool)).await
    }

    async fn remove_workflow(&self, name: &str, condition: Condition) -> Result<(), StoreError> {
        retrying(|| TABLE.remove(self, name, &condition)).await
    }
}
