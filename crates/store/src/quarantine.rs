//! Marks of the work in progress in coordinators, so that work that crashes them can be found
//! afterwards.
//!
//! A mark says which coordinator works on something. Progress clears the mark in the same
//! transaction ([`crate::WorkflowRunStore::advance_workflow_run`], a submission that delivers
//! callbacks), and with it the crash count.

use accord_domain::id::{RunId, WorkflowRunId};
use accord_domain::quarantine::{Fate, Item};
use accord_domain::run::Run;
use accord_domain::workflow::WorkflowRun;
use async_trait::async_trait;
use jiff::Timestamp;

use crate::error::StoreError;
use crate::runs::Idempotency;
use crate::workflows::TaskRun;

/// Which coordinators count as crashed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Census {
    /// The coordinator that asks. It lives.
    pub instance: String,
    /// Every other one that has not renewed its marks since this time is dead.
    pub seen_before: Timestamp,
    /// So is one whose marks are newer than this: its clock was ahead of ours.
    pub seen_after: Timestamp,
    pub now: Timestamp,
}

/// A death that was counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Death {
    /// How often coordinators have died of the work since it last made progress.
    pub deaths: u32,
    pub fate: Fate,
}

/// What coordinators died of, newest first.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Poisoned {
    pub runs: Vec<Run>,
    pub workflow_runs: Vec<WorkflowRun>,
}

/// How many runs and workflow runs coordinators died of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PoisonedCount {
    pub runs: u64,
    pub workflow_runs: u64,
}

/// Keeps marks of work in progress.
#[async_trait]
pub trait QuarantineStore: Send + Sync {
    /// Marks work that this coordinator is about to begin, and gives what it may begin: not what another one is at. Unlike
    /// everything else this need not be on disk when it returns: it has to survive the end of this process and no more.
    async fn begin_work(
        &self,
        items: Vec<Item>,
        instance: &str,
        now: Timestamp,
    ) -> Result<Vec<Item>, StoreError>;

    /// The work is done, or was given up: this coordinator has survived it. Its mark goes, with the deaths.
    async fn end_work(&self, items: Vec<Item>, instance: &str) -> Result<(), StoreError>;

    /// This coordinator lives, and is still at its work.
    async fn renew_work(&self, instance: &str, now: Timestamp) -> Result<(), StoreError>;

    /// This coordinator ends as it should: it is at nothing any more. Deaths that were counted before stay.
    async fn release_work(&self, instance: &str) -> Result<(), StoreError>;

    /// Marks of the dead, at most `limit`.
    async fn dead_work(&self, census: &Census, limit: u32) -> Result<Vec<Item>, StoreError>;

    /// Counts the death of the coordinator that was at this work. The work is free for others then, or fails as poisoned;
    /// none of its documents is read. `None`: it was counted already, or the work has finished.
    async fn count_death(&self, item: &Item, census: &Census) -> Result<Option<Death>, StoreError>;

    /// Whether a coordinator is at this work, or was when it died.
    async fn is_marked(&self, item: &Item) -> Result<bool, StoreError>;

    /// How often coordinators have died of this work since it last made progress.
    async fn deaths(&self, item: &Item) -> Result<u32, StoreError>;

    /// What coordinators died of, newest first, at most `limit` of each.
    async fn poisoned(&self, limit: u32) -> Result<Poisoned, StoreError>;

    /// How much of it there is.
    async fn count_poisoned(&self) -> Result<PoisonedCount, StoreError>;

    /// Continues a workflow run that failed or was stopped ([`StoreError::NotRetryable`]: it has not ended so). A poisoned one
    /// continues where it was, any other with [`WorkflowRequest::Resume`](crate::WorkflowRequest::Resume). Nothing is written if
    /// the idempotency key was used before.
    async fn retry_workflow_run(
        &self,
        id: &WorkflowRunId,
        idempotency: Option<Idempotency>,
        now: Timestamp,
    ) -> Result<WorkflowRun, StoreError>;

    /// Stops a workflow run without a step, and releases its task runs. One that has finished stays as it
    /// is.
    async fn end_workflow_run(&self, id: &WorkflowRunId, now: Timestamp) -> Result<WorkflowRun, StoreError>;

    /// The task runs of a workflow run, finished or not.
    async fn task_runs(&self, id: &WorkflowRunId) -> Result<Vec<TaskRun>, StoreError>;

    /// Stops a run at once, without a coordinator that could tell its runner.
    async fn stop_run_at_once(&self, run_id: &RunId, now: Timestamp) -> Result<Run, StoreError>;
}
