//! Comments and words that say that a list has more items than are given.
//!
//! Most comments speak of the value beside them. One that says that something was left out stands where that would be:
//! before the end of the list, or on a line of its own between two items.

use super::look::Look;
use super::token::Quote;

/// Longer comments explain something.
const MAX_BYTES: usize = 160;

/// How much white space is passed on either side.
const MAX_SPACE: usize = 256;

/// Words that say that something was left out.
const OMITTED: &[&str] =
    &["abbreviated", "brevity", "elided", "etc", "omitted", "skipped", "truncated", "usw"];

/// Words that say so where an item could stand; elsewhere they may speak of one.
const REST: &[&str] = &[
    "additional",
    "continue",
    "continues",
    "further",
    "more",
    "other",
    "others",
    "remaining",
    "repeat",
    "rest",
    "similar",
    "similarly",
];

/// Words that say the opposite.
const NEGATIONS: &[&str] = &["no", "none", "not", "nothing"];

/// Words without quotes that say that there is more.
const OMISSIONS: &[&str] =
    &["etc", "etc.", "and more", "and others", "and so on", "and so forth", "usw", "usw."];

/// What a number of items that are not given is followed by in the place of an item.
const COUNTED: &[&str] = &["more", "other", "others", "further", "additional", "remaining"];

impl Look<'_> {
    /// Whether a comment, which begins here with a mark, says that items were left out.
    pub(super) fn tells_omission(&self, at: usize, mark: &str) -> bool {
        let from = at + mark.len();
        let near = self.text.get(from..self.text.floor_char_boundary(from + MAX_BYTES)).unwrap_or_default();
        let end = if mark == "/*" { "*/" } else { "\n" };
        let Some((comment, _)) = near.split_once(end) else { return false };
        let behind = from + comment.len() + end.len();
        let spaces = self.bytes.get(behind..).unwrap_or_default().iter().take(MAX_SPACE);
        let next = behind + spaces.take_while(|byte| byte.is_ascii_whitespace()).count();
        let own_line = self.begins_line(at);
        match self.byte(next) {
            Some(b']') => {
                Told::by(comment) >= if own_line || mark == "/*" { Told::Rest } else { Told::Omitted }
            }
            Some(b'}') => own_line && Told::by(comment) == Told::Omitted,
            Some(b'{' | b'[' | b'"') => {
                (own_line || mark == "/*")
                    && self.follows_item(at)
                    && self.is_item(next)
                    && Told::by(comment) == Told::Omitted
            }
            _ => false,
        }
    }

    /// Whether only white space is before a place on its line.
    fn begins_line(&self, at: usize) -> bool {
        let before = self.bytes.get(..at).unwrap_or_default().iter().rev().take(MAX_SPACE);
        before.copied().find(|byte| !matches!(byte, b' ' | b'\t')) == Some(b'\n')
    }

    /// Whether an item may have ended before a place: no colon is there.
    fn follows_item(&self, at: usize) -> bool {
        let before = self.bytes.get(..at).unwrap_or_default().iter().rev().take(MAX_SPACE);
        before.copied().find(|byte| !byte.is_ascii_whitespace()) != Some(b':')
    }

    /// Whether an item of a list stands here, and no key.
    fn is_item(&self, at: usize) -> bool {
        if self.byte(at) != Some(b'"') {
            return true;
        }
        self.closing_at(at + 1, Quote::Double).is_some_and(|(inside, close)| {
            let rest = self.bytes.get(inside + close..).unwrap_or_default().trim_ascii_start();
            matches!(rest.first(), Some(b',' | b']'))
        })
    }
}

/// What a comment says of items that are not given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Told {
    Nothing,
    /// That there are more.
    Rest,
    /// That they were left out.
    Omitted,
}

impl Told {
    fn by(comment: &str) -> Self {
        let comment = comment.to_lowercase();
        let parts = comment.split(|next: char| !next.is_alphanumeric()).filter(|word| !word.is_empty());
        let words: Vec<&str> = parts.collect();
        let has = |known: &[&str]| words.iter().any(|word| known.contains(word));
        let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
        let counts =
            |pair: &[&str]| matches!(pair, [number, word] if is_number(number) && REST.contains(word));
        let counted = words.windows(2).any(counts);
        let so_on = words.windows(2).any(|pair| matches!(pair, ["so", "on" | "forth"]));
        if has(NEGATIONS) {
            Self::Nothing
        } else if has(OMITTED) || counted || so_on || comment.contains("省略") {
            Self::Omitted
        } else if has(REST) {
            Self::Rest
        } else {
            Self::Nothing
        }
    }
}

/// Whether words without quotes say that there is more of what stands before them.
pub(super) fn is_and_so_on(words: &str) -> bool {
    OMISSIONS.iter().any(|omission| words.eq_ignore_ascii_case(omission))
}

/// Whether words in the place of an item stand for more items: `5 more`, `and 3 other users`, `..`.
pub(super) fn is_rest(words: &str) -> bool {
    /// Such words are few.
    const MAX_REST_BYTES: usize = 128;
    if words.len() > MAX_REST_BYTES {
        return false;
    }
    let joined = ["+", "&", "and ", "plus "].iter().find_map(|joint| words.strip_prefix(joint));
    let mut parts = joined.unwrap_or(words).split_whitespace();
    let counted = parts.next().is_some_and(|count| count.bytes().all(|byte| byte.is_ascii_digit()));
    let others = parts.next().is_some_and(|word| COUNTED.contains(&word));
    let named = parts.next().is_none() || joined.is_some();
    (counted && others && named) || words.bytes().all(|byte| byte == b'.')
}
