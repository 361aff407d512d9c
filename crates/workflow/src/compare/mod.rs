//! Compares the outputs of several agents upstream of one node.
//!
//! Every list of objects in an output is read as a list of entries. An entry has a **key** (what it is about), **values**
//! that may conflict, and a **text**. By default the key is `file` and `line`, the conflicting member is `severity` and
//! the text is the first of the usual names. A schema says otherwise with `x-key`, `x-conflict` and `x-text` (a name or a
//! list of names; `a.b` reaches into an object) on the list's schema or on that of its items, at any depth and behind
//! local references. An empty `x-key` keeps a list out of the comparison; an empty `x-conflict` leaves only its texts.
//! An object outside of a list is an entry if its schema has one of the three: about its key, or, without one, about its
//! own location. [`annotation_problems`] reports annotations that cannot be followed.
//!
//! Rules:
//!
//! - Lists whose key is a file and a line are compared with each other regardless of their names.
//!   Other lists are compared if they have the same name and the same key fields.
//! - Two entries of different siblings are **about the same thing** if their keys are the same. Models are often a few lines
//!   off, so a line in a key is the same within [`LINE_DISTANCE`] lines, or where ranges of lines overlap; and because
//!   several things can be said near one line, the texts must be alike as well. Texts do not matter if the key names more
//!   than a file and a line, or if an entry has none: then it is about whatever others say about the same line.
//! - Siblings **contradict** each other if their values for the same thing differ, and always if their values for the very same
//!   file and line do, whatever their texts say (see `places`). They also do if one **clears** a place
//!   that another one flags, within the same distance: saying that a place is fine is about everything there, so the
//!   texts need not be alike.
//! - An entry clears a place when its list is called `praise`, `cleared` or `strengths`, or when its `kind`, `type` or
//!   conflicting member says `praise`, `cleared` or `ok`. `cleared` and `ok` without a line mean the whole file; praise
//!   without a line means no place.
//! - The output of a map is a list of outputs. Each is read like the output of an agent, all belong to one sibling, and
//!   their order is ignored, because two maps may go over different lists.
//! - A sibling never contradicts itself. Two siblings contradict each other about a thing if none of the values of one
//!   is among those of the other; at one line, if they do not have the same values. An entry that a sibling repeats word
//!   for word counts once.
//! - Values are the same but for letter case and outer blanks. An entry without a value says nothing that could conflict.
//! - Paths are compared without `./`, `..` and backslashes, and without the `a/` and `b/` of a
//!   diff. A line after the name of a file (`src/a.rs:10`) is the entry's line if it has no other,
//!   and is ignored if it has the same. A range of lines is named by its first line. An entry
//!   without a line is compared only by its text, with other entries of the same file that have no
//!   line.
//! - Entries are grouped best pairs first, one entry of each sibling; remaining entries join their
//!   best match. So every entry is in exactly one group, with one that it resembles.
//!
//! The cost is near-linear: entries are compared only within a file and a few lines, each with at
//! most [`MAX_NEIGHBOURS`] others, and comparisons skipped because of a limit are reported in
//! [`Comparison::truncated`]. The order of siblings does not matter.
//!
//! Not supported: keys outside the entry (a list of findings inside a list of files), and any
//! judgement of which sibling is right.

mod annotations;
mod clearings;
mod collect;
mod diff_names;
mod entry;
mod exact;
mod groups;
mod location;
mod near;
mod pairs;
mod places;
mod rule;
mod schema;
mod similarity;
#[cfg(test)]
mod tests;
mod words;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use accord_contract::{Exceeded, Meter};
use accord_domain::comparison::{Comparison, ComparisonLimit, Truncation};
use serde_json::Value;

pub use annotations::annotation_problems;
pub(crate) use annotations::is_compared;
pub use pairs::MAX_NEIGHBOURS;

use entry::Entry;

/// Lines this far apart may still be the same place. Models count lines by eye and point at a signature, at its doc
/// comment or at the first statement of a body; three lines cover these, and neighbouring functions stay apart.
pub const LINE_DISTANCE: u64 = 3;

/// From here on two texts are alike, by words: the same finding in other words comes to about this, two findings of the
/// same kind about different things stay below.
pub const WORDS_THRESHOLD: f64 = 0.4;

/// From here on two texts are alike, by vectors of an embedding model: those put any two texts about code near each
/// other, so the bar is high.
pub const VECTORS_THRESHOLD: f64 = 0.85;

/// One agent's output, to be compared with those beside it.
#[derive(Debug, Clone, Copy)]
pub struct Sibling<'a> {
    /// A name that tells it from its siblings.
    pub agent: &'a str,
    pub schema: &'a Value,
    pub output: &'a Value,
    /// Whether the output is a list of outputs, one for each item of a map.
    pub is_map: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub struct CompareOptions {
    pub similarity: Similarity,
    /// From which similarity on two texts are near duplicates, from 0 to 1.
    pub threshold: f64,
    /// How many lines two entries about the same place may be apart.
    pub line_distance: u64,
}

/// How alike two texts are: always the cosine of two vectors.
#[derive(Debug, Clone, PartialEq)]
pub enum Similarity {
    /// Vectors of the words and of the pieces of words, weighted by how rare they are.
    Words,
    /// Vectors that an embedding model gave, by text ([`texts_to_embed`] says which texts).
    Vectors(HashMap<String, Vec<f32>>),
}

impl Default for CompareOptions {
    fn default() -> Self {
        Self { similarity: Similarity::Words, threshold: WORDS_THRESHOLD, line_distance: LINE_DISTANCE }
    }
}

impl CompareOptions {
    /// With the vectors of an embedding model, and the threshold that goes with them.
    pub fn with_vectors(vectors: HashMap<String, Vec<f32>>) -> Self {
        Self { similarity: Similarity::Vectors(vectors), threshold: VECTORS_THRESHOLD, ..Self::default() }
    }
}

/// Compares outputs. What is collected and what is compared is limited, and reported where it is cut.
pub fn compare(
    siblings: &[Sibling<'_>],
    options: &CompareOptions,
    meter: &Meter,
) -> Result<Comparison, Exceeded> {
    let mut omissions = Omissions::default();
    let entries = collect::entries(siblings, &mut omissions);
    meter.steps(STEPS_AN_ENTRY.saturating_mul(entries.len() as u64))?;
    let mut related = pairs::Related::of(&entries, options, &mut omissions);
    meter.check()?;
    let things = exact::things(&entries, &related);
    let (mut contradictions, agreements) = exact::compare(&things);
    places::add(&entries, &mut related, &mut contradictions);
    contradictions.extend(clearings::compare(&entries, &things, options.line_distance, &mut omissions));
    exact::sort(&mut contradictions);
    let near_duplicates = near::compare(&entries, &related);
    let truncated = omissions.into_truncations();
    Ok(Comparison { contradictions, near_duplicates, agreements, truncated })
}

/// The texts whose vectors a comparison can use, each once: those that have a neighbour near enough to be compared with.
pub fn texts_to_embed(
    siblings: &[Sibling<'_>],
    line_distance: u64,
    meter: &Meter,
) -> Result<Vec<String>, Exceeded> {
    let mut omissions = Omissions::default();
    let entries = collect::entries(siblings, &mut omissions);
    meter.steps(STEPS_AN_ENTRY.saturating_mul(entries.len() as u64))?;
    let pairs = pairs::with_texts(&entries, line_distance, &mut omissions);
    let of = |entry: usize| entries.get(entry).and_then(|entry: &Entry| entry.text.clone());
    let texts: BTreeSet<String> =
        pairs.into_iter().flat_map(|(first, second)| [of(first), of(second)]).flatten().collect();
    Ok(texts.into_iter().collect())
}

/// What it costs to compare an entry with the nearest others at its location.
const STEPS_AN_ENTRY: u64 = 100;

#[derive(Debug, Default)]
struct Omissions(BTreeMap<ComparisonLimit, u64>);

impl Omissions {
    fn count(&mut self, limit: ComparisonLimit, entries: u64) {
        if entries > 0 {
            *self.0.entry(limit).or_default() += entries;
        }
    }

    fn into_truncations(self) -> Vec<Truncation> {
        let told = |(limit, entries): (ComparisonLimit, u64)| Truncation {
            limit,
            entries,
            message: match limit {
                ComparisonLimit::Neighbours => format!(
                    "{entries} entries have more than {MAX_NEIGHBOURS} others at the same location; only the nearest {MAX_NEIGHBOURS} were compared"
                ),
                ComparisonLimit::Clearings => format!(
                    "{entries} locations are marked as resolved more than {} times; the other entries there were not compared",
                    clearings::MAX_CLEARINGS
                ),
                ComparisonLimit::Vectors => {
                    format!("{entries} texts have no usable embedding and were not compared")
                }
                ComparisonLimit::Depth => {
                    format!(
                        "{entries} values are nested deeper than {} levels and were not compared",
                        collect::MAX_DEPTH
                    )
                }
            },
        };
        self.0.into_iter().map(told).collect()
    }
}
