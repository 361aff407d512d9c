//! The comparison of siblings: where they contradict each other, say nearly the same, or agree.
//!
//! It is data about outputs and nothing more: it blocks nothing. Every [`Side`] names the place in
//! the output that it was read from, so that a reader can look at the whole entry.

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

/// A contradiction: different values for one key.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Contradiction {
    /// Kind of contradiction.
    pub kind: ContradictionKind,
    /// The subject.
    #[schema(value_type = Object)]
    pub key: Key,
    /// The property on which they differ.
    pub field: String,
    /// All statements about it.
    pub sides: Vec<Side>,
    /// Similarity of the least similar texts, from 0 to 1, if the entries are at the same file and line and their texts did not
    /// bring them together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub similarity: Option<f64>,
}

/// Kinds of contradictions.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, utoipa::ToSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum ContradictionKind {
    /// Different values for one key.
    DifferentValues,
    /// One flags the location, another marks it as fine.
    FlaggedAndCleared,
}

/// A statement of one upstream node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Side {
    /// The upstream node.
    pub agent: String,
    /// JSON pointer into the output of that node.
    pub pointer: String,
    /// The value of the property. For an entry that only marks a location as fine, the name of its list.
    #[schema(value_type = Value)]
    pub value: Value,
    /// The text of the entry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The subject of this entry, if it differs from the common key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub key: Option<Key>,
}

/// Similar entries of several upstream nodes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NearDuplicate {
    /// The common key: the file.
    #[schema(value_type = Object)]
    pub key: Key,
    /// Similarity of the least similar neighbours, from 0 to 1.
    pub similarity: f64,
    /// The entries, each with its own key.
    pub sides: Vec<Side>,
}

/// An agreement: one value for one key from at least two upstream nodes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Agreement {
    /// The subject.
    #[schema(value_type = Object)]
    pub key: Key,
    /// The property on which they agree.
    pub field: String,
    /// The value, as one of them wrote it.
    #[schema(value_type = Value)]
    pub value: Value,
    /// The upstream node.
    pub sides: Vec<Side>,
}

/// A limit that the comparison reached.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Truncation {
    /// The limit.
    pub limit: ComparisonLimit,
    /// Number of entries that were not fully compared.
    pub entries: u64,
    /// Message.
    pub message: String,
}

/// The limits of a comparison.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, utoipa::ToSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum ComparisonLimit {
    /// Too many entries at one location to compare each pair.
    Neighbours,
    /// Too many entries that mark one location as fine.
    Clearings,
    /// Texts without a usable embedding.
    Vectors,
    /// Lists nested too deeply, or too many matching locations in the schema.
    Depth,
}
