//! A small memory of what was costly to make. It forgets everything when it is full: what is in use comes back at once.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// More than any installation has in use.
const MOST: usize = 1_000;

/// Values by key.
#[derive(Debug)]
pub(crate) struct Cache<T> {
    values: Mutex<HashMap<String, T>>,
}

impl<T: Clone> Cache<T> {
    pub(crate) fn new() -> Self {
        Self { values: Mutex::new(HashMap::new()) }
    }

    pub(crate) fn get(&self, key: &str) -> Option<T> {
        self.values.lock().unwrap_or_else(PoisonError::into_inner).get(key).cloned()
    }

    pub(crate) fn put(&self, key: String, value: T) {
        let mut values = self.values.lock().unwrap_or_else(PoisonError::into_inner);
        if values.len() >= MOST {
            values.clear();
        }
        values.insert(key, value);
    }

    pub(crate) fn forget(&self, key: &str) {
        self.values.lock().unwrap_or_else(PoisonError::into_inner).remove(key);
    }
}
