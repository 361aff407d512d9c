//! File names as a diff writes them: `a/src/x.rs` and `b/src/x.rs` are `src/x.rs`.
//!
//! A project may have a folder `a`, so a prefix is only removed if another entry names the same file without it or with
//! the other one.

use std::collections::HashSet;

use serde_json::Value;

use super::entry::Entry;
use super::rule::{Role, role};

/// Gives every file one name in all entries.
pub(super) fn resolve(entries: &mut [Entry]) {
    let is_prefixed = |file: &str| file.starts_with("a/") || file.starts_with("b/");
    let names: HashSet<String> = entries.iter().filter_map(file).map(|(_, file)| file.to_owned()).collect();
    if !names.iter().any(|name| is_prefixed(name)) {
        return;
    }
    for entry in entries {
        let Some((name, file)) = file(entry).map(|(name, file)| (name.to_owned(), file.to_owned())) else {
            continue;
        };
        let Some(plain) = plain(&file, &names) else { continue };
        let members = entry.place.split('\0').map(|member| if member == file { plain } else { member });
        entry.place = members.collect::<Vec<_>>().join("\0");
        entry.key.insert(name, Value::from(plain));
    }
}

/// The member of an entry's key that is a file.
fn file(entry: &Entry) -> Option<(&str, &str)> {
    let mut members = entry.key.iter().filter(|(name, _)| role(name) == Role::File);
    members.find_map(|(name, value)| Some((name.as_str(), value.as_str()?)))
}

/// The name without the prefix of a diff, if it has one.
fn plain<'f>(file: &'f str, names: &HashSet<String>) -> Option<&'f str> {
    let (rest, other) = match (file.strip_prefix("a/"), file.strip_prefix("b/")) {
        (Some(rest), _) => (rest, "b/"),
        (_, Some(rest)) => (rest, "a/"),
        _ => return None,
    };
    (names.contains(rest) || names.contains(&format!("{other}{rest}"))).then_some(rest)
}
