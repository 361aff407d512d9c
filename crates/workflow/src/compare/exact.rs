//! Entries with one key: do their values differ, or are they the same?

use std::collections::{BTreeMap, BTreeSet};

use accord_domain::comparison::{Agreement, Contradiction, ContradictionKind, Key};
use serde_json::Value;

use super::entry::{Conflicting, Entry};

/// Contradictions and agreements of entries with the same key. Entries come sorted, so one key's stand together.
pub(super) fn compare(entries: &[Entry]) -> (Vec<Contradiction>, Vec<Agreement>) {
    let (mut contradictions, mut agreements) = (Vec::new(), Vec::new());
    for group in by_key(entries) {
        for (field, said) in by_field(group) {
            contradictions.extend(contradiction(field, &said));
            agreements.extend(agreements_in(field, &said));
        }
    }
    (contradictions, agreements)
}

/// The stretches of entries whose keys are whole and the same: lines by the first of them.
pub(super) fn by_key(entries: &[Entry]) -> impl Iterator<Item = &[Entry]> {
    let same = |one: &Entry, other: &Entry| {
        let first = |entry: &Entry| entry.lines.map(|lines| lines.first);
        (one.exact, &one.family, &one.place, first(one))
            == (other.exact, &other.family, &other.place, first(other))
    };
    entries.chunk_by(same).filter(|group| group.first().is_some_and(|entry| entry.exact))
}

type Said<'e> = Vec<(&'e Entry, &'e Conflicting)>;

fn by_field(group: &[Entry]) -> BTreeMap<&str, Said<'_>> {
    let mut fields: BTreeMap<&str, Said<'_>> = BTreeMap::new();
    for entry in group {
        for value in &entry.values {
            fields.entry(&value.field).or_default().push((entry, value));
        }
    }
    fields
}

fn contradiction(field: &str, said: &Said<'_>) -> Option<Contradiction> {
    let mut values: BTreeMap<usize, BTreeSet<&str>> = BTreeMap::new();
    let flagged = || said.iter().filter(|(entry, _)| entry.clearing.is_none());
    for (entry, value) in flagged() {
        values.entry(entry.sibling).or_default().insert(&value.same);
    }
    let distinct: BTreeSet<BTreeSet<&str>> = values.into_values().collect();
    if !two_have_nothing_in_common(&distinct) {
        return None;
    }
    let mut sides: Vec<_> = flagged().map(|(entry, _)| entry.side(field)).collect();
    sides.sort_by(|one, other| one.agent.cmp(&other.agent));
    Some(Contradiction {
        kind: ContradictionKind::DifferentValues,
        key: flagged().next()?.0.key.clone(),
        field: field.to_owned(),
        sides,
    })
}

/// Whether two of the sets share nothing. A value that all of them hold settles it at once.
fn two_have_nothing_in_common(sets: &BTreeSet<BTreeSet<&str>>) -> bool {
    let Some(first) = sets.first() else { return false };
    if first.iter().any(|value| sets.iter().all(|set| set.contains(value))) {
        return false;
    }
    sets.iter().any(|one| sets.iter().any(|other| one.is_disjoint(other)))
}

fn agreements_in(field: &str, said: &Said<'_>) -> Vec<Agreement> {
    let mut values: BTreeMap<&str, Said<'_>> = BTreeMap::new();
    for (entry, value) in said {
        values.entry(&value.same).or_default().push((entry, value));
    }
    let mut agreements = Vec::new();
    for said in values.into_values() {
        let siblings: BTreeSet<usize> = said.iter().map(|(entry, _)| entry.sibling).collect();
        let Some((first, value)) = said.first().filter(|_| siblings.len() > 1) else { continue };
        let mut sides: Vec<_> = said.iter().map(|(entry, _)| entry.side(field)).collect();
        sides.sort_by(|one, other| one.agent.cmp(&other.agent));
        agreements.push(Agreement {
            key: first.key.clone(),
            field: field.to_owned(),
            value: value.value.clone(),
            sides,
        });
    }
    agreements
}

/// Sorts contradictions of all kinds as their entries are sorted: by key, lines by number.
pub(super) fn sort(contradictions: &mut [Contradiction]) {
    contradictions.sort_by_cached_key(|each| (key_order(&each.key), each.kind, each.field.clone()));
}

fn key_order(key: &Key) -> Vec<(String, u64, String)> {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    key.iter().map(|(name, value)| (name.clone(), value.as_u64().unwrap_or(0), text(value))).collect()
}
