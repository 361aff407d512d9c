//! When keys were last used. Kept in memory and written once a minute, so that a request costs no write.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use accord_domain::id::KeyId;
use jiff::Timestamp;

/// The uses that are not written yet.
#[derive(Debug, Default)]
pub(super) struct Uses(Mutex<HashMap<KeyId, Timestamp>>);

impl Uses {
    pub(super) fn note(&self, key_id: &KeyId, at: Timestamp) {
        let mut uses = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match uses.get_mut(key_id) {
            Some(known) => *known = at.max(*known),
            None => {
                uses.insert(key_id.clone(), at);
            }
        }
    }

    pub(super) fn of(&self, key_id: &KeyId) -> Option<Timestamp> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(key_id).copied()
    }

    /// Takes them out, to be written.
    pub(super) fn take(&self) -> Vec<(KeyId, Timestamp)> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner)).into_iter().collect()
    }
}
