//! Documents by name that may be changed: agents and workflows.

use async_trait::async_trait;
use jiff::Timestamp;

use crate::error::StoreError;
use crate::runs::Idempotency;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Defined {
    Agent,
    Workflow,
}

impl Defined {
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Workflow => "workflow",
        }
    }
}

/// A document as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentRecord {
    pub name: String,
    /// The blueprint of an agent or the graph of a workflow, as JSON text.
    pub document: String,
    /// A hash of the document, for conditions.
    pub hash: String,
    pub created_at: Timestamp,
    pub modified_at: Timestamp,
}

/// Under which condition to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Condition {
    /// Only if the name is free.
    Absent,
    /// Only where there is one, with this hash.
    Unchanged(String),
    /// Only where there is one.
    Present,
    Any,
}

impl Condition {
    /// Whether it holds where the thing of this kind and name has this hash, or is not there.
    pub fn check(&self, kind: &'static str, name: &str, hash: Option<&str>) -> Result<(), StoreError> {
        let name = name.to_owned();
        match (self, hash) {
            (Self::Absent, Some(_)) => Err(StoreError::Exists { kind, name }),
            (Self::Unchanged(_) | Self::Present, None) => Err(StoreError::NoSuch { kind, name }),
            (Self::Unchanged(wanted), Some(hash)) if wanted != hash => {
                Err(StoreError::Changed { kind, name })
            }
            _ => Ok(()),
        }
    }
}

/// Keeps definitions. Agents and workflows are apart: one of each may have the same name.
#[async_trait]
pub trait DefinitionStore: Send + Sync {
    /// Writes one. `created_at` of one that exists is kept. Some text: the idempotency key was used before, and this was
    /// the answer; nothing is written then.
    async fn put_definition(
        &self,
        defined: Defined,
        record: DocumentRecord,
        condition: Condition,
        idempotency: Option<Idempotency>,
    ) -> Result<Option<String>, StoreError>;

    async fn definition(&self, defined: Defined, name: &str) -> Result<Option<DocumentRecord>, StoreError>;

    /// All of them, by name. They are few.
    async fn definitions(&self, defined: Defined) -> Result<Vec<DocumentRecord>, StoreError>;

    /// Removes one, under a condition. Runs of it stay.
    async fn remove_definition(
        &self,
        defined: Defined,
        name: &str,
        condition: Condition,
    ) -> Result<(), StoreError>;
}
