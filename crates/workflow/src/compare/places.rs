//! Entries at the very same file and line, whatever their texts say.
//!
//! Siblings whose values at one place differ contradict each other. How alike their texts are is part of the contradiction, so that
//! a reader can tell two views of one problem from two remarks.

use std::collections::{BTreeMap, BTreeSet};

use accord_domain::comparison::Contradiction;

use super::entry::Entry;
use super::exact;
use super::omissions::MAX_NEIGHBOURS;
use super::pairs::Related;

/// Adds the contradictions at each place to those of entries about the same thing. Of two that are part of each other, the larger one
/// is kept.
pub(super) fn add(entries: &[Entry], related: &mut Related, contradictions: &mut Vec<Contradiction>) {
    let mut known: BTreeMap<(String, String, String), usize> = BTreeMap::new();
    for (index, contradiction) in contradictions.iter().enumerate() {
        known.extend(sides(contradiction).map(|side| (side, index)));
    }
    let (mut found, mut covered) = (Vec::new(), BTreeSet::new());
    let mut begin = 0;
    for place in entries.chunk_by(is_same_place) {
        let first = begin;
        begin += place.len();
        let members: Vec<&Entry> = place.iter().collect();
        for mut contradiction in exact::contradictions_at(&members) {
            let mut count: BTreeMap<Option<usize>, usize> = BTreeMap::new();
            for side in sides(&contradiction) {
                *count.entry(known.get(&side).copied()).or_default() += 1;
            }
            if let (1, Some((Some(_), _))) = (count.len(), count.first_key_value()) {
                continue;
            }
            let len = |index: usize| contradictions.get(index).map(|known| known.sides.len());
            covered.extend(
                count
                    .into_iter()
                    .filter_map(|(index, count)| index.filter(|index| len(*index) == Some(count))),
            );
            contradiction.similarity = least_similarity(place, first, related);
            found.push(contradiction);
        }
    }
    let mut index = 0;
    contradictions.retain(|_| {
        index += 1;
        !covered.contains(&(index - 1))
    });
    contradictions.extend(found);
}

fn is_same_place(one: &Entry, other: &Entry) -> bool {
    let line = |entry: &Entry| entry.lines.map(|lines| lines.first);
    one.is_place()
        && other.is_place()
        && line(one).is_some()
        && (line(one), &one.place) == (line(other), &other.place)
}

fn sides(contradiction: &Contradiction) -> impl Iterator<Item = (String, String, String)> {
    let field = &contradiction.field;
    contradiction.sides.iter().map(move |side| (field.clone(), side.agent.clone(), side.pointer.clone()))
}

/// The similarity of the least similar texts of different siblings; of the first ones, where there are very many.
fn least_similarity(place: &[Entry], first: usize, related: &mut Related) -> Option<f64> {
    let flagged =
        || place.iter().enumerate().filter(|(_, entry)| entry.clearing.is_none()).take(MAX_NEIGHBOURS);
    let mut least: Option<f32> = None;
    for (index, entry) in flagged() {
        for (other_index, _) in
            flagged().skip_while(|(at, _)| *at <= index).filter(|(_, other)| other.sibling != entry.sibling)
        {
            let similarity = related.similarity(first + index, first + other_index);
            least = similarity
                .map(|similarity| least.map_or(similarity, |least| least.min(similarity)))
                .or(least);
        }
    }
    least.map(|least| (f64::from(least.clamp(0.0, 1.0)) * 1_000.0).round() / 1_000.0)
}
