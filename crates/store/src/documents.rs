//! Documents by name that may be changed: agents and workflows.

use jiff::Timestamp;

use crate::error::StoreError;

/// A document as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentRecord {
    /// Its name.
    pub name: String,
    /// The blueprint of an agent or the graph of a workflow, as JSON text.
    pub document: String,
    /// A hash of the document, for conditions.
    pub hash: String,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub modified_at: Timestamp,
}

/// Under which condition to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Condition {
    /// Only where there is none of this name.
    Absent,
    /// Only where there is one, with this hash.
    Unchanged(String),
    /// Only where there is one.
    Present,
    /// Always.
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
