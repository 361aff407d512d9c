//! Who was there lately to take runs.
//!
//! A run fails for want of a runner only where there was none for a whole `match_timeout_seconds`, and where this coordinator
//! was there to see it. Of runners that are registered the store knows when they were last heard of. The rest is
//! remembered here: since when this coordinator has been watching, and which runners have left. Whoever left is missed at
//! the next look, also where another coordinator was told goodbye; so nobody is thought to have left earlier than he did.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use accord_domain::id::RunnerId;
use accord_domain::runner::{Profile, Runner};
use accord_store::{RunnerStore, StoreError};
use jiff::Timestamp;

/// Who was there lately.
#[derive(Debug)]
pub(crate) struct Presence {
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    since: Timestamp,
    /// Those who were registered at the last look or came since.
    here: HashMap<RunnerId, Profile>,
    /// Those who left, and when that was seen.
    left: Vec<(Timestamp, Profile)>,
}

impl Presence {
    /// Watching begins now.
    pub(super) fn new(now: Timestamp) -> Self {
        Self { state: Mutex::new(State { since: now, here: HashMap::new(), left: Vec::new() }) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Nobody was watching for a while, so nothing is known of who was there.
    pub(crate) fn begin_anew(&self, now: Timestamp) {
        self.state().since = now;
    }

    /// Since when it is known who was there.
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

    /// Looks who is here, and gives those who have left after this time.
    pub(super) async fn left_after(
        &self,
        time: Timestamp,
        store: &dyn RunnerStore,
        now: Timestamp,
    ) -> Result<Vec<Profile>, StoreError> {
        // Who comes while the store is asked may be missing from its answer and has not left.
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
