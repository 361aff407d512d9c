//! The identity and the purpose of this coordinator.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use crate::outside::Outside;

/// This coordinator among those that share a store.
pub(crate) struct Instance {
    outside: Arc<dyn Outside>,
    id: OnceLock<String>,
    runner_tag: Option<String>,
    is_passive: AtomicBool,
}

impl Instance {
    pub(super) fn new(outside: Arc<dyn Outside>, runner_tag: Option<String>) -> Self {
        Self { outside, id: OnceLock::new(), runner_tag, is_passive: AtomicBool::new(false) }
    }

    /// A new id at each start.
    pub(crate) fn id(&self) -> &str {
        self.id.get_or_init(|| self.outside.unique())
    }

    /// The tag of the only runner that this coordinator starts work for.
    pub(super) fn runner_tag(&self) -> Option<&String> {
        self.runner_tag.as_ref()
    }

    pub(crate) fn serves_one_runner(&self) -> bool {
        self.runner_tag.is_some()
    }

    /// Only answers requests from now on: there is no background work, so a request does all of its work itself.
    pub(crate) fn be_passive(&self) {
        self.is_passive.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_passive(&self) -> bool {
        self.is_passive.load(Ordering::Relaxed)
    }
}
