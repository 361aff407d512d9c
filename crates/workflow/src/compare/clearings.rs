//! Contradictions between entries that flag a location and entries that clear it.

use std::collections::BTreeMap;

use accord_domain::comparison::{ComparisonLimit, Contradiction, ContradictionKind, Side};

use super::entry::Entry;
use super::exact::EntryGroup;
use super::location::Lines;
use super::omissions::{MAX_CLEARINGS, Omissions};

/// Saying that a location is fine is about everything there, so the texts are not compared.
pub(super) fn compare(
    entries: &[Entry],
    things: &[EntryGroup<'_>],
    line_distance: u64,
    omissions: &mut Omissions,
) -> Vec<Contradiction> {
    let clearings = Clearings::of(entries);
    let mut found = Vec::new();
    for thing in things {
        let flagged: Vec<&Entry> = thing.iter().copied().filter(|entry| entry.clearing.is_none()).collect();
        let Some(lines) = covered(&flagged) else { continue };
        let place = flagged.first().filter(|entry| entry.is_place()).map(|entry| entry.place.as_str());
        let Some(clearings) = place.and_then(|place| clearings.files.get(place)) else { continue };
        let (clearing, whole) = clearings.near(lines, line_distance);
        let contradiction = contradiction(&flagged, &clearing, line_distance);
        if !whole && contradiction.is_some() {
            omissions.count(ComparisonLimit::Clearings, 1);
        }
        found.extend(contradiction);
    }
    found
}

fn covered(flagged: &[&Entry]) -> Option<Lines> {
    let lines = flagged.iter().filter_map(|entry| entry.lines);
    lines.reduce(|one, other| Lines { first: one.first.min(other.first), last: one.last.max(other.last) })
}

/// Both sides, if one agent clears what another flags.
fn contradiction(flagged: &[&Entry], clearing: &[&Entry], line_distance: u64) -> Option<Contradiction> {
    let meet =
        |flag: &Entry, clear: &Entry| flag.sibling != clear.sibling && is_near(flag, clear, line_distance);
    let flags = flagged.iter().filter(|flag| clearing.iter().any(|clear| meet(flag, clear)));
    let clears = clearing.iter().filter(|clear| flagged.iter().any(|flag| meet(flag, clear)));
    let (flags, clears): (Vec<&&Entry>, Vec<&&Entry>) = (flags.collect(), clears.collect());
    let first = flags.first()?;
    let field = flags.iter().find_map(|flag| flag.values.first()).map(|value| value.field.clone());
    let field = field
        .or_else(|| clears.iter().find_map(|clear| clear.values.first()).map(|value| value.field.clone()));
    let field = field.unwrap_or_else(|| "severity".to_owned());
    let sides = |entries: &[&&Entry]| {
        let mut sides: Vec<Side> = entries.iter().map(|entry| entry.side_at(&field, &first.key)).collect();
        sides.sort_by(|one, other| one.agent.cmp(&other.agent));
        sides
    };
    let sides = [sides(&flags), sides(&clears)].concat();
    let (kind, key) = (ContradictionKind::FlaggedAndCleared, first.key.clone());
    Some(Contradiction { kind, key, field, sides, similarity: None })
}

fn is_near(flag: &Entry, clear: &Entry, line_distance: u64) -> bool {
    match (flag.lines, clear.lines) {
        (Some(flag), Some(clear)) => flag.distance(clear) <= line_distance,
        // An entry that clears without a line clears the whole file.
        (Some(_), None) => true,
        (None, _) => false,
    }
}

struct Clearings<'e> {
    files: BTreeMap<&'e str, FileClearings<'e>>,
}

#[derive(Default)]
struct FileClearings<'e> {
    /// Those that clear the whole file.
    whole: Vec<&'e Entry>,
    /// Those that clear lines, by the first of them, each with the last line that it or one before it reaches.
    ranges: Vec<(Lines, u64, &'e Entry)>,
}

impl<'e> Clearings<'e> {
    fn of(entries: &'e [Entry]) -> Self {
        let mut files: BTreeMap<&str, FileClearings<'_>> = BTreeMap::new();
        for entry in entries {
            let Some(clearing) = &entry.clearing else { continue };
            let file = files.entry(&entry.place).or_default();
            match entry.lines {
                Some(lines) => file.ranges.push((lines, 0, entry)),
                None if clearing.needs_line => {}
                None => file.whole.push(entry),
            }
        }
        for file in files.values_mut() {
            let mut reached = 0;
            for (lines, reach, _) in &mut file.ranges {
                reached = lines.last.max(reached);
                *reach = reached;
            }
        }
        Self { files }
    }
}

impl<'e> FileClearings<'e> {
    /// The entries that clear lines at most this far from these, and whether these are all.
    fn near(&self, lines: Lines, distance: u64) -> (Vec<&'e Entry>, bool) {
        let mut found: Vec<&Entry> = self.whole.iter().take(MAX_CLEARINGS).copied().collect();
        let mut complete = self.whole.len() <= MAX_CLEARINGS;
        let end =
            self.ranges.partition_point(|(range, _, _)| range.first <= lines.last.saturating_add(distance));
        let before = self.ranges.get(..end).unwrap_or_default().iter().rev();
        for (looked, (range, reach, entry)) in before.enumerate() {
            if reach.saturating_add(distance) < lines.first {
                break;
            }
            if looked == MAX_CLEARINGS {
                complete = false;
                break;
            }
            if range.distance(lines) <= distance {
                found.push(entry);
            }
        }
        found.sort_by(|one, other| one.order(other));
        (found, complete)
    }
}
