//! Workflows that live in the store.

use accord_store::{Condition, DocumentRecord, Idempotency, StoreError, WorkflowStore};
use async_trait::async_trait;

use crate::named::Table;
use crate::store::SqliteStore;

const TABLE: Table = Table { name: "workflows", kind: "workflow" };

#[async_trait]
impl WorkflowStore for SqliteStore {
    async fn put_workflow(
        &self,
        workflow: DocumentRecord,
        condition: Condition,
        idempotency: Option<Idempotency>,
    ) -> Result<Option<String>, StoreError> {
        self.write(move |write| TABLE.put(write.connection(), &workflow, &condition, idempotency.as_ref()))
            .await
    }

    async fn workflow(&self, name: &str) -> Result<Option<DocumentRecord>, StoreError> {
        let name = name.to_owned();
        self.look(move |connection| TABLE.find(connection, &name)).await
    }

    async fn workflows(&self) -> Result<Vec<DocumentRecord>, StoreError> {
        self.read(|connection| TABLE.all(connection)).await
    }

    async fn remove_workflow(&self, name: &str, condition: Condition) -> Result<(), StoreError> {
        let name = name.to_owned();
        self.write(move |write| TABLE.remove(write.connection(), &name, &condition)).await
    }
}
