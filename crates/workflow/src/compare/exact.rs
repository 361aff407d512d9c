//! Whether the values of entries about one thing differ or are the same.

use std::collections::{BTreeMap, BTreeSet};

use accord_domain::comparison::{Agreement, Contradiction, ContradictionKind, Key};
use serde_json::Value;

use super::entry::{Conflicting, Entry};
use super::groups;
use super::pairs::Related;

/// The entries about one thing, sorted.
pub(super) type EntryGroup<'e> = Vec<&'e Entry>;

/// What entries are about. With a line in the key, these are the groups of pairs about the same thing; otherwise entries
/// with the same key. An entry that only names the file of a place cannot be compared with others.
pub(super) fn things<'e>(entries: &'e [Entry], related: &Related) -> Vec<EntryGroup<'e>> {
    let by_line = groups::of(entries, related.same()).into_iter().map(|group| {
        group.members.iter().filter_map(|member| entries.get(*member)).collect::<EntryGroup<'_>>()
    });
    let by_line = by_line.filter(|thing| thing.first().is_some_and(|entry| entry.lines.is_some()));
    let by_key = entries
        .chunk_by(|one, other| {
            (one.lines, &one.family, &one.place) == (other.lines, &other.family, &other.place)
        })
        .filter(|group| group.first().is_some_and(|entry| entry.exact && entry.lines.is_none()))
        .map(|group| group.iter().collect());
    by_line.chain(by_key).collect()
}

pub(super) fn compare(things: &[EntryGroup<'_>]) -> (Vec<Contradiction>, Vec<Agreement>) {
    let (mut contradictions, mut agreements) = (Vec::new(), Vec::new());
    for thing in things {
        for (field, values) in by_field(thing) {
            contradictions.extend(contradiction(field, &values));
            agreements.extend(agreements_in(field, &values));
        }
    }
    agreements.sort_by_cached_key(|each: &Agreement| (key_order(&each.key), each.field.clone()));
    (contradictions, agreements)
}

/// The values of one field, each with the entry that has it.
type FieldValues<'e> = Vec<(&'e Entry, &'e Conflicting)>;

fn by_field<'e>(thing: &EntryGroup<'e>) -> BTreeMap<&'e str, FieldValues<'e>> {
    let mut fields: BTreeMap<&str, FieldValues<'_>> = BTreeMap::new();
    for entry in thing {
        for value in &entry.values {
            fields.entry(&value.field).or_default().push((entry, value));
        }
    }
    fields
}

/// The contradictions of entries at one place: siblings that do not have the same values there.
pub(super) fn contradictions_at(place: &EntryGroup<'_>) -> Vec<Contradiction> {
    let contradiction = |(field, values): (&str, FieldValues<'_>)| {
        (by_sibling(&values).len() > 1).then(|| contradiction_of(field, &values)).flatten()
    };
    by_field(place).into_iter().filter_map(contradiction).collect()
}

fn contradiction(field: &str, values: &FieldValues<'_>) -> Option<Contradiction> {
    two_have_nothing_in_common(&by_sibling(values)).then(|| contradiction_of(field, values)).flatten()
}

/// The different sets of values that siblings have.
fn by_sibling<'e>(values: &FieldValues<'e>) -> BTreeSet<BTreeSet<&'e str>> {
    let mut by_sibling: BTreeMap<usize, BTreeSet<&str>> = BTreeMap::new();
    for (entry, value) in values.iter().filter(|(entry, _)| entry.clearing.is_none()) {
        by_sibling.entry(entry.sibling).or_default().insert(&value.same);
    }
    by_sibling.into_values().collect()
}

fn contradiction_of(field: &str, values: &FieldValues<'_>) -> Option<Contradiction> {
    let flagged = || values.iter().filter(|(entry, _)| entry.clearing.is_none());
    let key = flagged().next()?.0.key.clone();
    let mut sides: Vec<_> = flagged().map(|(entry, _)| entry.side_at(field, &key)).collect();
    sides.sort_by(|one, other| one.agent.cmp(&other.agent));
    let kind = ContradictionKind::DifferentValues;
    Some(Contradiction { kind, key, field: field.to_owned(), sides, similarity: None })
}

/// Whether two of the sets are disjoint. A value that all of them contain decides that quickly.
fn two_have_nothing_in_common(sets: &BTreeSet<BTreeSet<&str>>) -> bool {
    let Some(first) = sets.first() else { return false };
    if first.iter().any(|value| sets.iter().all(|set| set.contains(value))) {
        return false;
    }
    sets.iter().any(|one| sets.iter().any(|other| one.is_disjoint(other)))
}

fn agreements_in(field: &str, values: &FieldValues<'_>) -> Vec<Agreement> {
    let mut by_value: BTreeMap<&str, FieldValues<'_>> = BTreeMap::new();
    for (entry, value) in values {
        by_value.entry(&value.same).or_default().push((entry, value));
    }
    let mut agreements = Vec::new();
    for values in by_value.into_values() {
        let siblings: BTreeSet<usize> = values.iter().map(|(entry, _)| entry.sibling).collect();
        let Some((first, value)) = values.first().filter(|_| siblings.len() > 1) else { continue };
        let mut sides: Vec<_> = values.iter().map(|(entry, _)| entry.side_at(field, &first.key)).collect();
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
