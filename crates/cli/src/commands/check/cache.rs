//! Compiled schemas by their text, so that a stream of texts under one schema compiles it once.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use accord_contract::Schema;

use crate::json::{parse, reason};

/// More schemas than this in one stream are made for their texts, and keeping them helps nobody.
const MAX_SCHEMAS: usize = 256;

/// The text of all kept schemas together. A compiled schema takes a few dozen times its text.
const MAX_TEXT_BYTES: usize = 4 * 1024 * 1024;

/// A bounded cache; the schema that was not asked for the longest is dropped first. A schema that does not
/// compile is remembered too: it is as likely to come again as any other.
#[derive(Default)]
pub(super) struct Cache {
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    entries: HashMap<String, Entry>,
    text_bytes: usize,
    clock: u64,
}

struct Entry {
    compiled: Result<Schema, String>,
    last_used: u64,
}

impl Cache {
    /// The compiled schema, or why it does not compile.
    pub(super) fn get(&self, text: &str) -> Result<Schema, String> {
        // Compiling under the lock keeps two workers from compiling the same schema.
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.clock += 1;
        let now = kept.clock;
        if let Some(entry) = kept.entries.get_mut(text) {
            entry.last_used = now;
            return entry.compiled.clone();
        }
        let compiled = compile(text);
        kept.make_room(text.len());
        if text.len() <= MAX_TEXT_BYTES {
            kept.text_bytes += text.len();
            kept.entries.insert(text.to_owned(), Entry { compiled: compiled.clone(), last_used: now });
        }
        compiled
    }
}

impl Kept {
    fn make_room(&mut self, needed: usize) {
        while self.entries.len() >= MAX_SCHEMAS || self.text_bytes + needed > MAX_TEXT_BYTES {
            let oldest = self.entries.iter().min_by_key(|(_, entry)| entry.last_used);
            let Some(text) = oldest.map(|(text, _)| text.clone()) else { return };
            self.text_bytes -= text.len();
            self.entries.remove(&text);
        }
    }
}

fn compile(text: &str) -> Result<Schema, String> {
    let document = parse(text).map_err(|error| reason(&error))?;
    Schema::compile(&document).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(cache: &Cache) -> (usize, usize) {
        let kept = cache.kept.lock().unwrap();
        (kept.entries.len(), kept.text_bytes)
    }

    #[test]
    fn the_oldest_schema_makes_room() {
        let cache = Cache::default();
        for index in 0..=MAX_SCHEMAS {
            cache.get(&format!("{{\"const\":{index}}}")).unwrap();
            cache.get("true").unwrap();
        }
        assert_eq!(kept(&cache).0, MAX_SCHEMAS);
        let kept = cache.kept.lock().unwrap();
        assert!(kept.entries.contains_key("true"));
        assert!(!kept.entries.contains_key("{\"const\":0}"));
        assert_eq!(kept.text_bytes, kept.entries.keys().map(String::len).sum::<usize>());
    }

    #[test]
    fn large_texts_do_not_fill_the_memory() {
        let cache = Cache::default();
        for index in 0..10 {
            let text = format!("{}{}", " ".repeat(MAX_TEXT_BYTES / 3), index);
            assert!(cache.get(&text).is_err());
        }
        assert_eq!(kept(&cache).0, 2);
        cache.get(&format!("{}true", " ".repeat(MAX_TEXT_BYTES))).unwrap();
        assert_eq!(kept(&cache), (0, 0));
    }
}
