//! The current content of a definition's files.
//!
//! The watcher notices a change a moment after it was made. A run that is created right after its
//! agent was saved must not use the old contract, so a lookup of one definition compares the state
//! of its files first. That is done in the request's thread, because another thread would cost
//! more. Lists are left to the watcher.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use accord_blueprint::{DefinitionFile, name_error};
use tokio::time::{Instant, sleep};

use super::{Definitions, Kind};
use crate::work::unhurried;

/// A file that has not changed for this long is complete. One that is being written may already parse, with half of its
/// contract.
const SETTLED: Duration = Duration::from_millis(20);

/// The longest wait for that, because something may never stop writing.
const LONGEST_WAIT: Duration = Duration::from_millis(500);

impl<K: Kind> Definitions<K> {
    /// The definition of this name in a file, as the file is now.
    pub(in crate::app) async fn in_file(&self, name: &str) -> Option<Arc<DefinitionFile<K::Parsed>>> {
        let folder = self.folder.as_deref()?;
        let known = self.known_file(name);
        if is_current::<K>(folder, name, known.as_deref()) {
            return known;
        }
        // Boxed, so that the rare path does not grow the future.
        Box::pin(self.read_again(folder, name)).await
    }

    async fn read_again(&self, folder: &Path, name: &str) -> Option<Arc<DefinitionFile<K::Parsed>>> {
        let _reading = self.reading.lock().await;
        let known = self.known_file(name);
        if is_current::<K>(folder, name, known.as_deref()) {
            return known;
        }
        settle::<K>(folder, name).await;
        let (owned_folder, owned_name) = (folder.to_owned(), name.to_owned());
        let load = move || K::load_one(&owned_folder, &owned_name, &unhurried());
        let read = tokio::task::spawn_blocking(load).await;
        let Ok(read) = read else { return known };
        let read = read.map(Arc::new);
        self.put_file(name, read.clone());
        read
    }

    fn known_file(&self, name: &str) -> Option<Arc<DefinitionFile<K::Parsed>>> {
        self.files().definitions.get(name).map(Arc::clone)
    }
}

/// Whether what is known is what is in the folder.
fn is_current<K: Kind>(folder: &Path, name: &str, known: Option<&DefinitionFile<K::Parsed>>) -> bool {
    match known {
        Some(file) => file.stamp.as_ref().is_some_and(|stamp| *stamp == K::stamp(folder, name)),
        // An invalid name comes from a URL and could lead out of the folder.
        None => name_error(name).is_some() || !K::exists(folder, name),
    }
}

/// Waits until the files of a name have not changed for a moment.
async fn settle<K: Kind>(folder: &Path, name: &str) {
    let deadline = Instant::now() + LONGEST_WAIT;
    let mut seen = K::stamp(folder, name);
    while !seen.is_older_than(SETTLED) && Instant::now() < deadline {
        sleep(SETTLED).await;
        let now = K::stamp(folder, name);
        if now == seen {
            return;
        }
        seen = now;
    }
}
