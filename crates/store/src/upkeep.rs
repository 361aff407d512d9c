//! What reconcilers do repeatedly: each is idempotent and safe to run concurrently.

use accord_domain::demands::Demands;
use accord_domain::run::Run;
use accord_domain::runner::Profile;
use async_trait::async_trait;
use jiff::Timestamp;

use crate::error::StoreError;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct QueueDepth {
    /// Runs that wait for a runner.
    pub pending: u64,
    /// Runs that runners hold.
    pub held: u64,
}

/// Runs that no runner can take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unmatched {
    /// They have waited since before this time.
    pub queued_before: Timestamp,
    /// No runner meets their demands that was heard of after this time.
    pub alive_since: Timestamp,
    /// Nor does one of these, which have said goodbye lately.
    pub left: Vec<Profile>,
    /// They demand this tag, where one is given: the others are for others to fail.
    pub tag: Option<String>,
}

impl Unmatched {
    /// Whether runs with these demands are among them, where these runners are alive.
    pub fn includes(&self, demands: &Demands, alive: &[Profile]) -> bool {
        let is_ours = self.tag.as_ref().is_none_or(|tag| demands.tags.contains(tag));
        is_ours && !alive.iter().chain(&self.left).any(|profile| profile.meets(demands))
    }
}

/// Keeps things going after silent deaths.
#[async_trait]
pub trait Upkeep: Send + Sync {
    /// Lets leases that would end after `beyond` end at `to`. This clock never granted such a lease, so it was set back
    /// since: live runners renew theirs; dead ones must not wait for the clock.
    async fn shorten_leases(&self, to: Timestamp, beyond: Timestamp) -> Result<(), StoreError>;

    /// Takes back runs whose lease has run out. Gives those that changed, at most `limit`.
    async fn reap(&self, now: Timestamp, max_deliveries: u32, limit: u32) -> Result<Vec<Run>, StoreError>;

    /// Fails runs that no runner can take, at most `limit`. A matching runner that is only busy is not a reason to fail.
    async fn fail_unmatched(
        &self,
        unmatched: &Unmatched,
        now: Timestamp,
        limit: u32,
    ) -> Result<Vec<Run>, StoreError>;

    /// Removes runners, and facts about single schemas, from before this time.
    async fn forget(&self, before: Timestamp) -> Result<(), StoreError>;

    /// Forgets idempotency keys from before this time.
    async fn forget_idempotency_keys(&self, before: Timestamp) -> Result<(), StoreError>;

    /// When the next lease runs out, so that the reaper can sleep until then.
    async fn next_expiry(&self) -> Result<Option<Timestamp>, StoreError>;

    async fn queue_depth(&self) -> Result<QueueDepth, StoreError>;

    /// Whether the store can be used: something is read, and something invisible is written and committed. Damage,
    /// a full disk and a database that only reads are errors.
    async fn ping(&self) -> Result<(), StoreError>;
}
