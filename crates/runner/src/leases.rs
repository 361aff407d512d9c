//! The leases that a runner holds, their expiry, and reasons to end a run early.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use accord_api::{ClaimedRun, HeartbeatAnswer, HeldRun, Holding, RunDirective, RunId, RunnerId};
use tokio::sync::watch;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// Why a run is to end before it is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reason {
    Stop,
    /// It is given back: the runner shuts down.
    Release,
    /// Its lease expired while the coordinator could not be reached: another runner may have it.
    /// Only an already finished result is still reported.
    Expired,
    /// Another runner has it, or it has finished. Nothing is to be reported.
    Lost,
}

impl Reason {
    /// Whether another runner may have the run.
    fn is_gone(self) -> bool {
        matches!(self, Self::Expired | Self::Lost)
    }
}

/// A run that this runner holds.
#[derive(Debug)]
pub(crate) struct LeasedRun {
    pub(crate) run_id: RunId,
    pub(crate) holding: Holding,
    /// The work is to end.
    pub(crate) cancel: CancellationToken,
    /// The run is gone: everything is to end, reports too.
    pub(crate) lost: CancellationToken,
    reason: Mutex<Option<Reason>>,
}

impl LeasedRun {
    /// Ends the work. The first reason counts, except that what is lost is lost.
    pub(crate) fn end(&self, reason: Reason) {
        let mut known = lock(&self.reason);
        if known.is_none() || reason.is_gone() && *known != Some(Reason::Lost) {
            *known = Some(reason);
        }
        drop(known);
        // When a lease expires only the work ends: events of a result that is ready are still reported.
        if reason == Reason::Lost {
            self.lost.cancel();
        }
        self.cancel.cancel();
    }

    fn is_gone(&self) -> bool {
        self.reason().is_some_and(Reason::is_gone)
    }

    /// Why the work was ended, if it was.
    pub(crate) fn reason(&self) -> Option<Reason> {
        *lock(&self.reason)
    }

    fn is(&self, held: &HeldRun) -> bool {
        held.lease_id == self.holding.lease_id && held.attempt == self.holding.attempt
    }

    fn as_held(&self) -> HeldRun {
        let Holding { lease_id, attempt, .. } = self.holding.clone();
        HeldRun { run_id: self.run_id.clone(), lease_id, attempt }
    }
}

#[derive(Debug)]
struct Entry {
    hold: Arc<LeasedRun>,
    lease: Duration,
    valid_until: Instant,
}

/// All runs that are held.
#[derive(Debug, Default)]
pub(crate) struct Leases {
    entries: Mutex<HashMap<RunId, Entry>>,
    taken: watch::Sender<u64>,
    waiting: watch::Sender<u32>,
}

impl Leases {
    /// Takes what was claimed. An older hold on the same run is lost: it would not have been handed out again.
    pub(crate) fn take(&self, claim: &ClaimedRun, runner_id: &RunnerId, asked_at: Instant) -> Arc<LeasedRun> {
        let holding = Holding {
            runner_id: runner_id.clone(),
            lease_id: claim.lease_id.clone(),
            attempt: claim.attempt,
        };
        let hold = Arc::new(LeasedRun {
            run_id: claim.run_id.clone(),
            holding,
            cancel: CancellationToken::new(),
            lost: CancellationToken::new(),
            reason: Mutex::new(None),
        });
        let lease = Duration::from_secs(claim.lease_seconds.into());
        let entry = Entry { hold: Arc::clone(&hold), lease, valid_until: asked_at + lease };
        if let Some(older) = lock(&self.entries).insert(claim.run_id.clone(), entry) {
            older.hold.end(Reason::Lost);
        }
        self.taken.send_modify(|count| *count += 1);
        hold
    }

    /// Forgets a run that is done with.
    pub(crate) fn forget(&self, hold: &Arc<LeasedRun>) {
        let mut entries = lock(&self.entries);
        if entries.get(&hold.run_id).is_some_and(|entry| Arc::ptr_eq(&entry.hold, hold)) {
            entries.remove(&hold.run_id);
        }
    }

    pub(crate) fn held(&self) -> Vec<HeldRun> {
        lock(&self.entries).values().map(|entry| entry.hold.as_held()).collect()
    }

    pub(crate) fn taken(&self) -> watch::Receiver<u64> {
        self.taken.subscribe()
    }

    /// How many of the runs wait for children, as far as is known. They leave their places to others.
    pub(crate) fn waiting(&self) -> watch::Receiver<u32> {
        self.waiting.subscribe()
    }

    /// Does what a heartbeat's answer says. Runs taken after it was sent are not meant.
    pub(crate) fn instructed(&self, asked: &[HeldRun], answer: &HeartbeatAnswer, asked_at: Instant) {
        let waiting = answer.waiting.unwrap_or_default();
        self.waiting.send_if_modified(|known| std::mem::replace(known, waiting) != waiting);
        let asked: HashMap<&RunId, &HeldRun> = asked.iter().map(|held| (&held.run_id, held)).collect();
        let mut entries = lock(&self.entries);
        for instruction in &answer.runs {
            let Some(entry) = entries.get_mut(&instruction.run_id) else { continue };
            if !asked.get(&instruction.run_id).is_some_and(|held| entry.hold.is(held)) {
                continue;
            }
            match instruction.directive {
                RunDirective::Continue => entry.valid_until = asked_at + entry.lease,
                RunDirective::Stop => {
                    entry.valid_until = asked_at + entry.lease;
                    entry.hold.end(Reason::Stop);
                }
                RunDirective::Lost => entry.hold.end(Reason::Lost),
            }
        }
    }

    /// When the next lease runs out, among those that are not gone already.
    pub(crate) fn next_expiry(&self) -> Option<Instant> {
        let entries = lock(&self.entries);
        let valid = entries.values().filter(|entry| !entry.hold.is_gone());
        valid.map(|entry| entry.valid_until).min()
    }

    /// Ends the work on runs that another runner may have by now.
    pub(crate) fn expire(&self, now: Instant) {
        let entries = lock(&self.entries);
        let valid = entries.values().filter(|entry| !entry.hold.is_gone());
        for entry in valid.filter(|entry| entry.valid_until <= now) {
            tracing::warn!(run_id = %entry.hold.run_id, "the lease expired; work on the run stops");
            entry.hold.end(Reason::Expired);
        }
    }

    pub(crate) fn release(&self) {
        for entry in lock(&self.entries).values() {
            entry.hold.end(Reason::Release);
        }
    }
}

/// The value is consistent after a panic: each change is one assignment.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
