//! The registry of output schemas.

use accord_api::{CreateSchema, Page, PageQuery, SchemaView, ValidateSchema, ValidateSchemaAnswer};
use reqwest::Method;

use crate::client::Client;
use crate::error::ClientError;
use crate::http::query;

impl Client {
    /// Registered schemas.
    pub async fn schemas(&self, page: &PageQuery) -> Result<Page<SchemaView>, ClientError> {
        self.get(&["schemas"]).query(query(page)?).read().await
    }

    /// A registered schema.
    pub async fn schema(&self, name: &str) -> Result<SchemaView, ClientError> {
        self.get(&["schemas", name]).read().await
    }

    /// Registers a schema.
    pub async fn create_schema(&self, schema: &CreateSchema) -> Result<SchemaView, ClientError> {
        self.post(&["schemas"]).body(schema).read().await
    }

    /// Takes a schema out of the registry.
    pub async fn delete_schema(&self, name: &str) -> Result<(), ClientError> {
        self.call(Method::DELETE, &["schemas", name]).done().await
    }

    /// Checks a schema, and judges a text or a value by it.
    pub async fn validate_schema(
        &self,
        schema: &ValidateSchema,
    ) -> Result<ValidateSchemaAnswer, ClientError> {
        self.post(&["schemas", "validate"]).body(schema).read().await
    }
}
