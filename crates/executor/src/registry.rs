//! Executors by name.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::session::Executor;

/// The executors that a runner has, by the `type` that blueprints use.
#[derive(Clone, Default)]
pub struct Registry(BTreeMap<String, Arc<dyn Executor>>);

impl Registry {
    /// Adds an executor, or puts it in the place of another.
    #[must_use]
    pub fn with(mut self, kind: &str, executor: Arc<dyn Executor>) -> Self {
        self.0.insert(kind.to_owned(), executor);
        self
    }

    pub fn get(&self, kind: &str) -> Option<Arc<dyn Executor>> {
        self.0.get(kind).cloned()
    }

    pub fn kinds(&self) -> Vec<String> {
        self.0.keys().cloned().collect()
    }
}
