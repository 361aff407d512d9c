//! Claims that wait for work.
//!
//! A run that this process queues wakes one claim whose runner can take it: with a hundred runners waiting, ninety-nine would
//! read the store in vain. The store's notice of the same run follows and is ignored. A notice of a run that another process
//! queued does not have its requirements, so it wakes all.
//!
//! A claim that was woken and leaves without having read the store passes the wake-up on, so no run waits for a claim that is
//! gone.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use accord_domain::demands::Demands;
use accord_domain::runner::Profile;
use tokio::sync::Notify;

use super::locked;

/// How long a store may take to give notice of a run that this process queued. Later notices wake all: needless, and
/// harmless.
const ECHO: Duration = Duration::from_secs(2);

#[derive(Debug, Default)]
pub(super) struct Claims {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    next: u64,
    waiting: BTreeMap<u64, Waiting>,
    /// Runs that this process queued or is about to, and whose notice has not come yet.
    expected: VecDeque<Instant>,
}

#[derive(Debug)]
struct Waiting {
    profile: Arc<Profile>,
    signal: Arc<Notify>,
    woken: Woken,
}

#[derive(Debug, Clone, PartialEq)]
enum Woken {
    /// It waits, or looks right now and will look again when it is woken.
    No,
    /// For any run: all were woken.
    ForAny,
    /// For a run with these demands: it alone was woken.
    For(Demands),
}

impl Claims {
    pub(super) fn enter(claims: &Arc<Self>, profile: Arc<Profile>) -> ClaimWaiter {
        let signal = Arc::new(Notify::new());
        let mut state = locked(&claims.state);
        let id = state.next;
        state.next += 1;
        state.waiting.insert(id, Waiting { profile, signal: Arc::clone(&signal), woken: Woken::No });
        ClaimWaiter { claims: Arc::clone(claims), id, signal }
    }

    pub(super) fn announce(claims: &Arc<Self>) -> Announcement {
        locked(&claims.state).expected.push_back(Instant::now());
        Announcement { claims: Arc::clone(claims), kept: false }
    }

    /// The store says that a run waits, and not which.
    pub(super) fn queued_somewhere(&self) {
        let is_echo = {
            let mut state = locked(&self.state);
            while state.expected.front().is_some_and(|since| since.elapsed() > ECHO) {
                state.expected.pop_front();
            }
            state.expected.pop_front().is_some()
        };
        if !is_echo {
            self.wake_all();
        }
    }

    pub(super) fn wake_all(&self) {
        for waiting in locked(&self.state).waiting.values_mut().filter(|waiting| waiting.woken == Woken::No) {
            waiting.woken = Woken::ForAny;
            waiting.signal.notify_one();
        }
    }

    fn wake_one(&self, demands: &Demands) {
        let mut state = locked(&self.state);
        let mut idle = state.waiting.values_mut().filter(|waiting| waiting.woken == Woken::No);
        if let Some(waiting) = idle.find(|waiting| waiting.profile.meets(demands)) {
            waiting.woken = Woken::For(demands.clone());
            waiting.signal.notify_one();
        }
    }
}

/// A run that this process is about to queue. Made before the run is written, so that the store's notice cannot come
/// first.
#[derive(Debug)]
pub(crate) struct Announcement {
    claims: Arc<Claims>,
    kept: bool,
}

impl Announcement {
    pub(crate) fn queued(mut self, demands: &Demands) {
        self.kept = true;
        self.claims.wake_one(demands);
    }
}

impl Drop for Announcement {
    fn drop(&mut self) {
        if !self.kept {
            locked(&self.claims.state).expected.pop_back();
        }
    }
}

/// A claim's place among those who wait: take one, look, wait, look again.
#[derive(Debug)]
pub(crate) struct ClaimWaiter {
    claims: Arc<Claims>,
    id: u64,
    signal: Arc<Notify>,
}

impl ClaimWaiter {
    /// The claim reads the queue now. Runs that are queued from here on wake it again.
    pub(crate) fn looks(&self) {
        if let Some(waiting) = locked(&self.claims.state).waiting.get_mut(&self.id) {
            waiting.woken = Woken::No;
        }
    }

    pub(crate) async fn woken(&self) {
        self.signal.notified().await;
    }
}

impl Drop for ClaimWaiter {
    fn drop(&mut self) {
        let left = locked(&self.claims.state).waiting.remove(&self.id);
        if let Some(Waiting { woken: Woken::For(demands), .. }) = left {
            self.claims.wake_one(&demands);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn enter(claims: &Arc<Claims>, executor: &str) -> ClaimWaiter {
        let executor_types = BTreeSet::from([executor.to_owned()]);
        Claims::enter(claims, Arc::new(Profile { executor_types, ..Profile::default() }))
    }

    fn demand(executor: &str) -> Demands {
        Demands { executor_type: Some(executor.to_owned()), ..Demands::default() }
    }

    fn is_woken(place: &ClaimWaiter) -> bool {
        locked(&place.claims.state).waiting.get(&place.id).is_some_and(|waiting| waiting.woken != Woken::No)
    }

    fn queue(claims: &Arc<Claims>, executor: &str) {
        Claims::announce(claims).queued(&demand(executor));
    }

    #[tokio::test]
    async fn one_run_wakes_one_claim_that_can_do_it() {
        let claims = Arc::new(Claims::default());
        let places = [enter(&claims, "codex"), enter(&claims, "llm"), enter(&claims, "llm")];
        queue(&claims, "llm");
        claims.queued_somewhere();
        assert_eq!(places.each_ref().map(is_woken), [false, true, false]);
        queue(&claims, "llm");
        assert_eq!(places.each_ref().map(is_woken), [false, true, true]);
        let [_, second, _] = &places;
        second.woken().await;
        second.looks();
        assert!(!is_woken(second));
    }

    #[test]
    fn a_wake_up_outlives_the_claim_that_got_it() {
        let claims = Arc::new(Claims::default());
        let first = enter(&claims, "llm");
        let second = enter(&claims, "llm");
        queue(&claims, "llm");
        assert!(!is_woken(&second));
        drop(first);
        assert!(is_woken(&second));
    }

    #[test]
    fn a_run_queued_elsewhere_wakes_all_claims() {
        let claims = Arc::new(Claims::default());
        let places = [enter(&claims, "codex"), enter(&claims, "llm")];
        drop(Claims::announce(&claims));
        claims.queued_somewhere();
        assert_eq!(places.each_ref().map(is_woken), [true, true]);
    }
}
