//! Files of agents and workflows that were edited outside of Accord, for the audit log.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use accord_domain::audit::{Actor, Entry};

use super::blueprints::Blueprints;

/// The hashes of the definitions in a folder as they were last seen or written.
#[derive(Debug)]
pub(crate) struct KnownFiles(Mutex<BTreeMap<String, String>>);

/// A definition that has changed: its name and its new hash; none where its file is gone.
type Changed = (String, Option<String>);

impl KnownFiles {
    pub(crate) fn new(hashes: BTreeMap<String, String>) -> Self {
        Self(Mutex::new(hashes))
    }

    /// Accord itself has written or removed this one.
    pub(crate) fn written(&self, name: &str, hash: Option<String>) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match hash {
            Some(hash) => known.insert(name.to_owned(), hash),
            None => known.remove(name),
        };
    }

    /// What has changed since, and is known from now on.
    fn changed(&self, now: BTreeMap<String, String>) -> Vec<Changed> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let gone = known.keys().filter(|name| !now.contains_key(*name)).map(|name| (name.clone(), None));
        let other = now.iter().filter(|(name, hash)| known.get(*name) != Some(hash));
        let changed = gone.chain(other.map(|(name, hash)| (name.clone(), Some(hash.clone())))).collect();
        *known = now;
        changed
    }
}

impl Blueprints {
    /// Reads the files of agents again, and records which of them somebody has edited.
    pub(crate) async fn reload_agents(&self) {
        let changed = {
            // What Accord writes itself is known before the lock is given back.
            let _writing = self.catalog.writing.lock().await;
            self.catalog.reload().await;
            self.catalog.known_files.changed(self.catalog.hashes())
        };
        self.record_edits("agent.file_changed", changed).await;
    }

    /// The same for workflows.
    pub(crate) async fn reload_workflows(&self) {
        let changed = {
            let _writing = self.workflows.writing.lock().await;
            self.workflows.reload().await;
            self.workflows.known_files.changed(self.workflows.hashes())
        };
        self.record_edits("workflow.file_changed", changed).await;
    }

    async fn record_edits(&self, action: &str, changed: Vec<Changed>) {
        // A command's own coordinator leaves that to the one that runs for the project.
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
