//! Things that are worth keeping for a while, and not more of them than fit.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// Of agents, workflows, schemas and runners: more than most installations have in use.
pub(crate) const IN_USE: usize = 1_000;

/// The things that were used last, by name.
#[derive(Debug)]
pub(crate) struct Recent<T> {
    most: usize,
    state: Mutex<Kept<T>>,
}

#[derive(Debug)]
struct Kept<T> {
    clock: u64,
    items: HashMap<String, (u64, T)>,
}

impl<T: Clone> Recent<T> {
    /// Keeps so many.
    pub(crate) fn new(most: usize) -> Self {
        Self { most, state: Mutex::new(Kept { clock: 0, items: HashMap::new() }) }
    }

    /// The thing of this name, made where it is not there. The lock is not held while it is made: two may make it at
    /// once, which costs less than waiting.
    pub(crate) fn get_or<E>(&self, key: &str, make: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        if let Some(found) = self.get(key) {
            return Ok(found);
        }
        let made = make()?;
        self.put(key, made.clone());
        Ok(made)
    }

    /// The thing of this name.
    pub(crate) fn get(&self, key: &str) -> Option<T> {
        let mut kept = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        kept.clock += 1;
        let now = kept.clock;
        let (used, item) = kept.items.get_mut(key)?;
        *used = now;
        Some(item.clone())
    }

    /// The thing of this name, which is not kept any longer.
    pub(crate) fn take(&self, key: &str) -> Option<T> {
        let mut kept = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        kept.items.remove(key).map(|(_, item)| item)
    }

    /// Keeps a thing under this name.
    pub(crate) fn put(&self, key: &str, item: T) {
        let mut kept = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.items.len() >= self.most && !kept.items.contains_key(key) {
            let oldest = kept.items.iter().min_by_key(|(_, (used, _))| *used).map(|(key, _)| key.clone());
            oldest.map(|key| kept.items.remove(&key));
        }
        kept.clock += 1;
        let now = kept.clock;
        kept.items.insert(key.to_owned(), (now, item));
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
