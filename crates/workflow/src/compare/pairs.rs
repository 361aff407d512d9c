//! Entries of different siblings that may be about the same thing, and whether they are.

use accord_domain::comparison::ComparisonLimit;

use super::entry::Entry;
use super::omissions::{MAX_NEIGHBOURS, Omissions};
use super::options::CompareOptions;
use super::similarity::Texts;

/// Two entries of different siblings that are near enough to be compared.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pair {
    pub(super) first: usize,
    pub(super) second: usize,
    pub(super) distance: u64,
    /// How similar their texts are; `None` if one has no text.
    pub(super) similarity: Option<f32>,
    is_alike: bool,
    is_same: bool,
    agrees: bool,
}

/// The pairs that belong together, the best first.
pub(super) struct Related {
    pairs: Vec<Pair>,
    texts: Texts,
}

impl Related {
    pub(super) fn alike(&self) -> impl Iterator<Item = &Pair> + Clone {
        self.pairs.iter().filter(|pair| pair.is_alike)
    }

    /// Pairs about the same thing, where the key has a line. Without a line, the key alone says what is the same.
    pub(super) fn same(&self) -> impl Iterator<Item = &Pair> + Clone {
        self.pairs.iter().filter(|pair| pair.is_same)
    }

    pub(super) fn of(entries: &[Entry], options: &CompareOptions, omissions: &mut Omissions) -> Self {
        let mut texts = Texts::of(entries, &options.similarity);
        let mut related = Vec::new();
        visit(entries, options.line_distance, omissions, |first, second, distance| {
            let (Some(one), Some(other)) = (entries.get(first), entries.get(second)) else { return };
            let similarity = texts.similarity(first, second);
            let is_alike = similarity.is_some_and(|similarity| f64::from(similarity) >= options.threshold);
            let is_same = one.lines.is_some() && (is_alike || is_same_by_place(one, other, distance));
            if is_alike || is_same {
                let agrees = one.has_same_values(other);
                related.push(Pair { first, second, distance, similarity, is_alike, is_same, agrees });
            }
        });
        omissions.count(ComparisonLimit::Vectors, texts.missing());
        related.sort_by(|one, other| {
            let position = |pair: &Pair| (pair.first, pair.second);
            let similarity = |pair: &Pair| pair.similarity.unwrap_or_default();
            (one.distance.cmp(&other.distance))
                .then_with(|| similarity(other).total_cmp(&similarity(one)))
                .then_with(|| other.agrees.cmp(&one.agrees))
                .then_with(|| position(one).cmp(&position(other)))
        });
        Self { pairs: related, texts }
    }

    /// How similar the texts of two entries are.
    pub(super) fn similarity(&mut self, first: usize, second: usize) -> Option<f32> {
        self.texts.similarity(first, second)
    }
}

/// Whether two entries are about the same thing regardless of their texts: their key names more than a file and a line,
/// or they share a line and one of them has no text.
fn is_same_by_place(one: &Entry, other: &Entry, distance: u64) -> bool {
    let is_textless = one.text.is_none() || other.text.is_none();
    !one.is_place() || (is_textless && distance == 0)
}

/// Pairs of entries with texts that are near enough for the texts to be compared.
pub(super) fn with_texts(
    entries: &[Entry],
    line_distance: u64,
    omissions: &mut Omissions,
) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    let has_text = |index: usize| entries.get(index).is_some_and(|entry| entry.text.is_some());
    visit(entries, line_distance, omissions, |first, second, _| {
        if has_text(first) && has_text(second) {
            pairs.push((first, second));
        }
    });
    pairs
}

/// Calls for each pair of different siblings in one file, near enough. Entries are sorted by place and line.
fn visit(
    entries: &[Entry],
    line_distance: u64,
    omissions: &mut Omissions,
    mut each: impl FnMut(usize, usize, u64),
) {
    let mut crowded = 0;
    for (first, entry) in entries.iter().enumerate() {
        let following = entries.iter().enumerate().skip(first + 1);
        for (looked, (second, other)) in following.enumerate() {
            let Some(distance) = reach(entry, other).filter(|distance| *distance <= line_distance) else {
                break;
            };
            if looked == MAX_NEIGHBOURS {
                crowded += 1;
                break;
            }
            // An entry that flags and one that clears are not duplicates, however similar their texts are.
            if entry.sibling != other.sibling && entry.clearing.is_some() == other.clearing.is_some() {
                each(first, second, distance);
            }
        }
    }
    omissions.count(ComparisonLimit::Neighbours, crowded);
}

/// How far away a later entry is, if the two can be compared at all.
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
