//! Repeated work, so that nothing hangs when a process dies silently. Each is idempotent.

use std::sync::Arc;
use std::time::Duration;

use accord_store::{Store, Unmatched};
use jiff::{SignedDuration, Timestamp};

use super::audit::Audit;
use super::files::Files;
use super::instance::Instance;
use super::presence::Presence;
use super::runners::Runners;
use crate::error::Error;
use crate::metrics;
use crate::outside::Outside;
use crate::settings::Settings;

/// How many runs are changed in one transaction.
const BATCH: u32 = 100;

/// How long a runner that is silent is known.
const REMEMBERED: SignedDuration = SignedDuration::from_hours(24);

/// How long an idempotency key is remembered: an interrupted batch can be continued after a long weekend.
const KEYS_REMEMBERED: SignedDuration = SignedDuration::from_hours(7 * 24);

/// How long a request is remembered that nobody waits for any more: longer than any is joined.
const REQUESTS_REMEMBERED: SignedDuration = SignedDuration::from_hours(1);

/// How much longer than ours a lease may last: coordinators whose clocks differ a little, or that have other lease settings,
/// leave the leases of each other alone.
const CLOCK_MARGIN: SignedDuration = SignedDuration::from_mins(10);

/// The queue of runs and the stored facts, maintained by reconcilers.
pub(crate) struct Upkeep {
    pub(super) store: Arc<dyn Store>,
    pub(super) outside: Arc<dyn Outside>,
    pub(super) settings: Arc<Settings>,
    pub(super) instance: Arc<Instance>,
    pub(super) runners: Arc<Runners>,
    pub(super) audit: Arc<Audit>,
    pub(super) files: Arc<Files>,
    pub(crate) presence: Arc<Presence>,
}

impl Upkeep {
    /// Takes back runs whose lease has run out.
    pub(crate) async fn reap(&self) -> Result<(), Error> {
        let most = self.settings.queue.max_deliveries;
        let fresh = self.outside.now().checked_add(self.runners.lease()).unwrap_or(Timestamp::MAX);
        let beyond = fresh.checked_add(CLOCK_MARGIN).unwrap_or(Timestamp::MAX);
        self.store.shorten_leases(fresh, beyond).await?;
        loop {
            let changed = self.store.reap(self.outside.now(), most, BATCH).await?;
            for run in &changed {
                metrics::lease_lost();
                if run.status.is_over() {
                    metrics::run_over(run);
                }
                tracing::warn!(run = %run.id, status = %run.status, losses = run.losses, "a runner was lost");
            }
            if changed.len() < BATCH as usize {
                return Ok(());
            }
        }
    }

    /// How long until a lease can run out. One that is made meanwhile holds for a whole lease.
    pub(crate) async fn next_expiry(&self) -> Result<Duration, Error> {
        let whole = self.runners.lease().unsigned_abs();
        let Some(at) = self.store.next_expiry().await? else { return Ok(whole) };
        let left = at.duration_since(self.outside.now());
        Ok(Duration::try_from(left).unwrap_or_default().min(whole))
    }

    /// Fails runs that no runner could take, now and for as long as they may wait. A coordinator that serves one runner leaves
    /// the runs of others alone.
    pub(crate) async fn fail_unmatched(&self, now: Timestamp) -> Result<(), Error> {
        self.fail_unmet(now).await?;
        let queued_before = now.checked_sub(self.match_timeout()).unwrap_or(Timestamp::MIN);
        let left = self.presence.left_after(queued_before, self.store.as_ref(), now).await?;
        if self.presence.since() > queued_before {
            return Ok(());
        }
        let alive_since = self.runners.alive_since(now).min(queued_before);
        self.fail_these(&Unmatched {
            queued_before,
            alive_since,
            left,
            tag: self.instance.runner_tag().cloned(),
        })
        .await
    }

    /// A coordinator that serves one runner need not wait once that runner is registered: what it does not match, no runner
    /// will.
    async fn fail_unmet(&self, now: Timestamp) -> Result<(), Error> {
        let own = self.instance.runner_tag().and_then(|tag| self.presence.with_tag(tag));
        let Some(own) = own else { return Ok(()) };
        let tag = self.instance.runner_tag().cloned();
        self.fail_these(&Unmatched { queued_before: now, alive_since: now, left: vec![own], tag }).await
    }

    async fn fail_these(&self, unmatched: &Unmatched) -> Result<(), Error> {
        loop {
            let failed = self.store.fail_unmatched(unmatched, self.outside.now(), BATCH).await?;
            for run in &failed {
                metrics::run_over(run);
                tracing::warn!(run = %run.id, agent = run.agent_name, "no runner matches a run");
            }
            if failed.len() < BATCH as usize {
                return Ok(());
            }
        }
    }

    /// How long a run waits for a runner that can take it.
    fn match_timeout(&self) -> SignedDuration {
        SignedDuration::from_secs(self.settings.queue.match_timeout_seconds.into())
    }

    /// How long the runners may not have been checked while they still count as known: half of the time after which a silent
    /// runner is gone, so that those that are alive have been seen since.
    pub(crate) fn longest_absence(&self) -> SignedDuration {
        self.runners.lease().max(self.match_timeout()) / 2
    }

    pub(crate) async fn forget(&self) -> Result<(), Error> {
        let before = |age| self.outside.now().checked_sub(age).unwrap_or(Timestamp::MIN);
        self.store.forget(before(REMEMBERED)).await?;
        self.store.forget_idempotency_keys(before(KEYS_REMEMBERED)).await?;
        self.store.forget_requests(before(REQUESTS_REMEMBERED)).await?;
        self.files.forget().await?;
        self.audit.forget().await
    }
}
