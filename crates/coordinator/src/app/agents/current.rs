//! An agent as its files are at this moment.
//!
//! The watcher hears of a change a moment after it was made. A run that is asked for right after its agent was saved must
//! not be held to the contract of before, so whoever asks for one agent looks at its files first: two calls of the system
//! for an agent that is known, one for a name that is not. They are made where the request is served, because handing them
//! to another thread costs more than they do. Absent on purpose: lists. They are the watcher's.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::files::{FileAgent, load_one};
use super::name;
use super::stamp::{FolderStamp, Stamp};
use crate::app::catalog::Catalog;

/// A file that was written this long ago is whole. Of one that is being written, the beginning may well be an agent too,
/// with half of its contract.
const SETTLED: Duration = Duration::from_millis(20);

/// The longest wait for that: something that never stops writing must not keep a request waiting.
const LONGEST_UNREST: Duration = Duration::from_millis(500);

impl Catalog {
    /// The agent of this name that lives in a file, as the file is now.
    pub(in crate::app) async fn in_file(&self, name: &str) -> Option<Arc<FileAgent>> {
        let folder = self.folder()?;
        let known = self.files().agents.get(name).map(Arc::clone);
        if is_current(folder, name, known.as_deref()) {
            return known;
        }
        // In a box: a request that finds nothing changed has no room for it.
        Box::pin(self.read_again(folder, name)).await
    }

    async fn read_again(&self, folder: &Path, name: &str) -> Option<Arc<FileAgent>> {
        let _reading = self.reading.lock().await;
        let known = self.files().agents.get(name).map(Arc::clone);
        if is_current(folder, name, known.as_deref()) {
            return known;
        }
        settle(&folder.join(name)).await;
        let (place, called) = (folder.to_owned(), name.to_owned());
        let Ok(read) = tokio::task::spawn_blocking(move || load_one(&place, &called)).await else {
            return known;
        };
        let read = read.map(Arc::new);
        self.put_file(name, read.clone());
        read
    }
}

/// Whether what is known is what is there. Of an agent whose file is not known, nobody can tell from outside.
fn is_current(folder: &Path, name: &str, known: Option<&FileAgent>) -> bool {
    match known {
        Some(FileAgent { home: Some(home), stamp, .. }) => *stamp == Some(Stamp::of(&home.file)),
        Some(FileAgent { home: None, .. }) => false,
        // A name that no agent can have is a part of an address that somebody made up: it may lead anywhere.
        None => name::fault(name).is_some() || fs::symlink_metadata(folder.join(name)).is_err(),
    }
}

/// Waits until a folder has been the same for a moment.
async fn settle(folder: &Path) {
    let deadline = Instant::now() + LONGEST_UNREST;
    let mut seen = FolderStamp::of(folder);
    while !seen.is_older_than(SETTLED) && Instant::now() < deadline {
        sleep(SETTLED).await;
        let now = FolderStamp::of(folder);
        if now == seen {
            return;
        }
        seen = now;
    }
}
