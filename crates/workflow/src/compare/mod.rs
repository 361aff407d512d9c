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
mod omissions;
mod options;
mod pairs;
mod places;
mod rule;
mod schema;
mod similarity;
#[cfg(test)]
mod tests;
mod words;

use std::collections::BTreeSet;

use accord_contract::{Exceeded, Meter};
use accord_domain::comparison::Comparison;

pub use annotations::annotation_problems;
pub(crate) use annotations::is_compared;
pub use omissions::MAX_NEIGHBOURS;
pub use options::{CompareOptions, LINE_DISTANCE, Sibling, Similarity, VECTORS_THRESHOLD, WORDS_THRESHOLD};

use entry::Entry;
use omissions::Omissions;

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
