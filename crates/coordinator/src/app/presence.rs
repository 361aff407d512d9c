//! Which runners were available lately.
//!
//! A run fails without a matching runner only if there was none for all of `match_timeout_seconds` while this coordinator was
//! watching. The store knows when registered runners were last seen. This remembers the rest: since when this coordinator has
//! been watching, and which runners have left. A runner that left is noticed at the next check, even if it said so to another
//! coordinator, so no runner counts as gone earlier than it was.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use accord_domain::id::RunnerId;
use accord_domain::runner::{Profile, Runner};
use accord_store::{RunnerStore, StoreError};
use jiff::Timestamp;

#[derive(Debug)]
pub(crate) struct Presence {
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    since: Timestamp,
    /// Runners that were registered at the last check or came since.
    here: HashMap<RunnerId, Profile>,
    /// Runners that left, and when that was noticed.
    left: Vec<(Timestamp, Profile)>,
}

impl Presence {
    pub(super) fn new(now: Timestamp) -> Self {
        Self { state: Mutex::new(State { since: now, here: HashMap::new(), left: Vec::new() }) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts again after a time in which this coordinator was not watching.
    pub(crate) fn begin_anew(&self, now: Timestamp) {
        self.state().since = now;
    }

    /// Since when the available runners are known.
    pub(super) fn since(&self) -> Timestamp {
        self.state().since
    }

    /// The runner here that has this tag.
    pub(super) fn with_tag(&self, tag: &str) -> Option<Profile> {
        self.state().here.values().find(|profile| profile.tags.contains(tag)).cloned()
    }

    /// A runner has come. It may leave before the next look.
    pub(super) fn came(&self, runner: &Runner) {
        self.state().here.insert(runner.id.clone(), runner.profile.clone());
    }

    /// Reads the registered runners, and returns those that have left after this time.
    pub(super) async fn left_after(
        &self,
        time: Timestamp,
        store: &dyn RunnerStore,
        now: Timestamp,
    ) -> Result<Vec<Profile>, StoreError> {
        // A runner that registers while the store is read may be missing from the result and has not left.
        let before = self.state().here.clone();
        let here: HashMap<RunnerId, Profile> =
            store.runners().await?.into_iter().map(|runner| (runner.id, runner.profile)).collect();
        let mut state = self.state();
        for (id, profile) in before {
            if !here.contains_key(&id) {
                state.here.remove(&id);
                state.left.retain(|(_, other)| *other != profile);
                state.left.push((now, profile));
            }
        }
        state.here.extend(here);
        state.left.retain(|(at, _)| *at > time);
        Ok(state.left.iter().map(|(_, profile)| profile.clone()).collect())
    }
}
