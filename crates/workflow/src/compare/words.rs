//! Texts as vectors of their words and of pieces of three letters, weighted by how rare they are (TF-IDF).
//!
//! Words say what a text is about, pieces tolerate endings and spellings; each counts for half. It needs no model and no
//! list of stop words. In scripts that do not separate words, only the pieces count.

use std::collections::HashMap;

/// Longer texts are compared by their beginning, which says what a finding is about.
const MAX_CHARACTERS: usize = 1_000;

/// Every word counts as if it were in this many more texts. Without this, two findings would seem less similar the more
/// words they share, because a word that is in both is common.
const PRIOR: f32 = 10.0;

const PIECE: usize = 3;

/// A higher average length means that the script does not separate words.
const LONGEST_MEAN: usize = 10;

/// A text's features with their weights, sorted by feature. The length of the whole is one.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Weighted(Vec<(u64, f32)>);

impl Weighted {
    /// One for the same text, zero for texts that share nothing.
    pub(super) fn cosine(&self, other: &Self) -> f32 {
        let (mut one, mut other) = (self.0.iter().peekable(), other.0.iter().peekable());
        let mut sum = 0.0;
        while let (Some((feature, weight)), Some((other_feature, other_weight))) = (one.peek(), other.peek())
        {
            match feature.cmp(other_feature) {
                std::cmp::Ordering::Less => drop(one.next()),
                std::cmp::Ordering::Greater => drop(other.next()),
                std::cmp::Ordering::Equal => {
                    sum += weight * other_weight;
                    one.next();
                    other.next();
                }
            }
        }
        sum.clamp(0.0, 1.0)
    }
}

/// How often each feature occurs, sorted by feature.
type Counts = Vec<(u64, f32)>;

/// The vectors of texts that are compared with each other: what is rare among them weighs more.
pub(super) fn weigh(texts: &[&str]) -> Vec<Weighted> {
    let counted: Vec<(Counts, Counts)> = texts.iter().map(|text| count(text)).collect();
    let mut spread: HashMap<u64, u32> = HashMap::new();
    for (words, pieces) in &counted {
        for (feature, _) in words.iter().chain(pieces) {
            *spread.entry(*feature).or_default() += 1;
        }
    }
    let rarity = |feature: u64| {
        let texts_with_it = spread.get(&feature).copied().unwrap_or_default();
        ((PRIOR + as_float(texts.len())) / (PRIOR + as_float(texts_with_it as usize))).ln() + 1.0
    };
    counted.into_iter().map(|(words, pieces)| join(scale(words, rarity), scale(pieces, rarity))).collect()
}

/// Weights a kind of features and brings it to length one.
fn scale(counts: Counts, rarity: impl Fn(u64) -> f32) -> Counts {
    let weighted: Counts =
        counts.into_iter().map(|(feature, count)| (feature, (1.0 + count.ln()) * rarity(feature))).collect();
    let length = weighted.iter().map(|(_, weight)| weight * weight).sum::<f32>().sqrt();
    weighted.into_iter().map(|(feature, weight)| (feature, weight / length)).collect()
}

fn join(words: Counts, pieces: Counts) -> Weighted {
    let share = if words.is_empty() || pieces.is_empty() { 1.0 } else { 0.5_f32.sqrt() };
    let mut all: Counts =
        words.into_iter().chain(pieces).map(|(feature, weight)| (feature, weight * share)).collect();
    all.sort_unstable_by_key(|(feature, _)| *feature);
    Weighted(all)
}

fn count(text: &str) -> (Counts, Counts) {
    let lower: String = text.chars().take(MAX_CHARACTERS).collect::<String>().to_lowercase();
    let (mut words, mut pieces) = (Vec::new(), Vec::new());
    for word in lower.split(|each: char| !each.is_alphanumeric()).filter(|word| !word.is_empty()) {
        words.push(hash(b'w', word.chars()));
        let padded: Vec<char> =
            std::iter::once(' ').chain(word.chars()).chain(std::iter::once(' ')).collect();
        pieces.extend(padded.windows(PIECE).map(|piece| hash(b'p', piece.iter().copied())));
    }
    if pieces.len() > words.len() * LONGEST_MEAN {
        words.clear();
    }
    (tally(words), tally(pieces))
}

fn tally(mut features: Vec<u64>) -> Counts {
    features.sort_unstable();
    features
        .chunk_by(|one, other| one == other)
        .map(|same| (same.first().copied().unwrap_or_default(), as_float(same.len())))
        .collect()
}

/// FNV-1a: the same everywhere and always, unlike the hash of a map.
fn hash(kind: u8, characters: impl Iterator<Item = char>) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let start = step(0xcbf2_9ce4_8422_2325, kind);
    characters.flat_map(|each| u32::from(each).to_le_bytes()).fold(start, step)
}

#[expect(
    clippy::cast_precision_loss,
    reason = "counts of words and texts are small, and a weight needs no more"
)]
fn as_float(count: usize) -> f32 {
    count as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alike(one: &str, other: &str) -> f32 {
        let vectors = weigh(&[one, other]);
        vectors[0].cosine(&vectors[1])
    }

    #[test]
    fn the_same_is_one_and_nothing_in_common_is_zero() {
        assert!((alike("Path traversal", "path  traversal!") - 1.0).abs() < 1e-5);
        assert!(alike("alpha beta", "gimel dun") < 1e-6);
        for empty in ["", "...", "\u{1f600}"] {
            assert!(alike(empty, "text") < 1e-6, "{empty}");
        }
    }

    /// The two kinds of pairs that the threshold has to tell apart.
    #[test]
    fn paraphrases_are_more_similar_than_other_findings() {
        let same = [
            (
                "The user name goes unescaped into the SQL query",
                "SQL injection: user name is put into the query unescaped",
            ),
            (
                "Path traversal: the file name is joined without a check",
                "File name is joined to the folder unchecked, path traversal is possible",
            ),
            ("The lock is held across the network call", "Network call while holding the lock"),
            ("Missing doc comment on public function", "Public function has no doc comment"),
            ("Panics on an empty list", "Will panic if the list is empty"),
            ("Timeout is missing on the HTTP request", "HTTP request has no timeout"),
        ];
        let different = [
            ("The user name goes unescaped into the SQL query", "The connection is never closed"),
            (
                "Path traversal: the file name is joined without a check",
                "The file handle leaks when parsing fails",
            ),
            ("The lock is held across the network call", "The name of this function says nothing"),
            ("Missing doc comment on public function", "Panics on an empty list"),
            ("Unused variable `total`", "The total is wrong for refunds"),
            ("Function is too long and does too many things", "Function name does not say what it does"),
            ("User input is not validated before use", "User input is logged with the password in it"),
        ];
        let threshold = super::super::WORDS_THRESHOLD as f32;
        for (one, other) in same {
            assert!(alike(one, other) >= threshold, "{one} / {other}");
        }
        for (one, other) in different {
            assert!(alike(one, other) < threshold, "{one} / {other}");
        }
    }

    #[test]
    fn letters_of_any_script_count() {
        assert!(alike("Größe nicht geprüft", "größe wird nicht geprüft") > 0.6);
        assert!(alike("ファイル名が検証されていない", "ファイル名の検証がない") > 0.3);
    }

    #[test]
    fn a_long_text_is_compared_by_its_start() {
        let long = "word ".repeat(100_000);
        assert!((alike(&long, "word") - 1.0).abs() < 1e-5);
    }
}
