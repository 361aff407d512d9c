//! What siblings said of the same things: where they contradict each other, say nearly the same, or agree.
//!
//! It is data about outputs and nothing more: it blocks nothing and judges nobody. Every [`Side`] names the place in
//! the output that it was read from, so that whoever reads a comparison can look at the whole entry.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The members that say what an entry is about, such as `{"file": "src/a.rs", "line": 10}`. Spellings of one place are
/// one key: a path has no `./`, a line is a number, a range is its first line.
pub type Key = Map<String, Value>;

/// What came out when siblings were compared.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Comparison {
    /// Where siblings say different things of the same.
    pub contradictions: Vec<Contradiction>,
    /// Where siblings say nearly the same at nearly the same place.
    pub near_duplicates: Vec<NearDuplicate>,
    /// Where siblings say the same of the same.
    pub agreements: Vec<Agreement>,
    /// What was not looked at, because there was too much of it. Empty means that everything was compared.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub truncated: Vec<Truncation>,
}

/// Different values for one key.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Contradiction {
    /// In which way.
    pub kind: ContradictionKind,
    /// What they speak of.
    #[schema(value_type = Object)]
    pub key: Key,
    /// The member on which they differ.
    pub field: String,
    /// Everybody who said something of it.
    pub sides: Vec<Side>,
}

/// The ways to contradict.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, utoipa::ToSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum ContradictionKind {
    /// One key, and values that differ.
    DifferentValues,
    /// One flags the place, another clears it.
    FlaggedAndCleared,
}

/// One sibling's word.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Side {
    /// Who.
    pub agent: String,
    /// Where in that sibling's output, as a JSON pointer.
    pub pointer: String,
    /// The value of the field. An entry that clears a place without saying more has the name of its list here.
    #[schema(value_type = Value)]
    pub value: Value,
    /// The entry in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// What this entry speaks of, where that is not exactly the common key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub key: Option<Key>,
}

/// Entries of several siblings that read alike.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NearDuplicate {
    /// What they have in common: the file.
    #[schema(value_type = Object)]
    pub key: Key,
    /// How alike the two least alike neighbours are, from 0 to 1.
    pub similarity: f64,
    /// The entries, each with its own key.
    pub sides: Vec<Side>,
}

/// One value for one key, from two siblings or more.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Agreement {
    /// What they speak of.
    #[schema(value_type = Object)]
    pub key: Key,
    /// The member on which they agree.
    pub field: String,
    /// The value, as one of them wrote it.
    #[schema(value_type = Value)]
    pub value: Value,
    /// Who.
    pub sides: Vec<Side>,
}

/// Something that was left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Truncation {
    /// Which limit was met.
    pub limit: ComparisonLimit,
    /// How many entries were not compared with everything that they could have been compared with.
    pub entries: u64,
    /// In words.
    pub message: String,
}

/// The limits of a comparison.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, utoipa::ToSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum ComparisonLimit {
    /// Too many entries at one place to compare the text of each with each.
    Neighbours,
    /// Too many entries that clear one place.
    Clearings,
    /// Texts for which no usable vector was given.
    Vectors,
    /// Lists nested too deep, or too many places of a schema that could describe them.
    Depth,
}
