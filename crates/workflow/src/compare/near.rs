//! Entries that read alike at nearly the same place.

use std::collections::HashMap;

use accord_domain::comparison::{ComparisonLimit, NearDuplicate, Side};

use super::entry::Entry;
use super::similarity::Texts;
use super::{CompareOptions, Omissions};

/// The text of an entry is compared with so many others, the nearest first. Ten siblings that each flag every line are
/// well below it; without it, thousands of entries at one place would cost millions of comparisons.
pub const MAX_NEIGHBOURS: usize = 64;

/// Two entries of different siblings that are near enough to be compared.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pair {
    pub(super) first: usize,
    pub(super) second: usize,
    distance: u64,
}

/// Pairs whose texts are worth comparing.
pub(super) fn candidates(entries: &[Entry], line_distance: u64, omissions: &mut Omissions) -> Vec<Pair> {
    let mut pairs = Vec::new();
    visit(entries, line_distance, omissions, |pair| pairs.push(pair));
    pairs
}

/// Groups of near duplicates.
pub(super) fn compare(
    entries: &[Entry],
    options: &CompareOptions,
    omissions: &mut Omissions,
) -> Vec<NearDuplicate> {
    let mut texts = Texts::of(entries, &options.similarity);
    let mut alike = Vec::new();
    visit(entries, options.line_distance, omissions, |pair| {
        let similarity = texts.similarity(pair.first, pair.second);
        if let Some(similarity) = similarity.filter(|similarity| f64::from(*similarity) >= options.threshold)
        {
            alike.push((pair, similarity));
        }
    });
    omissions.count(ComparisonLimit::Vectors, texts.missing());
    alike.sort_by(|(one, one_like), (other, other_like)| {
        let position = |pair: &Pair| (pair.first, pair.second);
        (one.distance.cmp(&other.distance))
            .then_with(|| other_like.total_cmp(one_like))
            .then_with(|| position(one).cmp(&position(other)))
    });
    let mut groups = Groups { entries, of: HashMap::new(), groups: Vec::new() };
    for (pair, similarity) in &alike {
        groups.join_others(pair, *similarity);
    }
    for (pair, similarity) in &alike {
        groups.join_left_over(pair, *similarity);
    }
    groups.into_near_duplicates()
}

/// Calls for each pair of different siblings in one file, near enough. Entries are sorted by place and line.
fn visit(entries: &[Entry], line_distance: u64, omissions: &mut Omissions, mut each: impl FnMut(Pair)) {
    let with_text: Vec<usize> = entries
        .iter()
        .enumerate()
        .filter(|(_, entry)| entry.text.is_some())
        .map(|(index, _)| index)
        .collect();
    let mut crowded = 0;
    for (position, first) in with_text.iter().copied().enumerate() {
        let Some(entry) = entries.get(first) else { continue };
        let following = with_text.get(position + 1..).unwrap_or_default();
        for (looked, second) in following.iter().copied().enumerate() {
            let Some(other) = entries.get(second) else { break };
            let Some(distance) = reach(entry, other).filter(|distance| *distance <= line_distance) else {
                break;
            };
            if looked == MAX_NEIGHBOURS {
                crowded += 1;
                break;
            }
            // What flags and what clears are no duplicates, however alike they read.
            if entry.sibling != other.sibling && entry.clearing.is_some() == other.clearing.is_some() {
                each(Pair { first, second, distance });
            }
        }
    }
    omissions.count(ComparisonLimit::Neighbours, crowded);
}

/// How far the place of a later entry lies, where the two have one.
fn reach(entry: &Entry, later: &Entry) -> Option<u64> {
    if (&entry.family, &entry.place) != (&later.family, &later.place) {
        return None;
    }
    match (entry.lines, later.lines) {
        (None, None) => Some(0),
        (Some(lines), Some(later)) => Some(lines.distance(later)),
        _ => None,
    }
}

/// Groups that grow by pairs.
struct Groups<'e> {
    entries: &'e [Entry],
    of: HashMap<usize, usize>,
    /// Groups that were taken into others are empty.
    groups: Vec<Group>,
}

#[derive(Default)]
struct Group {
    members: Vec<usize>,
    lowest: f32,
}

impl Groups<'_> {
    fn sibling(&self, entry: usize) -> Option<usize> {
        self.entries.get(entry).map(|entry| entry.sibling)
    }

    /// Puts two entries into one group, unless a sibling would then stand in it twice.
    fn join_others(&mut self, pair: &Pair, similarity: f32) {
        let mut group_of = |entry: usize| {
            let next = self.groups.len();
            let group = *self.of.entry(entry).or_insert(next);
            if group == next {
                self.groups.push(Group { members: vec![entry], lowest: 1.0 });
            }
            group
        };
        let (one, other) = (group_of(pair.first), group_of(pair.second));
        if one != other && !self.share_a_sibling(one, other) {
            self.merge(one, other, similarity);
        }
    }

    /// Puts an entry that stands alone beside its best partner.
    fn join_left_over(&mut self, pair: &Pair, similarity: f32) {
        let group = |entry| self.of.get(&entry).copied().unwrap_or_default();
        let (one, other) = (group(pair.first), group(pair.second));
        let alone = |group: usize| self.groups.get(group).is_some_and(|group| group.members.len() == 1);
        if one != other && (alone(one) || alone(other)) {
            self.merge(one, other, similarity);
        }
    }

    fn share_a_sibling(&self, one: usize, other: usize) -> bool {
        let siblings = |group: usize| {
            let members = self.groups.get(group).map(|group| group.members.as_slice()).unwrap_or_default();
            members.iter().filter_map(|entry| self.sibling(*entry))
        };
        siblings(one).any(|sibling| siblings(other).any(|also| also == sibling))
    }

    fn merge(&mut self, into: usize, from: usize, similarity: f32) {
        let taken = self.groups.get_mut(from).map(std::mem::take).unwrap_or_default();
        for member in &taken.members {
            self.of.insert(*member, into);
        }
        if let Some(group) = self.groups.get_mut(into) {
            group.lowest = group.lowest.min(taken.lowest).min(similarity);
            group.members.extend(taken.members);
        }
    }

    fn into_near_duplicates(self) -> Vec<NearDuplicate> {
        let mut groups: Vec<Group> =
            self.groups.into_iter().filter(|group| group.members.len() > 1).collect();
        for group in &mut groups {
            group.members.sort_unstable();
        }
        groups.sort_by(|one, other| one.members.cmp(&other.members));
        let told = |group: &Group| {
            let members: Vec<&Entry> =
                group.members.iter().filter_map(|member| self.entries.get(*member)).collect();
            near_duplicate(&members, group.lowest)
        };
        groups.iter().filter_map(told).collect()
    }
}

fn near_duplicate(members: &[&Entry], lowest: f32) -> Option<NearDuplicate> {
    let first = members.first()?;
    let mut key = first.key.clone();
    if let Some(line) = &first.line_name {
        key.shift_remove(line);
    }
    let field = |entry: &Entry| entry.values.first().map(|value| value.field.clone()).unwrap_or_default();
    let mut sides: Vec<Side> = members.iter().map(|entry| entry.side_at(&field(entry), &key)).collect();
    sides.sort_by(|one, other| one.agent.cmp(&other.agent));
    let similarity = (f64::from(lowest.min(1.0)) * 1_000.0).round() / 1_000.0;
    Some(NearDuplicate { key, similarity, sides })
}
