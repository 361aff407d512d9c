//! Work that can crash the process is marked before it starts, so that work that crashes it repeatedly is found and
//! quarantined.
//!
//! Marks are in the store: all coordinators count together. A mark whose coordinator is gone counts as a crash;
//! [`accord_domain::quarantine`] says how many are allowed. Work on which a coordinator crashed is retried alone, one piece at
//! a time in a process: if it crashes again, nothing else is suspected.

use std::collections::HashSet;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use accord_api::ErrorName;
use accord_domain::id::RunId;
use accord_domain::quarantine::{Fate, Item, Kind};
use accord_store::{Census, Store};
use jiff::{SignedDuration, Timestamp};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{sleep, timeout};

use super::instance::Instance;
use crate::error::Error;
use crate::hub::Hub;
use crate::metrics;
use crate::outside::Outside;

/// How long a coordinator may be silent before it counts as crashed. Its work waits for as long, so this is short; a database
/// that does not respond for as long has stopped the others, too.
const MARK_LEASE: SignedDuration = SignedDuration::from_secs(10);

/// How often marks are renewed and looked at: three times in a lease.
pub(crate) const TEND_EVERY: Duration = Duration::from_secs(3);

/// How far the clocks of coordinators may be apart. A mark that is further in the future was made by a clock that has been set
/// back since.
const CLOCK_MARGIN: SignedDuration = SignedDuration::from_mins(10);

/// How long suspected work has the process for itself. Work that crashes a process usually does so
/// within this time; work that takes longer must not block the other suspects forever.
const LONGEST_ALONE: Duration = Duration::from_secs(10);

/// How long a coordinator runs before it starts work on which another one crashed. One that is killed sooner, for example by
/// repeated restarts, does not count against that work; and if it crashes again, everything else had this long to continue.
const REST: SignedDuration = SignedDuration::from_secs(2);

/// Marks of the dead that are looked at in one round.
const DEATHS_A_ROUND: u32 = 500;

/// The marks of this process, and the work that coordinators crashed on.
pub(crate) struct Quarantine {
    store: Arc<dyn Store>,
    outside: Arc<dyn Outside>,
    hub: Arc<Hub>,
    instance: Arc<Instance>,
    since: Timestamp,
    held: Mutex<HashSet<Item>>,
    /// Work that is done and whose mark is still in the store.
    ended: Mutex<HashSet<Item>>,
    alone: Arc<Semaphore>,
    /// Whether a suspect was passed over.
    is_waited_for: AtomicBool,
    has_looked: AtomicBool,
}

impl Quarantine {
    pub(super) fn new(
        store: Arc<dyn Store>,
        outside: Arc<dyn Outside>,
        hub: Arc<Hub>,
        instance: Arc<Instance>,
    ) -> Self {
        Self {
            since: outside.now(),
            store,
            outside,
            hub,
            instance,
            held: Mutex::default(),
            ended: Mutex::default(),
            alone: Arc::new(Semaphore::new(1)),
            is_waited_for: AtomicBool::new(false),
            has_looked: AtomicBool::new(false),
        }
    }

    /// How long until this coordinator may start work on which another one crashed.
    fn rest(&self, now: Timestamp) -> Duration {
        // The clock may have been set back.
        Duration::try_from(REST - now.duration_since(self.since).abs()).unwrap_or_default()
    }

    /// The right to work on a suspect, where that can be had now.
    pub(super) fn try_alone(&self, now: Timestamp) -> Option<OwnedSemaphorePermit> {
        let is_rested = self.rest(now).is_zero();
        let permit = is_rested.then(|| Arc::clone(&self.alone).try_acquire_owned().ok()).flatten();
        self.is_waited_for.fetch_or(permit.is_none(), Ordering::Relaxed);
        permit
    }

    /// The right to work on a suspect.
    async fn alone(&self, now: Timestamp) -> Option<OwnedSemaphorePermit> {
        sleep(self.rest(now)).await;
        Arc::clone(&self.alone).acquire_owned().await.ok()
    }

    fn hold(&self, items: &[Item]) {
        self.held.lock().unwrap_or_else(PoisonError::into_inner).extend(items.iter().cloned());
    }

    /// This process no longer works on it.
    pub(super) fn forget(&self, item: &Item) {
        self.held.lock().unwrap_or_else(PoisonError::into_inner).remove(item);
    }

    fn is_idle(&self) -> bool {
        self.held.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }
}

/// Stops renewing a mark when the work ends, also if it ends because the client hung up.
struct MarkGuard<'a>(&'a Quarantine, &'a Item);

impl Drop for MarkGuard<'_> {
    fn drop(&mut self) {
        self.0.forget(self.1);
    }
}

/// Does the work of a suspect. The right to it is given back when the work is done, or has taken too long.
pub(super) async fn alone<T>(permit: OwnedSemaphorePermit, work: impl Future<Output = T>) -> T {
    let mut work = pin!(work);
    match timeout(LONGEST_ALONE, &mut work).await {
        Ok(done) => done,
        Err(_) => {
            drop(permit);
            work.await
        }
    }
}

impl Quarantine {
    /// Marks work, and gives what may be begun.
    pub(super) async fn begin_work(&self, items: Vec<Item>) -> Result<Vec<Item>, Error> {
        if items.is_empty() {
            return Ok(items);
        }
        let begun = self.store.begin_work(items, self.instance.id(), self.outside.now()).await?;
        self.hold(&begun);
        Ok(begun)
    }

    /// The work is done and did not crash the process.
    pub(super) async fn end_work(&self, item: Item) {
        self.forget(&item);
        self.ended.lock().unwrap_or_else(PoisonError::into_inner).insert(item);
        if let Err(error) = self.clear_marks().await {
            tracing::warn!(%error, "the mark of finished work could not be cleared; will retry");
        }
    }

    /// Clears the marks of work that is done, unless it was begun again.
    async fn clear_marks(&self) -> Result<(), Error> {
        let ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let items: Vec<Item> = ended.difference(&held).cloned().collect();
        if !items.is_empty() {
            self.store.end_work(items.clone(), self.instance.id()).await?;
            let mut ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
            items.iter().for_each(|item| drop(ended.take(item)));
        }
        Ok(())
    }

    /// Does work under its mark.
    pub(super) async fn marked<T>(
        &self,
        item: Item,
        work: impl Future<Output = Result<T, Error>>,
    ) -> Result<T, Error> {
        let permit = match self.store.deaths(&item).await? {
            0 => None,
            _ => self.alone(self.outside.now()).await,
        };
        if self.begin_work(vec![item.clone()]).await?.is_empty() {
            let message = "another coordinator is working on this, or crashed on it a moment ago; retry";
            return Err(Error::new(ErrorName::StoreUnavailable, message));
        }
        let held = MarkGuard(self, &item);
        let done = match permit {
            Some(permit) => alone(permit, work).await,
            None => work.await,
        };
        drop(held);
        self.end_work(item).await;
        done
    }

    /// Renews the marks of this coordinator, and counts the crashes of others.
    pub(crate) async fn tend_marks(&self) -> Result<(), Error> {
        self.clear_marks().await?;
        if !self.is_idle() {
            self.store.renew_work(self.instance.id(), self.outside.now()).await?;
        }
        let census = self.census();
        let dead = self.store.dead_work(&census, DEATHS_A_ROUND).await?;
        for item in &dead {
            let Some(death) = self.store.count_death(item, &census).await? else { continue };
            let (kind, id, deaths) = (item.kind.as_str(), &item.id, death.deaths);
            match death.fate {
                Fate::Retry => {
                    tracing::warn!(
                        kind,
                        id,
                        deaths,
                        "a coordinator crashed during this work; it will be retried in isolation"
                    );
                }
                Fate::Poisoned => {
                    tracing::error!(
                        kind,
                        id,
                        deaths,
                        "coordinators crashed during this work; it is quarantined as poisoned"
                    );
                    metrics::poisoned(item.kind);
                    self.count_poisoned_run(item).await;
                }
            }
        }
        self.has_looked.store(true, Ordering::Relaxed);
        if !dead.is_empty() {
            self.hub.wake_everybody();
        }
        if self.is_waited_for.swap(false, Ordering::Relaxed) {
            self.hub.look_at_workflows();
        }
        Ok(())
    }

    async fn count_poisoned_run(&self, item: &Item) {
        let Some(id) = item.id.parse::<RunId>().ok().filter(|_| item.kind == Kind::Finish) else { return };
        if let Ok(run) = self.store.run(&id).await {
            metrics::run_over(&run);
        }
    }

    /// Which coordinators count as crashed. A SQLite file has one permanent coordinator, so when it
    /// starts, every other one is gone; commands with an embedded coordinator may run at the same
    /// time, and cannot be sure.
    fn census(&self) -> Census {
        let now = self.outside.now();
        let is_only =
            !self.store.is_shared() && !self.instance.serves_one_runner() && !self.instance.is_passive();
        let seen_before = match is_only && !self.has_looked.load(Ordering::Relaxed) {
            true => Timestamp::MAX,
            false => now.checked_sub(MARK_LEASE).unwrap_or(Timestamp::MIN),
        };
        let seen_after = now.checked_add(CLOCK_MARGIN).unwrap_or(Timestamp::MAX);
        Census { instance: self.instance.id().to_owned(), seen_before, seen_after, now }
    }

    /// Whether some coordinator works on a piece of work, or did when it crashed.
    pub(super) async fn is_marked(&self, item: &Item) -> Result<bool, Error> {
        Ok(self.store.is_marked(item).await?)
    }

    pub(crate) async fn release_marks(&self) {
        // A passive coordinator only answers requests: it has set no marks.
        if self.instance.is_passive() {
            return;
        }
        if let Err(error) = self.store.release_work(self.instance.id()).await {
            tracing::warn!(%error, "the marks of this coordinator could not be cleared");
        }
    }
}
