//! Files of agents and workflows that were edited outside of Accord, for the audit log.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use super::definitions::{Agents, WorkflowDefinitions};

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

impl Agents {
    /// Reads the files of agents again, and records which of them somebody has edited.
    pub(crate) async fn reload_agents(&self) {
        let changed = {
            // What Accord writes itself is known before the lock is given back.
            let _writing = self.catalog.writing.lock().await;
            self.catalog.reload().await;
            self.catalog.known_files.changed(self.catalog.hashes())
        };
        self.edits.record("agent.file_changed", changed).await;
    }
}

impl WorkflowDefinitions {
    /// The same for workflows.
    pub(crate) async fn reload_workflows(&self) {
        let changed = {
            let _writing = self.workflows.writing.lock().await;
            self.workflows.reload().await;
            self.workflows.known_files.changed(self.workflows.hashes())
        };
        self.edits.record("workflow.file_changed", changed).await;
    }
}
