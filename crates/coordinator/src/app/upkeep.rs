//! What is done again and again, so that nothing hangs when somebody dies silently. Each is idempotent.

use std::time::Duration;

use accord_store::Unmatched;
use jiff::{SignedDuration, Timestamp};

use super::App;
use crate::error::Error;
use crate::metrics;

/// How many runs are changed in one transaction.
const BATCH: u32 = 100;

/// How long a runner that is silent is known.
const REMEMBERED: SignedDuration = SignedDuration::from_hours(24);

/// How long a repeated request is known: a batch that was interrupted before a long weekend goes on after it.
const KEYS_REMEMBERED: SignedDuration = SignedDuration::from_hours(7 * 24);

/// How much longer than one of ours a lease may last: coordinators whose clocks differ a little, or that are set to other
/// leases, leave those of each other alone. Where the clock was set back by less, it catches up as soon.
const CLOCK_MARGIN: SignedDuration = SignedDuration::from_mins(10);

impl App {
    /// One round of all reconcilers. They run by themselves in a coordinator that was started; this is for who drives
    /// an application by hand.
    pub async fn reconcile(&self) -> Result<(), Error> {
        self.tend_marks().await?;
        self.reap().await?;
        self.fail_unmatched(self.outside.now()).await?;
        self.deliver_callbacks().await?;
        self.advance_workflows().await?;
        self.forget().await
    }

    /// Takes back runs whose lease has run out.
    pub(crate) async fn reap(&self) -> Result<(), Error> {
        let most = self.settings.queue.max_deliveries;
        let fresh = self.outside.now().checked_add(self.lease()).unwrap_or(Timestamp::MAX);
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
        let whole = self.lease().unsigned_abs();
        let Some(at) = self.store.next_expiry().await? else { return Ok(whole) };
        let left = at.duration_since(self.outside.now());
        Ok(Duration::try_from(left).unwrap_or_default().min(whole))
    }

    /// Fails runs that nobody could take, as it is now and has been for as long as they are given. Who is there for one runner
    /// alone leaves what is not for that one to others.
    pub(crate) async fn fail_unmatched(&self, now: Timestamp) -> Result<(), Error> {
        self.fail_unmet(now).await?;
        let queued_before = now.checked_sub(self.match_timeout()).unwrap_or(Timestamp::MIN);
        let left = self.presence.left_after(queued_before, self.store.as_ref(), now).await?;
        if self.presence.since() > queued_before {
            return Ok(());
        }
        let alive_since = self.alive_since(now).min(queued_before);
        self.fail_these(&Unmatched { queued_before, alive_since, left, tag: self.own_tag.clone() }).await
    }

    /// Who is there for one runner alone need not wait once that one is here: what it does not meet, nobody ever will.
    async fn fail_unmet(&self, now: Timestamp) -> Result<(), Error> {
        let own = self.own_tag.as_ref().and_then(|tag| self.presence.with_tag(tag));
        let Some(own) = own else { return Ok(()) };
        let tag = self.own_tag.clone();
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

    /// Whether this is there for one runner alone.
    pub(crate) fn serves_one_runner(&self) -> bool {
        self.own_tag.is_some()
    }

    /// How long a run waits for a runner that can take it.
    fn match_timeout(&self) -> SignedDuration {
        SignedDuration::from_secs(self.settings.queue.match_timeout_seconds.into())
    }

    /// How long nobody may have looked for runners while still as much is known of them: half of the time for which one that
    /// is silent counts, so that those who are alive have been heard of since.
    pub(crate) fn longest_absence(&self) -> SignedDuration {
        self.lease().max(self.match_timeout()) / 2
    }

    /// Forgets what is no longer needed.
    pub(crate) async fn forget(&self) -> Result<(), Error> {
        let before = |age| self.outside.now().checked_sub(age).unwrap_or(Timestamp::MIN);
        self.store.forget(before(REMEMBERED)).await?;
        self.store.forget_idempotency_keys(before(KEYS_REMEMBERED)).await?;
        self.forget_audit().await
    }
}
