//! Groups of entries, made of pairs, the best pairs first.
//!
//! A group takes one entry of each sibling; an entry that is left over joins the group of its best partner. So what
//! repeats on every line is matched line by line, and every entry is in exactly one group.

use super::entry::Entry;
use super::pairs::Pair;

#[derive(Debug, Default)]
pub(super) struct Group {
    pub(super) members: Vec<usize>,
    /// The lowest similarity of the pairs that formed it.
    pub(super) lowest: f32,
}

/// All entries in groups, sorted; an entry without a match is a separate group. Pairs come best
/// first.
pub(super) fn of<'p>(entries: &[Entry], pairs: impl Iterator<Item = &'p Pair> + Clone) -> Vec<Group> {
    let alone = |entry: usize| Group { members: vec![entry], lowest: 1.0 };
    let mut groups =
        Groups { entries, of: (0..entries.len()).collect(), groups: (0..entries.len()).map(alone).collect() };
    for pair in pairs.clone() {
        groups.join_others(pair);
    }
    for pair in pairs {
        groups.join_left_over(pair);
    }
    let mut groups = groups.groups;
    groups.retain(|group| !group.members.is_empty());
    for group in &mut groups {
        group.members.sort_unstable();
    }
    groups.sort_by(|one, other| one.members.cmp(&other.members));
    groups
}

struct Groups<'e> {
    entries: &'e [Entry],
    of: Vec<usize>,
    /// Groups that were merged into others are empty.
    groups: Vec<Group>,
}

impl Groups<'_> {
    /// Puts two entries into one group, unless it would then hold two entries of one sibling.
    fn join_others(&mut self, pair: &Pair) {
        let (one, other) = (self.group_of(pair.first), self.group_of(pair.second));
        // An entry without a text must not bring together two others that have nothing in common.
        let may_join = pair.similarity.is_some()
            || self.is_textless(pair.first) && self.is_alone(one)
            || self.is_textless(pair.second) && self.is_alone(other);
        if one != other && may_join && !self.share_a_sibling(one, other) {
            self.merge(one, other, pair);
        }
    }

    /// Puts an entry that is still alone beside its best partner.
    fn join_left_over(&mut self, pair: &Pair) {
        let (one, other) = (self.group_of(pair.first), self.group_of(pair.second));
        let may_join = pair.similarity.is_some() || self.share_a_sibling(one, other);
        if one != other && may_join && (self.is_alone(one) || self.is_alone(other)) {
            self.merge(one, other, pair);
        }
    }

    fn group_of(&self, entry: usize) -> usize {
        self.of.get(entry).copied().unwrap_or(entry)
    }

    fn members(&self, group: usize) -> &[usize] {
        self.groups.get(group).map(|group| group.members.as_slice()).unwrap_or_default()
    }

    fn is_alone(&self, group: usize) -> bool {
        self.members(group).len() == 1
    }

    fn is_textless(&self, entry: usize) -> bool {
        self.entries.get(entry).is_some_and(|entry| entry.text.is_none())
    }

    fn share_a_sibling(&self, one: usize, other: usize) -> bool {
        let siblings = |group: usize| {
            self.members(group).iter().filter_map(|entry| self.entries.get(*entry)).map(|entry| entry.sibling)
        };
        siblings(one).any(|sibling| siblings(other).any(|also| also == sibling))
    }

    /// The smaller group is moved, so that many single entries can join a large one.
    fn merge(&mut self, one: usize, other: usize, pair: &Pair) {
        let is_smaller = self.members(one).len() < self.members(other).len();
        let (into, from) = if is_smaller { (other, one) } else { (one, other) };
        let taken = self.groups.get_mut(from).map(std::mem::take).unwrap_or_default();
        for member in &taken.members {
            if let Some(group) = self.of.get_mut(*member) {
                *group = into;
            }
        }
        if let Some(group) = self.groups.get_mut(into) {
            group.lowest = group.lowest.min(taken.lowest).min(pair.similarity.unwrap_or(1.0));
            group.members.extend(taken.members);
        }
    }
}
