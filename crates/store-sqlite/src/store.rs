//! The store: a writer, readers, and listeners.

use std::path::Path;

use accord_store::{Notice, Notices, PoisonedCount, Store, StoreError};
use rusqlite::Connection;
use tokio::sync::broadcast;

use crate::error::DbResult;
use crate::open::{self, DatabaseLocation};
use crate::opened::Opened;
use crate::readers::Readers;
use crate::writer::{Flush, Undo, Write, Writer};

/// Notices kept for a slow listener. They are hints: a listener that is further behind reads the
/// store itself.
const NOTICES: usize = 1024;

/// The store on SQLite.
///
/// Two processes may use one file: a command line may write beside a running server. What one of them writes, the other
/// one reads, but [`Notice`]s stay inside the process: waiting callers poll as well.
///
/// Dropping it writes what has queued up and empties the write-ahead log.
pub struct SqliteStore {
    // Before the writer, so that the last connection to close is the one that may write.
    readers: Option<Readers>,
    pub(crate) writer: Writer,
    notices: broadcast::Sender<Notice>,
}

impl Store for SqliteStore {
    fn is_shared(&self) -> bool {
        false
    }
}

impl SqliteStore {
    /// Opens the database in this file, or creates it. `:memory:` is [`SqliteStore::in_memory`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        let path = path.as_ref();
        if path == Path::new(":memory:") {
            return Self::in_memory();
        }
        Self::at(&DatabaseLocation::File(path.to_owned()))
    }

    /// A database that is gone when the store is.
    pub fn in_memory() -> Result<Self, StoreError> {
        Self::at(&DatabaseLocation::Memory)
    }

    /// Looks whether [`SqliteStore::open`] could use the file, and what in it coordinators died of; changes nothing.
    pub fn examine(path: impl AsRef<Path>) -> Result<PoisonedCount, StoreError> {
        open::examine(path.as_ref())
    }

    fn at(place: &DatabaseLocation) -> Result<Self, StoreError> {
        let connection = open::writing(place)?;
        let (notices, _) = broadcast::channel(NOTICES);
        let (readers, file) = match place {
            DatabaseLocation::File(path) => (Some(Readers::new(path)), Some(Opened::at(path))),
            DatabaseLocation::Memory => (None, None),
        };
        let writer = Writer::start(connection, file, notices.clone())?;
        Ok(Self { readers, writer, notices })
    }

    /// Runs a use case that writes.
    pub(crate) async fn write<T, F>(&self, work: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(&mut Write<'_>) -> DbResult<T> + Send + 'static,
    {
        self.writer.run(Undo::Savepoint, work).await
    }

    /// Runs a use case that decides before it writes.
    pub(crate) async fn write_decided<T, F>(&self, work: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(&mut Write<'_>) -> DbResult<T> + Send + 'static,
    {
        self.writer.run(Undo::Decided, work).await
    }

    /// Runs a use case whose writing has to survive the end of this process, and not that of the machine.
    pub(crate) async fn write_unflushed<T, F>(&self, work: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(&mut Write<'_>) -> DbResult<T> + Send + 'static,
    {
        self.writer.run_flushed(Undo::Savepoint, Flush::Later, work).await
    }

    /// Runs a use case that reads. Only the writer sees into its own memory.
    pub(crate) async fn read<T, F>(&self, work: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> DbResult<T> + Send + 'static,
    {
        match &self.readers {
            Some(readers) => readers.run(work).await,
            None => self.writer.run(Undo::Decided, move |write| work(write.connection())).await,
        }
    }

    /// Looks something up by its key.
    pub(crate) async fn read_by_key<T, F>(&self, work: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> DbResult<T> + Send + 'static,
    {
        match &self.readers {
            Some(readers) => readers.read_by_key(work).await,
            None => self.writer.run(Undo::Decided, move |write| work(write.connection())).await,
        }
    }

    pub(crate) fn subscribe(&self) -> Notices {
        self.notices.subscribe()
    }
}

impl std::fmt::Debug for SqliteStore {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("SqliteStore").finish_non_exhaustive()
    }
}
