//! The text between two values, read word by word and mark by mark.

use super::tag::{self, Tag};
use super::words::Word;

/// How many words a label has at most.
const MAX_WORDS: usize = 6;

/// How many of them may be unknown: a name for an item, with a word before it.
const MAX_UNKNOWN: usize = 2;

/// How many tags there are at most between two values.
const MAX_TAGS: usize = 16;

/// Marks that keep values apart and say nothing else.
const MARKS: &str = ",;:.-*_#()&+\u{2022}\u{b7}\u{2013}\u{2014}\u{ff0c}\u{3001}\u{ff1b}\u{ff1a}\u{3002}";

/// The marks of a label.
pub(super) const LABEL_MARKS: [char; 4] = [':', '#', '*', '\u{ff1a}'];

/// What is between two values and may join them.
#[derive(Default)]
pub(super) struct Gap {
    pub(super) words: Vec<String>,
    pub(super) unknown: usize,
    pub(super) joins: bool,
    pub(super) counts: bool,
    pub(super) labelled: bool,
    pub(super) tags: Vec<Tag>,
}

impl Gap {
    /// Reads the text between two values, unless something in it does not join.
    pub(super) fn read(between: &str) -> Option<Self> {
        let mut gap = Self::default();
        let mut rest = Rest { text: between };
        let mut line_begins = false;
        while let Some(next) = rest.text.chars().next() {
            let passed = match next {
                '<' => rest.tag().is_some_and(|inside| gap.takes_tag(inside)),
                '`' | '~' => rest.fence(next),
                // One sign of equality says something; many are a line.
                '=' => rest.run(next) > 2,
                _ if next.is_alphabetic() => {
                    let (word, number) = rest.word();
                    gap.takes_word(word, number)
                }
                _ if next.is_ascii_digit() => {
                    gap.counts |= rest.ordinal() || (line_begins && rest.text.starts_with(['.', ')']));
                    true
                }
                _ if next.is_whitespace() || MARKS.contains(next) => {
                    gap.labelled |= LABEL_MARKS.contains(&next);
                    rest.skip(next.len_utf8());
                    true
                }
                _ => false,
            };
            if !passed {
                return None;
            }
            line_begins = next == '\n' || (line_begins && (next.is_whitespace() || "#*-".contains(next)));
        }
        Some(gap)
    }

    fn takes_word(&mut self, word: String, number: Number) -> bool {
        match Word::of(&word) {
            Word::Doubtful => return false,
            Word::Unknown if number == Number::OfItem => self.unknown += 1,
            _ if number != Number::None => self.counts = true,
            Word::Counting => self.counts = true,
            Word::Joining => self.joins = true,
            Word::Neutral => {}
            Word::Unknown => self.unknown += 1,
        }
        self.words.push(word);
        true
    }

    /// Whether the words are so few that they can be a label.
    pub(super) fn is_short(&self) -> bool {
        self.words.len() <= MAX_WORDS && self.unknown <= MAX_UNKNOWN
    }

    fn takes_tag(&mut self, inside: &str) -> bool {
        let tag = Tag::of(inside);
        let doubtful = tag.as_ref().is_some_and(Tag::is_doubtful);
        self.tags.extend(tag);
        !doubtful && self.tags.len() <= MAX_TAGS
    }

    /// Whether the next call of a tool begins here. The words are its name.
    pub(super) fn is_call(&self) -> bool {
        self.tags.iter().any(|tag| !tag.closes && tag.is_call())
    }
}

/// A number behind a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Number {
    None,
    /// It counts what the word names: `Order 2:`.
    OfWord,
    /// It stands before an item, as in a list: `or 2)`.
    OfItem,
}

/// What has not been looked at yet.
struct Rest<'a> {
    text: &'a str,
}

impl<'a> Rest<'a> {
    fn skip(&mut self, bytes: usize) {
        self.text = self.text.get(bytes..).unwrap_or_default();
    }

    /// A run of one mark, and how long it is.
    fn run(&mut self, mark: char) -> usize {
        let rest = self.text.trim_start_matches(mark);
        let length = self.text.len() - rest.len();
        self.text = rest;
        length
    }

    /// What is inside a tag: it ends before another begins.
    fn tag(&mut self) -> Option<&'a str> {
        let (inside, behind) = tag::split(self.text)?;
        self.text = behind;
        Some(inside)
    }

    /// A fence and its name. Fewer tildes strike something out.
    fn fence(&mut self, mark: char) -> bool {
        let length = self.run(mark);
        if length > 2 {
            self.text = self.text.trim_start_matches(|next: char| next.is_ascii_alphanumeric());
        }
        mark == '`' || length > 2
    }

    /// A word in small letters, and the number behind it.
    fn word(&mut self) -> (String, Number) {
        let rest = self.text.trim_start_matches(char::is_alphabetic);
        let word = self.text.get(..self.text.len() - rest.len()).unwrap_or_default().to_lowercase();
        let digits = rest.trim_start_matches([' ', '#', '_', '-']);
        let behind = digits.trim_start_matches(|next: char| next.is_ascii_digit());
        self.text = rest;
        let number = match behind.len() < digits.len() {
            true if behind.starts_with(['.', ')']) => Number::OfItem,
            true => Number::OfWord,
            false => Number::None,
        };
        (word, number)
    }

    /// A number, and whether it is one like `2nd`, which is read as a whole.
    fn ordinal(&mut self) -> bool {
        self.text = self.text.trim_start_matches(|next: char| next.is_ascii_digit());
        let behind = |ending: &&str| {
            let rest = self.text.strip_prefix(ending)?;
            (!rest.starts_with(char::is_alphanumeric)).then_some(rest)
        };
        let rest = ["nd", "rd", "th"].iter().find_map(behind);
        self.text = rest.unwrap_or(self.text);
        rest.is_some()
    }
}
