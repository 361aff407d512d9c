//! Edits of files outside of Accord, for the audit log.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use accord_domain::audit::{Actor, Entry};

use super::Kind;
use crate::app::blueprints::Blueprints;

/// The hashes of the definitions in a folder as they were last seen or written.
#[derive(Debug)]
pub(crate) struct KnownFiles(Mutex<BTreeMap<String, String>>);

/// A changed definition: its name, and its new hash unless its file was removed.
type Changed = (String, Option<String>);

impl KnownFiles {
    pub(crate) fn new(hashes: BTreeMap<String, String>) -> Self {
        Self(Mutex::new(hashes))
    }

    /// Records that Accord itself wrote or removed a definition.
    pub(crate) fn written(&self, name: &str, hash: Option<String>) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match hash {
            Some(hash) => known.insert(name.to_owned(), hash),
            None => known.remove(name),
        };
    }

    /// What has changed since the last call.
    fn changed(&self, now: BTreeMap<String, String>) -> Vec<Changed> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let removed = known.keys().filter(|name| !now.contains_key(*name)).map(|name| (name.clone(), None));
        let edited = now.iter().filter(|(name, hash)| known.get(*name) != Some(hash));
        let changed = removed.chain(edited.map(|(name, hash)| (name.clone(), Some(hash.clone())))).collect();
        *known = now;
        changed
    }
}

impl Blueprints {
    /// Reads the files of a kind again, and records which of them were edited.
    pub(crate) async fn reload_definitions<K: Kind>(&self) {
        let definitions = K::definitions(self);
        let changed = {
            // Under the lock, so that a write of Accord's own is known before it is compared.
            let _writing = definitions.writing.lock().await;
            definitions.reload().await;
            definitions.known_files.changed(definitions.files().hashes())
        };
        self.record_edits(K::FILE_CHANGED, changed).await;
    }

    async fn record_edits(&self, action: &str, changed: Vec<Changed>) {
        // A coordinator inside a command leaves this to the project's coordinator.
        if self.instance.serves_one_runner() {
            return;
        }
        for (name, hash) in changed {
            let entry = Entry {
                at: self.outside.now(),
                actor: Actor::FileSystem,
                action: action.to_owned(),
                object: Some(name),
                hash,
                address: None,
                forwarded_for: None,
            };
            if let Err(error) = self.audit.add(entry).await {
                tracing::warn!(cause = error.cause(), "an audit log entry could not be saved");
            }
        }
    }
}
