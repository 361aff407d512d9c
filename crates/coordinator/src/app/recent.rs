//! A cache of the values that were used last.

use std::sync::{Mutex, MutexGuard, PoisonError};

use hashlink::LruCache;

/// Of agents, workflows, schemas and runners: more than most installations have in use.
pub(crate) const IN_USE: usize = 1_000;

/// What all values of a cache may take together, whatever callers send: less than an idle server. It is enough for some hundred
/// contracts as people write them.
const MOST_BYTES: usize = 32 * 1024 * 1024;

/// About how many bytes takes what is read from the files of an installation, whose schemas are a part of them.
pub(crate) fn read_from(text_bytes: usize) -> usize {
    text_bytes.saturating_mul(32)
}

/// The values that were used last, by name: limited in number, and in the bytes that they take.
#[derive(Debug)]
pub(crate) struct Recent<T> {
    capacity: usize,
    kept: Mutex<Kept<T>>,
}

#[derive(Debug)]
struct Kept<T> {
    /// With the bytes that each takes.
    items: LruCache<String, (usize, T)>,
    bytes: usize,
}

impl<T: Clone> Recent<T> {
    pub(crate) fn new(capacity: usize) -> Self {
        Self { capacity, kept: Mutex::new(Kept { items: LruCache::new_unbounded(), bytes: 0 }) }
    }

    /// The value of this name, made if it is not cached. The lock is not held meanwhile: making it twice at once costs less
    /// than waiting.
    pub(crate) fn get_or<E>(
        &self,
        key: &str,
        bytes: impl FnOnce(&T) -> usize,
        make: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, E> {
        if let Some(found) = self.get(key) {
            return Ok(found);
        }
        let made = make()?;
        self.put(key, bytes(&made), made.clone());
        Ok(made)
    }

    pub(crate) fn get(&self, key: &str) -> Option<T> {
        self.lock().items.get(key).map(|(_, item)| item.clone())
    }

    /// Removes the value of this name.
    pub(crate) fn take(&self, key: &str) -> Option<T> {
        self.lock().take(key)
    }

    /// Keeps a value that takes so many bytes, unless they are too many.
    pub(crate) fn put(&self, key: &str, bytes: usize, item: T) {
        let mut kept = self.lock();
        kept.take(key);
        if bytes > MOST_BYTES {
            return;
        }
        while kept.items.len() >= self.capacity || kept.bytes + bytes > MOST_BYTES {
            let Some((_, (gone, _))) = kept.items.remove_lru() else { break };
            kept.bytes -= gone;
        }
        kept.bytes += bytes;
        kept.items.insert(key.to_owned(), (bytes, item));
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
}

#[cfg(test)]
mod tests {
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
        let recent = Recent::new(IN_USE);
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
}
