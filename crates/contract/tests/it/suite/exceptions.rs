//! The tests that do not pass, with reasons.

use std::collections::BTreeSet;

use toml::{Table, Value};

/// The exceptions among the files directly in a folder of a draft.
pub(crate) fn of(draft: &str, folder: &str) -> BTreeSet<String> {
    let table: Table = include_str!("../../suite/exceptions.toml").parse().unwrap();
    let listed: Vec<String> = table.values().flat_map(names).collect();
    let distinct: BTreeSet<String> = listed.iter().cloned().collect();
    assert_eq!(listed.len(), distinct.len(), "a test is excepted twice");
    let home = if folder.is_empty() { draft.to_owned() } else { format!("{draft}/{folder}") };
    let is_here = |name: &String| {
        let (path, _) = name.split_once(": ").unwrap();
        path.rsplit_once('/').unwrap().0 == home
    };
    distinct.into_iter().filter(is_here).collect()
}

/// Checks that every kind of exception has a reason.
fn names(kind: &Value) -> Vec<String> {
    assert!(!kind["reason"].as_str().unwrap().is_empty());
    kind["tests"].as_array().unwrap().iter().map(|name| name.as_str().unwrap().to_owned()).collect()
}
