//! A cache of the values that were used last.

use std::sync::{Mutex, MutexGuard, PoisonError};

use hashlink::LruCache;

/// What all values of a cache may take together, whatever callers send: less than an idle server. It is enough for some hundred
/// contracts as people write them.
const MOST_BYTES: usize = 32 * 1024 * 1024;

/// The values that were used last, by name: limited in number, and in the bytes that they take. They are cheap to clone.
#[derive(Debug)]
pub struct Recent<T> {
    capacity: usize,
    kept: Mutex<Kept<T>>,
}

#[derive(Debug)]
struct Kept<T> {
    /// With the bytes that each takes.
    items: LruCache<Box<str>, (usize, T)>,
    bytes: usize,
}

impl<T: Clone> Recent<T> {
    pub fn new(capacity: usize) -> Self {
        Self { capacity, kept: Mutex::new(Kept { items: LruCache::new_unbounded(), bytes: 0 }) }
    }

    /// The value of this name, made if it is not cached. The lock is not held meanwhile: making it twice at once costs less
    /// than waiting, and the first one is kept and shared.
    pub fn get_or<E>(
        &self,
        key: &str,
        bytes: impl FnOnce(&T) -> usize,
        make: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, E> {
        if let Some(found) = self.get(key) {
            return Ok(found);
        }
        let made = make()?;
        let mut kept = self.lock();
        if let Some((_, first)) = kept.items.get(key) {
            return Ok(first.clone());
        }
        kept.put(key, bytes(&made), made.clone(), self.capacity);
        Ok(made)
    }

    pub fn get(&self, key: &str) -> Option<T> {
        self.lock().items.get(key).map(|(_, item)| item.clone())
    }

    /// Removes the value of this name.
    pub fn take(&self, key: &str) -> Option<T> {
        self.lock().take(key)
    }

    /// Keeps a value that takes so many bytes, unless they are too many.
    pub fn put(&self, key: &str, bytes: usize, item: T) {
        self.lock().put(key, bytes, item, self.capacity);
    }

    fn lock(&self) -> MutexGuard<'_, Kept<T>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Kept<T> {
    fn take(&mut self, key: &str) -> Option<T> {
        let (bytes, item) = self.items.remove(key)?;
        self.bytes -= bytes;
        Some(item)
    }

    fn put(&mut self, key: &str, bytes: usize, item: T, capacity: usize) {
        self.take(key);
        if bytes > MOST_BYTES {
            return;
        }
        while self.items.len() >= capacity || self.bytes + bytes > MOST_BYTES {
            let Some((_, (gone, _))) = self.items.remove_lru() else { break };
            self.bytes -= gone;
        }
        self.bytes += bytes;
        self.items.insert(key.into(), (bytes, item));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn the_least_used_goes_first() {
        let recent = Recent::new(2);
        let put = |key: &str| recent.get_or(key, String::len, || Ok::<_, ()>(key.to_owned()));
        put("a").unwrap();
        put("b").unwrap();
        put("a").unwrap();
        put("c").unwrap();
        assert_eq!(["a", "b", "c"].map(|key| recent.get(key).is_some()), [true, false, true]);
        recent.put("d", 1, "d".to_owned());
        recent.put("e", 1, "e".to_owned());
        assert_eq!(["a", "c", "d", "e"].map(|key| recent.get(key).is_some()), [false, false, true, true]);
        recent.put("e", 1, "e".to_owned());
        assert!(recent.get("d").is_some(), "what is there already pushes nothing out");
        recent.put("a", 1, "a".to_owned());
        assert_eq!((recent.take("a"), recent.take("a")), (Some("a".to_owned()), None));
    }

    #[test]
    fn large_values_push_others_out() {
        let recent = Recent::new(1_000);
        recent.put("a", MOST_BYTES / 2, 1);
        recent.put("b", MOST_BYTES / 2, 2);
        assert_eq!((recent.get("a"), recent.get("b")), (Some(1), Some(2)));
        recent.put("c", 1, 3);
        assert_eq!((recent.get("a"), recent.get("b"), recent.get("c")), (None, Some(2), Some(3)));
        recent.put("b", MOST_BYTES + 1, 4);
        assert_eq!((recent.get("b"), recent.get("c")), (None, Some(3)), "too large to be kept");
        recent.put("d", MOST_BYTES - 1, 5);
        assert_eq!((recent.get("c"), recent.get("d")), (Some(3), Some(5)));
    }

    #[test]
    fn what_is_made_twice_at_once_is_shared() {
        let recent = Recent::new(2);
        let make = |text: &str| Ok::<_, ()>(Arc::new(text.to_owned()));
        let inner = || {
            recent.get_or("a", |_| 1, || make("first")).unwrap();
            make("second")
        };
        assert_eq!(*recent.get_or("a", |_| 1, inner).unwrap(), "first");
    }

    #[test]
    fn what_cannot_be_made_is_not_cached() {
        let recent = Recent::new(2);
        assert_eq!(recent.get_or("a", |_| 1, || Err::<u8, _>("no")), Err("no"));
        assert_eq!(recent.get_or("a", |_| 1, || Ok::<_, &str>(1)), Ok(1));
    }
}
