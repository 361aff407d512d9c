//! How similar the texts of two entries are: the texts of a comparison, each once, with their vectors.

use std::collections::{HashMap, HashSet};

use super::entry::Entry;
use super::options::Similarity;
use super::words::{self, Weighted};

/// The texts of entries and what makes them alike.
pub(super) struct Texts {
    /// The text of each entry, by entry.
    of_entry: Vec<Option<usize>>,
    vectors: Vectors,
    /// Texts that were asked for and have no vector.
    missing: HashSet<usize>,
}

enum Vectors {
    Words(Vec<Weighted>),
    /// Of length one; `None` if there is no usable vector.
    Given(Vec<Option<Vec<f32>>>),
}

impl Texts {
    pub(super) fn of(entries: &[Entry], similarity: &Similarity) -> Self {
        let mut numbers: HashMap<&str, usize> = HashMap::new();
        let mut texts: Vec<&str> = Vec::new();
        let of_entry = entries.iter().map(|entry| {
            let text = entry.text.as_deref()?;
            Some(*numbers.entry(text).or_insert_with(|| {
                texts.push(text);
                texts.len() - 1
            }))
        });
        let of_entry = of_entry.collect();
        let vectors = match similarity {
            Similarity::Words => Vectors::Words(words::weigh(&texts)),
            Similarity::Vectors(given) => Vectors::Given(usable(&texts, given)),
        };
        Self { of_entry, vectors, missing: HashSet::new() }
    }

    /// The cosine of two entries' texts.
    pub(super) fn similarity(&mut self, first: usize, second: usize) -> Option<f32> {
        let number = |entry: usize| self.of_entry.get(entry).copied().flatten();
        let (first, second) = (number(first)?, number(second)?);
        match &self.vectors {
            _ if first == second && matches!(self.vectors, Vectors::Words(_)) => Some(1.0),
            Vectors::Words(vectors) => Some(vectors.get(first)?.cosine(vectors.get(second)?)),
            Vectors::Given(vectors) => {
                let vector = |number: usize| vectors.get(number).and_then(Option::as_ref);
                let pair = vector(first).zip(vector(second));
                if pair.is_none() {
                    self.missing
                        .extend([first, second].into_iter().filter(|number| vector(*number).is_none()));
                }
                pair.map(|(one, other)| one.iter().zip(other).map(|(one, other)| one * other).sum())
            }
        }
    }

    /// How many texts have no vector and were asked for.
    pub(super) fn missing(&self) -> u64 {
        self.missing.len() as u64
    }
}

/// The vectors that can be compared: finite, not zero, and as long as the first of them.
fn usable(texts: &[&str], given: &HashMap<String, Vec<f32>>) -> Vec<Option<Vec<f32>>> {
    let normal = |text: &&str| {
        let vector = given.get(*text)?;
        let length = vector.iter().map(|part| part * part).sum::<f32>().sqrt();
        let can_be_scaled = length.is_finite() && length > 0.0;
        can_be_scaled.then(|| vector.iter().map(|part| part / length).collect::<Vec<f32>>())
    };
    let normal: Vec<Option<Vec<f32>>> = texts.iter().map(normal).collect();
    let dimensions = normal.iter().flatten().map(Vec::len).next();
    normal.into_iter().map(|vector| vector.filter(|vector| Some(vector.len()) == dimensions)).collect()
}
