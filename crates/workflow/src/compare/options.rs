//! What is compared, and how.

use std::collections::HashMap;

use serde_json::Value;

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
