//! Reads, concurrently with the writer: a few connections that see the last commit.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use accord_store::StoreError;
use rusqlite::Connection;
use tokio::sync::Semaphore;

use crate::error::DbResult;
use crate::open;

/// Reads at once. They run at the speed of the processor, so more would only wait for each other.
const READERS: usize = 4;

pub(crate) struct Readers {
    path: PathBuf,
    free: Arc<Semaphore>,
    idle: Arc<Mutex<Vec<Connection>>>,
}

impl Readers {
    /// Readers of this file. Connections are made when they are needed.
    pub(crate) fn new(path: &Path) -> Self {
        let free = Arc::new(Semaphore::new(READERS));
        Self { path: path.to_owned(), free, idle: Arc::default() }
    }

    /// Looks something up by its key, here and now where a connection is idle: that takes microseconds, less than it takes
    /// to hand the work to another thread.
    pub(crate) async fn read_by_key<T, F>(&self, work: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> DbResult<T> + Send + 'static,
    {
        let waiting = lock(&self.idle).pop();
        let Some(connection) = waiting else { return self.run(work).await };
        let outcome = work(&connection);
        lock(&self.idle).push(connection);
        outcome.map_err(StoreError::from)
    }

    /// Runs one read, away from the threads that must not block.
    pub(crate) async fn run<T, F>(&self, work: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> DbResult<T> + Send + 'static,
    {
        let permit = Arc::clone(&self.free).acquire_owned().await;
        let permit = permit.map_err(|_| StoreError::Unavailable("the store is closed".into()))?;
        let (idle, path) = (Arc::clone(&self.idle), self.path.clone());
        let read = tokio::task::spawn_blocking(move || {
            let waiting = lock(&idle).pop();
            let connection = waiting.map_or_else(|| open::reading(&path), Ok)?;
            let outcome = work(&connection);
            lock(&idle).push(connection);
            drop(permit);
            outcome
        });
        match read.await {
            Ok(outcome) => outcome.map_err(StoreError::from),
            // Its connection is gone with it, and the next read makes another.
            Err(_) => Err(StoreError::Unavailable("a read panicked".into())),
        }
    }
}

fn lock(idle: &Mutex<Vec<Connection>>) -> MutexGuard<'_, Vec<Connection>> {
    idle.lock().unwrap_or_else(PoisonError::into_inner)
}
