//! Documents by name that may be changed: agents and workflows.

use jiff::Timestamp;

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
