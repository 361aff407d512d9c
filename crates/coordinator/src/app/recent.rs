//! A cache of the values that were used last.

use std::sync::{Mutex, MutexGuard, PoisonError};

use hashlink::LruCache;

/// Of agents, workflows, schemas and runners: more than most installations have in use.
pub(crate) const IN_USE: usize = 1_000;

/// The values that were used last, by name.
#[derive(Debug)]
pub(crate) struct Recent<T>(Mutex<LruCache<String, T>>);

impl<T: Clone> Recent<T> {
    pub(crate) fn new(capacity: usize) -> Self {
        Self(Mutex::new(LruCache::new(capacity)))
    }

    /// The value of this name, made if it is not cached. The lock is not held meanwhile: making it twice at once costs less
    /// than waiting.
    pub(crate) fn get_or<E>(&self, key: &str, make: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        if let Some(found) = self.get(key) {
            return Ok(found);
        }
        let made = make()?;
        self.put(key, made.clone());
        Ok(made)
    }

    pub(crate) fn get(&self, key: &str) -> Option<T> {
        self.lock().get(key).cloned()
    }

    /// Removes the value of this name.
    pub(crate) fn take(&self, key: &str) -> Option<T> {
        self.lock().remove(key)
    }

    pub(crate) fn put(&self, key: &str, item: T) {
        self.lock().insert(key.to_owned(), item);
    }

    fn lock(&self) -> MutexGuard<'_, LruCache<String, T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_used_goes_first() {
        let recent = Recent::new(2);
        let put = |key: &str| recent.get_or(key, || Ok::<_, ()>(key.to_owned()));
        put("a").unwrap();
        put("b").unwrap();
        put("a").unwrap();
        put("c").unwrap();
        assert_eq!(["a", "b", "c"].map(|key| recent.get(key).is_some()), [true, false, true]);
        recent.put("d", "d".to_owned());
        recent.put("e", "e".to_owned());
        assert_eq!(["a", "c", "d", "e"].map(|key| recent.get(key).is_some()), [false, false, true, true]);
        recent.put("e", "e".to_owned());
        assert!(recent.get("d").is_some(), "what is there already pushes nothing out");
        recent.put("a", "a".to_owned());
        assert_eq!((recent.take("a"), recent.take("a")), (Some("a".to_owned()), None));
    }
}
