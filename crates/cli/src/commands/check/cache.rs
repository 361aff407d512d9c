//! Compiled schemas by their text, so that a stream of texts compiles each schema once.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use accord_contract::Schema;
use hashlink::LruCache;

use crate::json::{parse, reason};
use crate::meter::meter;

/// The estimated memory of all cached schemas together.
const MAX_BYTES: usize = 256 * 1024 * 1024;

/// A compiled schema takes about this many times its text. Measured: 34 to 39 times, for schemas of 250 bytes to 9 KB.
const BYTES_PER_TEXT_BYTE: usize = 40;

/// What even the smallest schema takes. Measured: 3 KB.
const BYTES_PER_SCHEMA: usize = 4096;

type Compiled = Result<Schema, String>;

/// A cache that is bounded by estimated memory. The schema that was not used for longest is dropped first. A schema that does not
/// compile is cached too: it is as likely to come again as any other.
#[derive(Default)]
pub(super) struct Cache {
    entries: Mutex<Entries>,
}

struct Entries {
    /// Filled outside of the lock: only workers that want the same schema wait for each other.
    by_text: LruCache<Box<str>, Arc<OnceLock<Compiled>>>,
    bytes: usize,
}

impl Default for Entries {
    fn default() -> Self {
        Self { by_text: LruCache::new_unbounded(), bytes: 0 }
    }
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
        if let Some(compiled) = self.by_text.get(text) {
            return Arc::clone(compiled);
        }
        let compiled = Arc::default();
        let bytes = estimate(text);
        if bytes <= MAX_BYTES {
            while self.bytes + bytes > MAX_BYTES
                && let Some((oldest, _)) = self.by_text.remove_lru()
            {
                self.bytes -= estimate(&oldest);
            }
            self.bytes += bytes;
            self.by_text.insert(text.into(), Arc::clone(&compiled));
        }
        compiled
    }
}

fn estimate(text: &str) -> usize {
    BYTES_PER_SCHEMA + text.len() * BYTES_PER_TEXT_BYTE
}

fn compile(text: &str) -> Compiled {
    let document = parse(text).map_err(|error| reason(&error))?;
    Schema::compile(&document, &meter()).map_err(|error| error.to_string())
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
        assert_eq!(entries.by_text.len(), 3000);
        assert_eq!(entries.bytes, entries.by_text.iter().map(|(text, _)| estimate(text)).sum::<usize>());
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
