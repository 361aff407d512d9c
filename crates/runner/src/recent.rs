//! What runs of one agent have in common, read once and shared: thousands of them may wait for their models at a time.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use crate::limits::DOCUMENTS_KEPT;

/// What was made of documents, the most lately used first. What is kept is cheap to clone.
#[derive(Debug)]
pub(crate) struct Recent<T>(Mutex<VecDeque<(Box<str>, T)>>);

impl<T> Default for Recent<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T: Clone> Recent<T> {
    /// What was computed from a document, or is being computed. There is no waiting: two tasks may do the same work.
    pub(crate) fn get<E>(&self, document: &str, make: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        if let Some(known) = self.find(document) {
            return Ok(known);
        }
        let made = make()?;
        if let Some(known) = self.find(document) {
            return Ok(known);
        }
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.push_front((document.into(), made.clone()));
        kept.truncate(DOCUMENTS_KEPT);
        Ok(made)
    }

    fn find(&self, document: &str) -> Option<T> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let place = kept.iter().position(|(known, _)| **known == *document)?;
        let found = kept.remove(place)?;
        let known = found.1.clone();
        kept.push_front(found);
        Some(known)
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
}
