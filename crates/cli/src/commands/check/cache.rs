//! Compiled schemas by their text, so that a stream of texts compiles each schema once.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use accord_contract::Schema;

use crate::json::{parse, reason};

/// The estimated memory of all cached schemas together.
const MAX_BYTES: usize = 256 * 1024 * 1024;

/// A compiled schema takes about this many times its text, plus [`BYTES_PER_SCHEMA`]. Measured: 27 to 42 times for schemas of 200
/// bytes to 8 KB.
const BYTES_PER_TEXT_BYTE: usize = 40;

/// What even the smallest schema takes.
const BYTES_PER_SCHEMA: usize = 4096;

type Compiled = Result<Schema, String>;

/// A cache that is bounded by estimated memory; the least recently used schema is dropped first. A schema that does not
/// compile is cached too: it is as likely to come again as any other.
#[derive(Default)]
pub(super) struct Cache {
    entries: Mutex<Entries>,
}

#[derive(Default)]
struct Entries {
    by_text: HashMap<Arc<str>, Entry>,
    /// The texts by when they were last used.
    by_use: BTreeMap<u64, Arc<str>>,
    bytes: usize,
    clock: u64,
}

struct Entry {
    /// Filled outside of the lock: workers that want the same schema wait for each other, and nobody else does.
    compiled: Arc<OnceLock<Compiled>>,
    last_used: u64,
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
        self.clock += 1;
        let now = self.clock;
        if let Some(entry) = self.by_text.get_mut(text) {
            let last_used = std::mem::replace(&mut entry.last_used, now);
            if let Some(text) = self.by_use.remove(&last_used) {
                self.by_use.insert(now, text);
            }
            return Arc::clone(&entry.compiled);
        }
        let compiled = Arc::default();
        let bytes = estimate(text);
        if bytes <= MAX_BYTES {
            self.make_room(bytes);
            let text = Arc::<str>::from(text);
            self.bytes += bytes;
            self.by_use.insert(now, Arc::clone(&text));
            self.by_text.insert(text, Entry { compiled: Arc::clone(&compiled), last_used: now });
        }
        compiled
    }

    fn make_room(&mut self, needed: usize) {
        while self.bytes + needed > MAX_BYTES {
            let Some((_, oldest)) = self.by_use.pop_first() else { return };
            self.by_text.remove(&oldest);
            self.bytes -= estimate(&oldest);
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

    /// A text that takes nearly a third of the cache, told from others by a digit.
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
        assert_eq!((entries.by_text.len(), entries.by_use.len()), (3000, 3000));
        assert_eq!(entries.bytes, entries.by_text.keys().map(|text| estimate(text)).sum::<usize>());
    }

    #[test]
    fn the_least_recently_used_schema_makes_room() {
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
