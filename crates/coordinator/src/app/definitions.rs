//! Agents and workflows, from files and from the store.

use std::sync::Arc;

use accord_domain::audit::{Actor, Entry};
use accord_store::Store;

use super::audit::Audit;
use super::catalog::Catalog;
use super::instance::Instance;
use super::workflows::WorkflowFiles;
use crate::outside::Outside;
use crate::settings::Settings;

/// Listing, checking and editing agents.
pub(crate) struct Agents {
    pub(crate) catalog: Arc<Catalog>,
    pub(super) store: Arc<dyn Store>,
    pub(super) outside: Arc<dyn Outside>,
    pub(super) settings: Arc<Settings>,
    pub(super) edits: FileEdits,
}

/// Listing, checking and editing workflows.
pub(crate) struct WorkflowDefinitions {
    pub(super) workflows: WorkflowFiles,
    pub(super) catalog: Arc<Catalog>,
    pub(super) store: Arc<dyn Store>,
    pub(super) outside: Arc<dyn Outside>,
    pub(super) edits: FileEdits,
}

/// Records files that were edited outside of Accord in the audit log.
#[derive(Clone)]
pub(super) struct FileEdits {
    pub(super) audit: Arc<Audit>,
    pub(super) instance: Arc<Instance>,
    pub(super) outside: Arc<dyn Outside>,
}

impl FileEdits {
    /// Records the names of changed definitions, with the new hash or none if the file is gone.
    pub(super) async fn record(&self, action: &str, changed: Vec<(String, Option<String>)>) {
        // The coordinator of a single command leaves this to the one that runs for the project.
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
