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
        let Assignment { blueprint, parameters, contract, retry_prompt, input, .. } = assignment;
        let more = [contract, retry_prompt, input].map(|text| text.as_ref().map_or(0, String::len));
        let bytes = blueprint.len() + parameters.len() + more.iter().sum::<usize>();
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

/// A model that a run may use, and where it is: the name of a provider, or of another kind of executor. The names of its endpoints begin
/// with that.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct UsedModel {
    pub(super) model: String,
    from: String,
}

impl UsedModel {
    /// Whether something that is said about an endpoint and a model is about this one.
    pub(super) fn is_at(&self, endpoint: &str, model: &str) -> bool {
        let address = endpoint.strip_prefix(self.from.as_str());
        self.model == model && address.is_some_and(|address| address.is_empty() || address.starts_with(' '))
    }
}

/// The models that a run may use: its own, the blueprint's, and the stronger ones.
pub(super) fn models(assignment: &Assignment) -> Result<Vec<UsedModel>, Error> {
    #[derive(Deserialize)]
    struct ModelsOnly {
        executor: ExecutorModel,
        #[serde(default)]
        escalate_to: Vec<Fallback>,
    }
    #[derive(Deserialize)]
    struct ExecutorModel {
        #[serde(rename = "type", default)]
        kind: String,
        #[serde(default)]
        provider: Option<String>,
        #[serde(default)]
        model: Option<String>,
    }
    let ModelsOnly { executor, escalate_to } =
        serde_json::from_str(&assignment.blueprint).map_err(Error::internal)?;
    let own = executor.provider.unwrap_or(executor.kind);
    let here = |model: String| UsedModel { model, from: own.clone() };
    let fallbacks = escalate_to.into_iter().map(|fallback| match fallback {
        Fallback::Model(model) => here(model),
        Fallback::Llm(settings) => UsedModel { model: settings.model, from: settings.provider },
    });
    Ok(assignment.model.iter().cloned().chain(executor.model).map(here).chain(fallbacks).collect())
}
