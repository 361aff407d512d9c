//! What runs of one agent have in common, read once and shared: thousands of them may wait for their models at a time.

use std::sync::{Mutex, MutexGuard, PoisonError};

use accord_contract::weight;
use hashlink::LruCache;

use crate::limits::{DOCUMENT_BYTES_KEPT, DOCUMENTS_KEPT};

/// A cache of values made from documents, most recently used first. The values are cheap to clone.
#[derive(Debug)]
pub(crate) struct Recent<T>(Mutex<Kept<T>>);

#[derive(Debug)]
struct Kept<T> {
    items: LruCache<Box<str>, T>,
    /// About what all values take together.
    bytes: usize,
}

impl<T> Default for Recent<T> {
    fn default() -> Self {
        Self(Mutex::new(Kept { items: LruCache::new_unbounded(), bytes: 0 }))
    }
}

impl<T: Clone> Recent<T> {
    /// The cached value of a document, or a new one. The lock is not held while it is made: two
    /// callers may do the same work, and the first value is kept.
    pub(crate) fn get<E>(&self, document: &str, make: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        let known = self.lock().items.get(document).cloned();
        if let Some(known) = known {
            return Ok(known);
        }
        let made = make()?;
        let mut kept = self.lock();
        if let Some(known) = kept.items.get(document) {
            return Ok(known.clone());
        }
        let bytes = weight(document);
        if bytes <= DOCUMENT_BYTES_KEPT {
            kept.make_room(bytes);
            kept.items.insert(document.into(), made.clone());
        }
        Ok(made)
    }

    fn lock(&self) -> MutexGuard<'_, Kept<T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Kept<T> {
    /// For one more value that takes so much.
    fn make_room(&mut self, bytes: usize) {
        while self.items.len() >= DOCUMENTS_KEPT || self.bytes + bytes > DOCUMENT_BYTES_KEPT {
            let Some((gone, _)) = self.items.remove_lru() else { break };
            self.bytes -= weight(&gone);
        }
        self.bytes += bytes;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn a_document_is_read_once_while_it_is_kept() {
        let recent = Recent::default();
        let read = |text: &str| recent.get(text, || Ok::<_, ()>(Arc::new(text.to_owned()))).unwrap();
        let first = read("first");
        for number in 1..DOCUMENTS_KEPT {
            assert_eq!(*read(&number.to_string()), number.to_string());
        }
        assert!(Arc::ptr_eq(&first, &read("first")));
        assert_eq!(*read("one more"), "one more");
        assert!(Arc::ptr_eq(&first, &read("first")));
        for number in 0..DOCUMENTS_KEPT {
            read(&number.to_string());
        }
        assert!(!Arc::ptr_eq(&first, &read("first")));
    }

    #[test]
    fn unreadable_documents_are_not_cached() {
        let recent = Recent::default();
        assert_eq!(recent.get("a", || Err::<Arc<str>, _>("no")), Err("no"));
        assert_eq!(recent.get("a", || Ok::<_, &str>(Arc::from("yes"))), Ok(Arc::from("yes")));
    }

    #[test]
    fn large_documents_push_others_out() {
        let recent = Recent::default();
        let read = |text: &str| recent.get(text, || Ok::<_, ()>(Arc::new(text.len()))).unwrap();
        let [half, rest] = ["a", "b"].map(|letter| letter.repeat(DOCUMENT_BYTES_KEPT / 2));
        let (first, second) = (read(&half), read(&rest));
        assert!(Arc::ptr_eq(&first, &read(&half)) && Arc::ptr_eq(&second, &read(&rest)));
        read("one more");
        assert!(Arc::ptr_eq(&second, &read(&rest)));
        assert!(!Arc::ptr_eq(&first, &read(&half)));
        let large = "c".repeat(DOCUMENT_BYTES_KEPT + 1);
        assert!(!Arc::ptr_eq(&read(&large), &read(&large)), "too large to be kept");
    }
}
