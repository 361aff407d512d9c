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
    /// For how long again.
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

    /// How many of these runs have a child that is not over and that they look after themselves: they wait for it or ask for
    /// it. One that is to be called back has nothing to wait for.
    async fn waiting_for_children(&self, runs: &[RunId]) -> Result<u32, StoreError>;

    /// A runner ends. Its leases run out by themselves.
    async fn remove_runner(&self, runner_id: &RunnerId) -> Result<(), StoreError>;
}
