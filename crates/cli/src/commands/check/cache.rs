//! Compiled schemas by their text, so that a stream of texts compiles each schema once.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use accord_contract::Schema;

use crate::json::{parse, reason};

/// The estimated memory of all cached schemas together.
const MAX_BYTES: usize = 256 * 1024 * 1024;

/// A compiled schema takes about this many times its text. Measured: 34 to 39 times, for schemas of 250 bytes to 9 KB.
const BYTES_PER_TEXT_BYTE: usize = 40;

/// What even the smallest schema takes. Measured: 3 KB.
const BYTES_PER_SCHEMA: usize = 4096;

type Compiled = Result<Schema, String>;

/// A cache that is bounded by estimated memory. The oldest schema that was not used again is dropped first. A schema that does
/// not compile is cached too: it is as likely to come again as any other.
#[derive(Default)]
pub(super) struct Cache {
    entries: Mutex<Entries>,
}

#[derive(Default)]
struct Entries {
    by_text: HashMap<Arc<str>, Entry>,
    /// In the order in which they are looked at to make room.
    queue: VecDeque<Arc<str>>,
    bytes: usize,
}

struct Entry {
    /// Filled outside of the lock: only workers that want the same schema wait for each other.
    compiled: Arc<OnceLock<Compiled>>,
    /// Whether it was used since it was last looked at to make room.
    is_used: bool,
}

impl Cache {
    /// The compiled schema, or why it does not compile.
    pub(super) fn get(&self, text: &str) -> Compiled {
        let cell = self.entries.lock().unwrap_or_else(PoisonError::into_inner).cell(text);
        cell.get_or_init(|| compile(text)).clone()
    }
}

impl Entries {
    fn cell(&mut self, text: &str) -> Arc<OnceLock<Compiled>> {
        if let Some(entry) = self.by_text.get_mut(text) {
            entry.is_used = true;
            return Arc::clone(&entry.compiled);
        }
        let compiled = Arc::default();
        let bytes = estimate(text);
        if bytes <= MAX_BYTES {
            self.make_room(bytes);
            let text = Arc::<str>::from(text);
            self.bytes += bytes;
            self.queue.push_back(Arc::clone(&text));
            self.by_text.insert(text, Entry { compiled: Arc::clone(&compiled), is_used: false });
        }
        compiled
    }

    fn make_room(&mut self, needed: usize) {
        while self.bytes + needed > MAX_BYTES {
            let Some(oldest) = self.queue.pop_front() else { return };
            match self.by_text.get_mut(&oldest) {
                Some(entry) if entry.is_used => {
                    entry.is_used = false;
                    self.queue.push_back(oldest);
                }
                _ => {
                    self.by_text.remove(&oldest);
                    self.bytes -= estimate(&oldest);
                }
            }
        }
    }
}

fn estimate(text: &str) -> usize {
    BYTES_PER_SCHEMA + text.len() * BYTES_PER_TEXT_BYTE
}

fn compile(text: &str) -> Compiled {
    let document = parse(text).map_err(|error| reason(&error))?;
    Schema::compile(&document).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A text that takes nearly a third of the cache, different from others by a digit.
    fn third(digit: u8) -> String {
        format!("{}{digit}", " ".repeat(MAX_BYTES / 3 / BYTES_PER_TEXT_BYTE - BYTES_PER_SCHEMA))
    }

    #[test]
    fn small_schemas_are_all_cached() {
        let cache = Cache::default();
        for _ in 0..2 {
            for index in 0..3000 {
                cache.get(&format!("{{\"const\":{index}}}")).unwrap();
            }
        }
        let entries = cache.entries.lock().unwrap();
        assert_eq!((entries.by_text.len(), entries.queue.len()), (3000, 3000));
        assert_eq!(entries.bytes, entries.by_text.keys().map(|text| estimate(text)).sum::<usize>());
    }

    #[test]
    fn a_schema_that_was_not_used_again_makes_room() {
        let cache = Cache::default();
        cache.get("true").unwrap();
        for digit in 1..=4 {
            assert!(cache.get(&third(digit)).is_err());
            cache.get("true").unwrap();
        }
        let entries = cache.entries.lock().unwrap();
        let has = |text: &str| entries.by_text.contains_key(text);
        assert!(has("true") && has(&third(2)) && has(&third(3)) && has(&third(4)));
        assert!(!has(&third(1)));
        assert!(entries.bytes <= MAX_BYTES);
    }

    #[test]
    fn a_schema_larger_than_the_cache_drops_nothing() {
        let cache = Cache::default();
        cache.get("true").unwrap();
        cache.get(&format!("{}false", " ".repeat(MAX_BYTES / BYTES_PER_TEXT_BYTE))).unwrap();
        assert_eq!(cache.entries.lock().unwrap().by_text.len(), 1);
    }
}
