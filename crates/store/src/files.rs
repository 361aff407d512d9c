//! Files of callers.

use accord_domain::file::FileRef;
use accord_domain::id::FileId;
use async_trait::async_trait;
use jiff::Timestamp;

use crate::error::StoreError;

/// A file, as one owner has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileRecord {
    /// The key that it belongs to; empty where no key is required.
    pub owner: String,
    pub file: FileRef,
    pub created_at: Timestamp,
    /// It is removed then, unless it is used before.
    pub expires_at: Timestamp,
}

/// What an owner has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FileTotals {
    pub count: u64,
    pub bytes: u64,
}

/// Keeps files. The same content of two owners is kept twice: neither notices what the other has.
#[async_trait]
pub trait FileStore: Send + Sync {
    /// Keeps a file. Of one that its owner has, only the time is extended, and the record is returned as it is now.
    async fn keep_file(&self, record: FileRecord, content: Vec<u8>) -> Result<FileRecord, StoreError>;

    async fn file(&self, owner: &str, id: &FileId) -> Result<Option<FileRecord>, StoreError>;

    /// The content of a file, whoever has it.
    async fn file_content(&self, id: &FileId) -> Result<Option<Vec<u8>>, StoreError>;

    async fn file_totals(&self, owner: &str) -> Result<FileTotals, StoreError>;

    /// Extends the time of files, whoever has them, and returns those of the ids that nobody has.
    async fn extend_files(&self, ids: &[FileId], expires_at: Timestamp) -> Result<Vec<FileId>, StoreError>;

    async fn remove_file(&self, owner: &str, id: &FileId) -> Result<(), StoreError>;

    /// Removes the files whose time was over before this.
    async fn forget_files(&self, before: Timestamp) -> Result<(), StoreError>;
}
