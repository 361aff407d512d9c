//! Callers that wait for the answer of work that they started (`/v1`).
//!
//! A caller that waits is the reason of the work: when all have left and none has come back, it is stopped. Who waits is in the
//! store, under a lease, so that coordinators agree and one that dies leaves nothing running. A request that is repeated joins
//! the work of the first one.

use std::sync::Arc;

use accord_domain::id::WorkId;
use accord_store::{Arrival, FrontRequest, Store};
use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;

use super::promise::Promise;
use super::runs::Runs;
use super::workflows::WorkflowRuns;
use crate::error::Error;
use crate::outside::Outside;
use crate::settings::Settings;

/// For how long a caller is believed to wait: three renewals.
const LEASE: SignedDuration = SignedDuration::from_secs(30);

/// How long after a caller has left an equal request still joins: longer than clients wait between two attempts.
const JOINED_AFTER_LEAVING: SignedDuration = SignedDuration::from_mins(10);

/// How long after the answer a request that says it is a repetition still gets the same one.
const JOINED_AFTER_ANSWER: SignedDuration = SignedDuration::from_mins(1);

/// How many are stopped in one round.
const STOPPED_A_ROUND: u32 = 100;

/// Requests whose callers wait.
pub(crate) struct Front {
    pub(super) store: Arc<dyn Store>,
    pub(super) outside: Arc<dyn Outside>,
    pub(super) settings: Arc<Settings>,
    pub(super) runs: Arc<Runs>,
    /// Since when this coordinator looks: callers that it or others left by a restart have time to come back.
    pub(super) since: Timestamp,
}

/// A request as it comes in.
#[derive(Debug, Clone)]
pub(crate) struct Incoming {
    /// Whose it is, its route and its body; without a key if the caller named none.
    pub(crate) promise: Promise,
    /// Whether the caller says that it repeats a request.
    pub(crate) is_repeat: bool,
    /// Whether the work is stopped when nobody waits any more.
    pub(crate) is_reason: bool,
    /// The work that it continues, if it starts none.
    pub(crate) work: Option<WorkId>,
}

/// What the answer of a request says about its work.
#[derive(Deserialize)]
#[serde(untagged)]
enum Created {
    Run { run_id: accord_domain::id::RunId },
    Workflow { workflow_run_id: accord_domain::id::WorkflowRunId },
}

impl Front {
    /// A caller waits from now on: for an equal request's work, if it joins that, or for its own.
    pub(crate) async fn arrive(&self, incoming: Incoming) -> Result<FrontRequest, Error> {
        let Incoming { promise: Promise { scope, key, fingerprint }, is_repeat, is_reason, work } = incoming;
        let is_named = !key.is_empty();
        let key = if is_named { key } else { format!("waiting {}", self.outside.unique()) };
        let now = self.outside.now();
        let arrival = Arrival {
            request: FrontRequest { scope, key, fingerprint, work: work.map(|work| work.to_string()) },
            is_named,
            is_repeat,
            is_reason,
            now,
            until: later(now, LEASE),
            left_after: earlier(now, JOINED_AFTER_LEAVING),
            answered_after: earlier(now, JOINED_AFTER_ANSWER),
        };
        Ok(self.store.arrive(arrival).await?)
    }

    /// The caller still waits. If this cannot be written, the next renewal can.
    pub(crate) async fn wait_on(&self, request: &FrontRequest) {
        let until = later(self.outside.now(), LEASE);
        if let Err(error) = self.store.wait_on(&request.scope, &request.key, until).await {
            tracing::debug!(%error, "that a caller still waits could not be written");
        }
    }

    /// The caller has left, or has its answer. If this cannot be written, its lease ends.
    pub(crate) async fn leave(&self, request: &FrontRequest, is_answered: bool) {
        let now = self.outside.now();
        if let Err(error) = self.store.leave(&request.scope, &request.key, is_answered, now).await {
            tracing::debug!(%error, "that a caller has left could not be written");
        }
    }

    /// Stops the work that nobody waits for any more.
    pub(crate) async fn stop_left_alone(&self, workflow_runs: &WorkflowRuns) -> Result<(), Error> {
        let seconds = self.settings.front.linger_seconds;
        let linger = SignedDuration::from_secs(seconds.into());
        let now = self.outside.now();
        if now < later(later(self.since, linger), LEASE) {
            return Ok(());
        }
        let reason = format!(
            "nobody waits for the answer: the last caller left more than {seconds} seconds ago (front.linger_seconds); send background: true, or use POST /runs, for work that goes on without a caller"
        );
        for request in self.store.left_alone(earlier(now, linger), STOPPED_A_ROUND).await? {
            let stopped = match self.work_of(&request).await? {
                Some(WorkId::Run(id)) => self.runs.stop_because(&id, &reason).await,
                Some(WorkId::Workflow(id)) => workflow_runs.stop(&id).await.map(|_| ()),
                None => Ok(()),
            };
            match stopped {
                // Removed meanwhile.
                Err(error) if error.name().status() == 404 => {}
                Err(error) => {
                    tracing::warn!(
                        cause = error.cause(),
                        "work that nobody waits for could not be stopped; will retry"
                    );
                    continue;
                }
                Ok(()) => {}
            }
            self.store.forget_request(&request.scope, &request.key).await?;
        }
        Ok(())
    }

    /// What a request has started; nothing if its coordinator died before.
    async fn work_of(&self, request: &FrontRequest) -> Result<Option<WorkId>, Error> {
        if let Some(work) = &request.work {
            return work.parse().map(Some).map_err(Error::internal);
        }
        let FrontRequest { scope, key, fingerprint, .. } = request;
        let Some(answer) = self.store.first_answer(scope, key, fingerprint).await? else { return Ok(None) };
        Ok(Some(match serde_json::from_str(&answer).map_err(Error::internal)? {
            Created::Run { run_id } => WorkId::Run(run_id),
            Created::Workflow { workflow_run_id } => WorkId::Workflow(workflow_run_id),
        }))
    }
}

fn later(now: Timestamp, by: SignedDuration) -> Timestamp {
    now.checked_add(by).unwrap_or(Timestamp::MAX)
}

fn earlier(now: Timestamp, by: SignedDuration) -> Timestamp {
    now.checked_sub(by).unwrap_or(Timestamp::MIN)
}
