//! The audit log: who changed what.

use accord_domain::audit::Entry;
use async_trait::async_trait;
use jiff::Timestamp;

use crate::error::StoreError;
use crate::page::{Page, PageRequest};

/// Which entries of the audit log to list.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AuditFilter {
    /// Made at this time or later.
    pub since: Option<Timestamp>,
    /// Made by the key or run with this id, by a key of this name, or by an actor of this kind.
    pub actor: Option<String>,
    /// With this action, or about this kind of object: `key` is every `key.…`.
    pub action: Option<String>,
}

/// Keeps the audit log. Entries are added and, once they are old, removed; none is ever changed.
#[async_trait]
pub trait AuditStore: Send + Sync {
    async fn add_audit(&self, entry: Entry) -> Result<(), StoreError>;

    /// Entries, newest first.
    async fn audit(&self, filter: &AuditFilter, page: &PageRequest) -> Result<Page<Entry>, StoreError>;

    /// Removes the entries from before this time.
    async fn forget_audit(&self, before: Timestamp) -> Result<(), StoreError>;
}
