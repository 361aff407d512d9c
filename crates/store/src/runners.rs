//! Runners and the leases that they hold.

use accord_domain::id::{LeaseId, RunId, RunnerId};
use accord_domain::runner::Runner;
use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};

use crate::error::StoreError;

/// A run that a runner believes to hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldRun {
    pub run_id: RunId,
    pub lease_id: LeaseId,
    pub attempt: u32,
}

/// A runner is alive, and holds these.
#[derive(Debug, Clone, PartialEq)]
pub struct Beat {
    pub runner_id: RunnerId,
    pub runs: Vec<HeldRun>,
    /// How long the renewed leases hold.
    pub lease: SignedDuration,
    pub now: Timestamp,
}

/// The response of a heartbeat about a run that the runner believes to hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Directive {
    /// Go on: the lease is renewed.
    Continue,
    /// Stop it: the lease is renewed for the time that this takes.
    Stop,
    /// Drop it: another runner has it, or it has finished.
    Lost,
}

#[async_trait]
pub trait RunnerStore: Send + Sync {
    async fn register_runner(&self, runner: Runner) -> Result<(), StoreError>;

    async fn runner(&self, runner_id: &RunnerId) -> Result<Option<Runner>, StoreError>;

    /// All runners, newest first. They are few.
    async fn runners(&self) -> Result<Vec<Runner>, StoreError>;

    /// Records that a runner is alive, renews its leases, and returns what it must do with each
    /// run. An unknown runner is [`StoreError::NoSuch`]: it registers again.
    async fn heartbeat(&self, beat: Beat) -> Result<Vec<Directive>, StoreError>;

    /// How many of these runs have an unfinished child whose result they wait for or poll. A run that is called back by its
    /// children does not count.
    async fn waiting_for_children(&self, runs: &[RunId]) -> Result<u32, StoreError>;

    /// A runner ends. Its leases run out by themselves.
    async fn remove_runner(&self, runner_id: &RunnerId) -> Result<(), StoreError>;
}
