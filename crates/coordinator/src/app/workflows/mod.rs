//! Workflows: their files, what is wrong with them, their editing and their runs.
//!
//! A graph is read by `accord_workflow` and checked against the agents and workflows that are there now, each time it is
//! looked at: an agent that goes makes a workflow broken. A run carries its graph and what was known when it was made.
//! [`rounds`] looks for runs to advance, and [`engine`] advances them; it decides nothing itself.

mod depth;
mod edit;
mod engine;
mod files;
mod known;
mod read;
mod records;
mod rounds;
mod runs;
mod start;
mod view;
mod watch;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use accord_store::Store;
use accord_workflow::Flow;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

pub(super) use runs::summary_of;
pub(crate) use watch::watch as watch_workflows;

use super::blueprints::Blueprints;
use super::contracts::Contracts;
use super::file_changes::KnownFiles;
use super::instance::Instance;
use super::lineage::Lineage;
use super::quarantine::Quarantine;
use super::recent::{IN_USE, Recent};
use super::runs::Runs;
use crate::hub::Hub;
use crate::outside::{Embedder, Outside};
use crate::outstanding::Outstanding;
use files::FileWorkflow;
use read::Read;

/// Files that have been the same for so long are whole: of one that is being written, the beginning may well be a graph too.
const SETTLED: Duration = Duration::from_millis(20);

/// The longest wait for that: something that never stops writing must not keep a request waiting.
const LONGEST_UNREST: Duration = Duration::from_millis(500);

fn hashes(files: &BTreeMap<String, Arc<FileWorkflow>>) -> BTreeMap<String, String> {
    files.iter().map(|(name, workflow)| (name.clone(), workflow.hash.clone())).collect()
}

/// Runs of workflows, and the engine that advances them.
pub(crate) struct WorkflowRuns {
    pub(super) store: Arc<dyn Store>,
    pub(super) outside: Arc<dyn Outside>,
    pub(super) hub: Arc<Hub>,
    pub(super) closing: CancellationToken,
    pub(super) outstanding: Outstanding,
    pub(super) instance: Arc<Instance>,
    pub(super) embedder: Option<Arc<dyn Embedder>>,
    pub(super) blueprints: Arc<Blueprints>,
    pub(super) contracts: Arc<Contracts>,
    pub(super) lineage: Arc<Lineage>,
    pub(super) quarantine: Arc<Quarantine>,
    pub(super) runs: Arc<Runs>,
    /// Graphs made ready, by the hash of their definition.
    pub(super) flows: Recent<Arc<Flow>>,
}

pub(crate) struct WorkflowFiles {
    folder: Option<PathBuf>,
    files: RwLock<Arc<BTreeMap<String, Arc<FileWorkflow>>>>,
    /// How the folder looked when they were read.
    looked: AtomicU64,
    /// What was made of stored documents, by their hash.
    read: Recent<Arc<Read>>,
    /// Held while a workflow's file is compared and written.
    pub(super) writing: tokio::sync::Mutex<()>,
    /// What the audit log knows of the files.
    pub(super) known_files: KnownFiles,
}

impl WorkflowFiles {
    /// The workflows of a folder, which are read now.
    pub(crate) fn new(folder: Option<PathBuf>) -> Self {
        let looked = folder.as_deref().map(files::fingerprint).unwrap_or_default();
        let loaded = folder.as_deref().map(files::load).unwrap_or_default();
        let known_files = KnownFiles::new(hashes(&loaded));
        Self {
            folder,
            files: RwLock::new(Arc::new(loaded)),
            looked: AtomicU64::new(looked),
            read: Recent::new(IN_USE),
            writing: tokio::sync::Mutex::new(()),
            known_files,
        }
    }

    /// The hashes of the workflows in files.
    pub(super) fn hashes(&self) -> BTreeMap<String, String> {
        hashes(&self.files())
    }

    /// Reads the files again. Concurrent readers get all of the old or all of the new ones.
    pub(crate) async fn reload(&self) {
        let Some(folder) = self.folder.clone() else { return };
        // What changes while they are read is noticed the next time.
        let reading = move || (files::fingerprint(&folder), files::load(&folder));
        if let Ok((looked, loaded)) = tokio::task::spawn_blocking(reading).await {
            *self.files.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(loaded);
            self.looked.store(looked, Ordering::Release);
        }
    }

    /// Reads the files again if they have changed. The watcher notices a change a moment later, and a run that is requested
    /// right after its workflow was saved must use the new one.
    async fn refresh(&self) {
        let Some(folder) = &self.folder else { return };
        let mut looks = look(folder).await;
        if looks == self.looked.load(Ordering::Acquire) {
            return;
        }
        let deadline = Instant::now() + LONGEST_UNREST;
        while Instant::now() < deadline {
            sleep(SETTLED).await;
            let now = look(folder).await;
            if now == looks {
                break;
            }
            looks = now;
        }
        self.reload().await;
    }

    /// The workflows in files, as they are now.
    fn files(&self) -> Arc<BTreeMap<String, Arc<FileWorkflow>>> {
        Arc::clone(&self.files.read().unwrap_or_else(PoisonError::into_inner))
    }
}

async fn look(folder: &Path) -> u64 {
    let folder = folder.to_owned();
    tokio::task::spawn_blocking(move || files::fingerprint(&folder)).await.unwrap_or_default()
}
