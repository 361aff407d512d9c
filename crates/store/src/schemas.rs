//! The registry of output schemas. They are immutable.

use async_trait::async_trait;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::error::StoreError;
use crate::page::{Page, PageRequest};
use crate::runs::Idempotency;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SchemaRecord {
    pub name: String,
    pub description: String,
    /// The schema, as JSON text.
    pub document: String,
    /// SHA-256 of the schema.
    pub hash: String,
    pub created_at: Timestamp,
    /// When its description last changed.
    pub modified_at: Timestamp,
}

#[async_trait]
pub trait SchemaStore: Send + Sync {
    /// Adds a schema. The same name with the same hash is not an error: the description is set, and the record as it is now
    /// comes back. With another hash it is [`StoreError::Exists`]. A key that was used before brings back the record of
    /// then, whatever became of the schema since; the record itself is kept as the key's answer.
    async fn add_schema(
        &self,
        schema: SchemaRecord,
        idempotency: Option<Idempotency>,
    ) -> Result<SchemaRecord, StoreError>;

    async fn schema(&self, name: &str) -> Result<Option<SchemaRecord>, StoreError>;

    /// Schemas, by name.
    async fn schemas(&self, page: &PageRequest) -> Result<Page<SchemaRecord>, StoreError>;

    async fn remove_schema(&self, name: &str) -> Result<(), StoreError>;
}
