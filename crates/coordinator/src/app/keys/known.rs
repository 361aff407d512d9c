//! The stored keys, as they were read last.
//!
//! Requests are authorized by them, and requests that are still being answered are notified of changes, so that the store is
//! not read for every event or every moment of waiting. While a request waits, one task reads the keys again for all of them.

use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use accord_domain::key::Key;
use accord_store::KeyStore;
use jiff::{SignedDuration, Timestamp};
use tokio::sync::watch;
use tokio::time::sleep;

use crate::error::Error;
use crate::outside::Outside;

/// Keys are read again after this long: another coordinator may have made or removed some.
pub(crate) const FRESH: SignedDuration = SignedDuration::from_secs(2);

/// Revoking the last key may have been meant to lock a client out.
const LAST_REMOVED: &str = "the last API key was revoked: a coordinator that listens on loopback is open to everyone on this machine until a key is created with 'accord keys create --role admin'";

pub(super) struct KnownKeys {
    store: Arc<dyn KeyStore>,
    outside: Arc<dyn Outside>,
    last: watch::Sender<Last>,
    /// Whether a task looks after those who wait.
    looked_after: Mutex<bool>,
}

#[derive(Default)]
struct Last {
    /// How often this process has changed keys. Keys that were read before a change are discarded.
    changes: u64,
    /// None before the first time, and when it is known to be old.
    reading: Option<Reading>,
    /// Whether there were keys when they were last read.
    any: bool,
}

#[derive(Clone)]
struct Reading {
    at: Timestamp,
    keys: Arc<[Key]>,
}

impl KnownKeys {
    pub(super) fn new(store: Arc<dyn KeyStore>, outside: Arc<dyn Outside>) -> Self {
        Self { store, outside, last: watch::Sender::default(), looked_after: Mutex::default() }
    }

    /// The keys as they are, or were less than this long ago.
    pub(super) async fn within(&self, fresh: SignedDuration) -> Result<Arc<[Key]>, Error> {
        let now = self.outside.now();
        let (changes, reading) = {
            let last = self.last.borrow();
            (last.changes, last.reading.clone())
        };
        if let Some(reading) = reading
            && now.duration_since(reading.at).abs() < fresh
        {
            return Ok(reading.keys);
        }
        let keys = self.store.keys().await?;
        // The last use of a key is not a change that requests wait for.
        let keys: Arc<[Key]> = keys.into_iter().map(|key| Key { last_used_at: None, ..key }).collect();
        self.keep(changes, Reading { at: now, keys: Arc::clone(&keys) });
        Ok(keys)
    }

    /// Takes up what this process has just written. Should the store not answer, the next request asks it.
    pub(super) async fn renew(&self) {
        self.last.send_if_modified(|last| {
            last.changes += 1;
            last.reading = None;
            // Waiting requests are notified when it is known what has changed.
            false
        });
        if let Err(error) = self.within(SignedDuration::ZERO).await {
            tracing::warn!(%error, "changed keys could not be reloaded");
        }
    }

    /// Reports changes from now on, by any coordinator, until the returned value is dropped.
    pub(super) fn changes(known: &Arc<Self>) -> Changes {
        let mut looked_after = known.looked_after.lock().unwrap_or_else(PoisonError::into_inner);
        let changes = known.last.subscribe();
        if !*looked_after {
            *looked_after = true;
            tokio::spawn(look_after(Arc::downgrade(known)));
        }
        Changes(changes)
    }

    fn keep(&self, changes: u64, reading: Reading) {
        self.last.send_if_modified(|last| {
            if last.changes != changes {
                return false;
            }
            let is_new = last.reading.as_ref().is_none_or(|last| last.keys != reading.keys);
            let was_last = last.any && reading.keys.is_empty();
            last.any = !reading.keys.is_empty();
            last.reading = Some(reading);
            if was_last {
                tracing::warn!("{LAST_REMOVED}");
            }
            is_new
        });
    }

    /// How long what was read last stays fresh. Where it is not, the store did not answer: then it is asked as often as else.
    fn stays_fresh(&self) -> Duration {
        let last = self.last.borrow().reading.as_ref().map(|reading| reading.at);
        let age = last.map_or(FRESH, |at| self.outside.now().duration_since(at).abs());
        let left = if age < FRESH { FRESH - age } else { FRESH };
        left.unsigned_abs()
    }

    /// Whether no request waits any more, so that the task can end.
    fn is_left_alone(&self) -> bool {
        let mut looked_after = self.looked_after.lock().unwrap_or_else(PoisonError::into_inner);
        *looked_after = self.last.receiver_count() > 0;
        !*looked_after
    }
}

pub(super) struct Changes(watch::Receiver<Last>);

impl Changes {
    /// Until keys may have changed, or did since the last call.
    pub(super) async fn next(&mut self) {
        // It cannot fail: the receiver's owner holds the sender.
        let _ = self.0.changed().await;
    }
}

/// Reads the keys whenever they are no longer fresh, until no request waits. It is a separate task,
/// because the waiting requests may be blocked by a client that does not read.
async fn look_after(known: Weak<KnownKeys>) {
    loop {
        let Some(pause) = known.upgrade().map(|known| known.stays_fresh()) else { return };
        sleep(pause).await;
        let Some(known) = known.upgrade() else { return };
        if known.is_left_alone() {
            return;
        }
        // Waiting requests keep waiting while the store is unavailable.
        if let Err(error) = known.within(FRESH).await {
            tracing::warn!(%error, "keys could not be reloaded");
        }
    }
}

#[cfg(test)]
mod tests {
    use accord_domain::key::Role;
    use accord_store_sqlite::SqliteStore;
    use tracing::field::{Field, Visit};
    use tracing::span::{Attributes, Id, Record};
    use tracing::{Event, Metadata, Subscriber};

    use super::*;
    use crate::outside::System;

    #[derive(Clone, Default)]
    struct Log(Arc<Mutex<Vec<String>>>);

    impl Visit for Log {
        fn record_debug(&mut self, _: &Field, value: &dyn std::fmt::Debug) {
            self.0.lock().unwrap().push(format!("{value:?}"));
        }
    }

    impl Subscriber for Log {
        fn enabled(&self, metadata: &Metadata<'_>) -> bool {
            metadata.target().starts_with("accord_coordinator")
        }

        fn event(&self, event: &Event<'_>) {
            event.record(&mut self.clone());
        }

        fn new_span(&self, _: &Attributes<'_>) -> Id {
            Id::from_u64(1)
        }

        fn record(&self, _: &Id, _: &Record<'_>) {}
        fn record_follows_from(&self, _: &Id, _: &Id) {}
        fn enter(&self, _: &Id) {}
        fn exit(&self, _: &Id) {}
    }

    #[tokio::test]
    async fn the_log_tells_once_that_the_last_key_was_removed() {
        let log = Log::default();
        let _heard = tracing::subscriber::set_default(log.clone());
        let store: Arc<dyn KeyStore> = Arc::new(SqliteStore::in_memory().unwrap());
        let known = KnownKeys::new(Arc::clone(&store), Arc::new(System));
        known.renew().await;
        let (one, _) = crate::new_key(&System, Role::Admin, "one", None).unwrap();
        let (other, _) = crate::new_key(&System, Role::Admin, "other", None).unwrap();
        for key in [&one, &other] {
            store.add_key(key.clone()).await.unwrap();
        }
        known.renew().await;
        store.remove_key(&one.id).await.unwrap();
        known.renew().await;
        assert!(log.0.lock().unwrap().is_empty());
        // Another coordinator or a command may have removed it.
        store.remove_key(&other.id).await.unwrap();
        known.within(SignedDuration::ZERO).await.unwrap();
        known.renew().await;
        assert_eq!(*log.0.lock().unwrap(), [LAST_REMOVED]);
    }

    #[tokio::test]
    async fn keys_read_before_a_change_are_not_cached_after_it() {
        let store: Arc<dyn KeyStore> = Arc::new(SqliteStore::in_memory().unwrap());
        let known = KnownKeys::new(Arc::clone(&store), Arc::new(System));
        let before = known.last.borrow().changes;
        let at = System.now();
        let none = known.within(FRESH).await.unwrap();
        let (key, _) = crate::new_key(&System, Role::Viewer, "new", None).unwrap();
        store.add_key(key.clone()).await.unwrap();
        known.renew().await;
        known.keep(before, Reading { at, keys: none });
        assert_eq!(known.within(FRESH).await.unwrap().as_ref(), [key]);
    }
}
