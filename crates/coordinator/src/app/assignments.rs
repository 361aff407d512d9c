//! Documents of the runs that were handed out last. They are fixed while a lease lasts, and needed again when its holder ends the
//! run: whoever is quick is judged without another look into the store.

use accord_domain::id::LeaseId;
use accord_domain::run::{Assignment, Holder, Run};

use super::recent::Recent;

/// As many as end within moments; whoever takes longer does not mind a look.
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
        let Assignment { blueprint, parameters, contract, retry_prompt, input, .. } = assignment;
        let more = [contract, retry_prompt, input].map(|text| text.as_ref().map_or(0, String::len));
        let bytes = blueprint.len() + parameters.len() + more.iter().sum::<usize>();
        if let Some(lease) = run.lease.as_ref().filter(|_| bytes <= KEPT_BYTES) {
            self.0.put(&key(run.id.as_str(), &lease.id), assignment.clone());
        }
    }

    /// The documents of the run that somebody claims to hold, if they are still kept. That the lease is in force is for the
    /// store to say.
    pub(crate) fn take(&self, holder: &Holder) -> Option<Assignment> {
        self.0.take(&key(holder.run_id.as_str(), &holder.lease_id))
    }
}

/// Both, so that nobody is judged by another run's contract.
fn key(run_id: &str, lease_id: &LeaseId) -> String {
    format!("{run_id} {}", lease_id.as_str())
}
