//! Documents of the runs that were claimed last. They do not change while a lease lasts, and are needed again when the run
//! finishes: a quick run is judged without another read from the store.

use accord_domain::agent::Fallback;
use accord_domain::id::LeaseId;
use accord_domain::run::{Assignment, Holder, Run};
use serde::Deserialize;

use super::recent::Recent;
use crate::error::Error;

/// As many as finish within moments; for longer runs another read does not matter.
const KEPT: usize = 256;

/// Larger ones are not kept: a megabyte of parameters is rare, and so is its end.
const KEPT_BYTES: usize = 16 * 1024;

/// The assignments of the runs that were claimed last.
pub(crate) struct RecentAssignments(Recent<Assignment>);

impl Default for RecentAssignments {
    fn default() -> Self {
        Self(Recent::new(KEPT))
    }
}

impl RecentAssignments {
    /// Keeps the documents of a run that is handed out.
    pub(crate) fn keep(&self, run: &Run, assignment: &Assignment) {
        let bytes = assignment.bytes();
        if let Some(lease) = run.lease.as_ref().filter(|_| bytes <= KEPT_BYTES) {
            self.0.put(&key(run.id.as_str(), &lease.id), bytes, assignment.clone());
        }
    }

    /// The documents of a run, if they are still cached. Whether the lease is in force is checked by the store.
    pub(crate) fn take(&self, holder: &Holder) -> Option<Assignment> {
        self.0.take(&key(holder.run_id.as_str(), &holder.lease_id))
    }
}

/// Both, so that no result is judged by the contract of another run.
fn key(run_id: &str, lease_id: &LeaseId) -> String {
    format!("{run_id} {}", lease_id.as_str())
}

/// The models that a run may use: its own, the blueprint's, and the stronger ones.
pub(super) fn models(assignment: &Assignment) -> Result<Vec<String>, Error> {
    #[derive(Deserialize)]
    struct ModelsOnly {
        executor: ExecutorModel,
        #[serde(default)]
        escalate_to: Vec<Fallback>,
    }
    #[derive(Deserialize)]
    struct ExecutorModel {
        #[serde(default)]
        model: Option<String>,
    }
    let blueprint: ModelsOnly = serde_json::from_str(&assignment.blueprint).map_err(Error::internal)?;
    let own = assignment.model.iter().cloned();
    let fallbacks = blueprint.escalate_to.iter().map(|fallback| fallback.model().to_owned());
    Ok(own.chain(blueprint.executor.model).chain(fallbacks).collect())
}
