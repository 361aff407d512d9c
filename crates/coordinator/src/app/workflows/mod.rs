//! Workflows: their files, what is wrong with them, their editing and their runs.
//!
//! A graph is read by `accord_workflow` and checked against the agents and workflows that are there now, each time it is
//! looked at: an agent that goes makes a workflow broken. A run carries its graph and what was known when it was made.
//! [`engine`] advances runs; it decides nothing itself.

mod edit;
mod engine;
mod files;
mod known;
mod read;
mod runs;
mod start;
mod view;
mod watch;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock};

use accord_workflow::Flow;

pub(crate) use edit::Made as MadeWorkflow;
pub(crate) use watch::watch as watch_workflows;

use super::cache::Cache;
use files::FileWorkflow;
use read::Read;

/// The workflows that can be used now.
pub(crate) struct Workflows {
    folder: Option<PathBuf>,
    files: RwLock<Arc<BTreeMap<String, Arc<FileWorkflow>>>>,
    /// What was made of stored documents, by their hash.
    read: Cache<Arc<Read>>,
    /// Graphs made ready, by the text of their definition.
    flows: Cache<Arc<Flow>>,
    /// Held while a workflow's file is compared and written.
    writing: tokio::sync::Mutex<()>,
}

impl Workflows {
    /// The workflows of a folder, which are read now.
    pub(crate) fn new(folder: Option<PathBuf>) -> Self {
        let loaded = folder.as_deref().map(files::load).unwrap_or_default();
        Self {
            folder,
            files: RwLock::new(Arc::new(loaded)),
            read: Cache::new(),
            flows: Cache::new(),
            writing: tokio::sync::Mutex::new(()),
        }
    }

    /// Reads the files again. Who asks meanwhile gets all of the old or all of the new.
    pub(crate) async fn reload(&self) {
        let Some(folder) = self.folder.clone() else { return };
        if let Ok(loaded) = tokio::task::spawn_blocking(move || files::load(&folder)).await {
            *self.files.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(loaded);
        }
    }

    /// The workflows in files, as they are now.
    fn files(&self) -> Arc<BTreeMap<String, Arc<FileWorkflow>>> {
        Arc::clone(&self.files.read().unwrap_or_else(PoisonError::into_inner))
    }
}
