//! What stands between several values and around them, and whether it shows that all of them are meant.
//!
//! Values of a list are kept apart by marks, tags, fences and numbers. Words between them may say that one value
//! stands for another ("or", "corrected:", "my answer:"), in any language. So words join only if they show that
//! they do: they count on ("second order:", "Bestellung 2:"), they are known to join ("and"), they name the value
//! behind them, or the same label is before the first value too. What is before the first value and behind the last
//! is asked for words that choose among them.

mod tag;
mod words;

use serde_json::Value;

use self::tag::Tag;
use self::words::{Word, words_of};
use crate::scan::Found;

/// How many words a label has at most.
const MAX_WORDS: usize = 6;

/// How many of them may be unknown: a name for an item, with a word before it.
const MAX_UNKNOWN: usize = 2;

/// How many words the label of a single value has at most; more speak of all of them.
const MAX_LABEL: usize = 3;

/// How many tags there are at most between two values.
const MAX_TAGS: usize = 16;

/// How much of the text before the first value is looked at. A label is short.
const LEAD_BYTES: usize = 256;

/// How much of the text behind the last value is looked at.
const TAIL_BYTES: usize = 512;

/// How long a string is at most that a label may be the same as.
const NAME_BYTES: usize = 128;

/// Marks that keep values apart and say nothing else.
const MARKS: &str = ",;:.-*_#()&+\u{2022}\u{b7}\u{2013}\u{2014}\u{ff0c}\u{3001}\u{ff1b}\u{ff1a}\u{3002}";

/// The marks of a label.
const LABEL_MARKS: [char; 4] = [':', '#', '*', '\u{ff1a}'];

/// Whether what is between several values and around them leaves no doubt that all of them are meant.
pub(super) fn join(text: &str, found: &[&Found]) -> bool {
    let (Some(first), Some(last)) = (found.first(), found.last()) else { return false };
    let lead = Lead::of(text.get(..first.range.start).unwrap_or_default());
    let tail = text.get(last.range.end..).unwrap_or_default();
    if words::choose(&lead.words) || words::rank(&words_of(beginning(tail, TAIL_BYTES))) {
        return false;
    }
    found.iter().zip(found.iter().skip(1)).all(|(one, next)| {
        text.get(one.range.end..next.range.start).is_some_and(|between| lead.joins(between, &next.value))
    })
}

/// What is before the first of several values.
#[derive(Default)]
struct Lead<'a> {
    /// The words of the last line that has any.
    words: Vec<String>,
    labelled: bool,
    /// The tags that open there.
    tags: Vec<Tag>,
    sign: Option<&'a str>,
}

impl<'a> Lead<'a> {
    fn of(before: &'a str) -> Self {
        let mut lead = Self { sign: sign(before), ..Self::default() };
        for line in end(before, LEAD_BYTES).lines().rev() {
            let (plain, tags) = without_tags(line);
            lead.tags.extend(tags.into_iter().filter(|tag| !tag.closes));
            if lead.words.is_empty() && !plain.starts_with("```") && !plain.starts_with("~~~") {
                lead.words = words_of(&plain);
                lead.labelled = plain.contains(LABEL_MARKS);
            }
        }
        lead
    }

    /// Whether a text between two values shows that both are meant.
    fn joins(&self, between: &str, next: &Value) -> bool {
        let Some(gap) = Gap::read(between) else { return false };
        // The lines of a change: what was, and what is.
        let changes = matches!((self.sign, sign(between)), (Some("-"), Some("+")) | (Some("+"), Some("-")));
        if changes || !self.has_tags_of(&gap) || !(gap.is_short() || gap.is_call()) {
            return false;
        }
        if gap.words.is_empty() || (gap.joins && gap.unknown == 0) {
            return true;
        }
        let repeated = gap.labelled && self.labelled && gap.words == self.words;
        (gap.counts && !self.is_doubtful()) || gap.is_call() || repeated || names(&gap.words, next)
    }

    /// Whether the tags between two values are those around both of them.
    fn has_tags_of(&self, gap: &Gap) -> bool {
        let closed = |name: &str| gap.tags.iter().any(|tag| tag.closes && tag.name == name);
        let opened = |name: &str| gap.tags.iter().any(|tag| !tag.closes && tag.name == name);
        gap.tags.iter().all(|tag| match tag.closes {
            true => opened(&tag.name),
            false => closed(&tag.name) || self.tags.iter().any(|other| other.name == tag.name),
        })
    }

    /// Whether the first value has a label that sets it apart.
    fn is_doubtful(&self) -> bool {
        self.words.len() <= MAX_LABEL && self.words.iter().any(|word| Word::of(word) == Word::Doubtful)
    }
}

/// What is between two values and may join them.
#[derive(Default)]
struct Gap {
    words: Vec<String>,
    unknown: usize,
    joins: bool,
    counts: bool,
    labelled: bool,
    tags: Vec<Tag>,
}

impl Gap {
    /// Reads the text between two values, unless something in it does not join.
    fn read(between: &str) -> Option<Self> {
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
    fn is_short(&self) -> bool {
        self.words.len() <= MAX_WORDS && self.unknown <= MAX_UNKNOWN
    }

    fn takes_tag(&mut self, inside: &str) -> bool {
        let tag = Tag::of(inside);
        let doubtful = tag.as_ref().is_some_and(Tag::is_doubtful);
        self.tags.extend(tag);
        !doubtful && self.tags.len() <= MAX_TAGS
    }

    /// Whether the next call of a tool begins here. The words are its name.
    fn is_call(&self) -> bool {
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
        let (inside, behind) = inside_tag(self.text)?;
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

/// What is inside the tag that a text begins with, and what is behind it.
fn inside_tag(text: &str) -> Option<(&str, &str)> {
    let inside = text.strip_prefix('<')?;
    let end = inside.find(['<', '>'])?;
    let behind = inside.get(end..)?.strip_prefix('>')?;
    Some((inside.get(..end)?, behind))
}

/// A line without its tags, and the tags.
fn without_tags(line: &str) -> (String, Vec<Tag>) {
    let (mut plain, mut tags) = (String::new(), Vec::new());
    let mut rest = line;
    while let Some(found) = rest.find('<') {
        plain.push_str(rest.get(..found).unwrap_or_default());
        rest = rest.get(found..).unwrap_or_default();
        match inside_tag(rest) {
            Some((inside, behind)) => {
                tags.extend(Tag::of(inside));
                rest = behind;
            }
            None => rest = rest.get(1..).unwrap_or_default(),
        }
    }
    plain.push_str(rest);
    (plain.trim().to_owned(), tags)
}

/// The sign that is all there is before a value on its line, as in a list or in the lines of a change.
fn sign(before: &str) -> Option<&str> {
    let line = before.rsplit('\n').next().unwrap_or_default().trim();
    matches!(line, "-" | "+").then_some(line)
}

/// Whether a string in a value has these words and no others: then they are its name.
fn names(words: &[String], value: &Value) -> bool {
    match value {
        Value::String(text) => text.len() <= NAME_BYTES && words_of(text) == words,
        Value::Array(items) => items.iter().any(|item| names(words, item)),
        Value::Object(members) => members.values().any(|member| names(words, member)),
        _ => false,
    }
}

fn beginning(text: &str, bytes: usize) -> &str {
    text.get(..text.floor_char_boundary(bytes)).unwrap_or_default()
}

fn end(text: &str, bytes: usize) -> &str {
    text.get(text.ceil_char_boundary(text.len().saturating_sub(bytes))..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Lead, join};
    use crate::scan::{Found, Setting};

    fn joins(between: &str) -> bool {
        Lead::default().joins(between, &Value::Null)
    }

    /// Whether the values that stand as `{}` in a text join.
    fn all_join(text: &str, value: &Value) -> bool {
        let found = |(start, marks): (usize, &str)| {
            let range = start..start + marks.len();
            Found { value: value.clone(), range, setting: Setting::Free }
        };
        let found: Vec<Found> = text.match_indices("{}").map(found).collect();
        join(text, &found.iter().collect::<Vec<_>>())
    }

    #[test]
    fn marks_fences_numbers_and_words_that_count_or_join_do() {
        for between in [
            "",
            "\n",
            ", ",
            "\u{3001}",
            ";",
            " and ",
            " und ",
            ".\n",
            "\n\n---\n\n",
            "\n=====\n",
            "\n2. ",
            "\n- ",
            "\n* **2)** ",
            "<br>",
            "\n```\n\n```json\n",
            "\n~~~\n~~~json5\n",
            "</tool_call>\n<tool_call>",
            "<|tool_call_end|><|tool_call_begin|>",
            "</function><function=get_time>",
            "</item_1><item_2>",
            "\n\nSecond object: ",
            "\n2nd order: ",
            "\n2. Pear: ",
            "\n### 2) Pear\n",
            "\n### Item 2\n",
            "\nItem #2:\n",
            "\n**Product 2:**\n```json\n",
            "\nEintrag 2: ",
            ", then ",
            "\nOne more:\n",
            "\nAnd here is the next one:\n",
            "\nAnd the second order:\n```json\n",
        ] {
            assert!(joins(between), "{between:?}");
        }
    }

    #[test]
    fn words_that_may_choose_or_correct_do_not_join() {
        for between in [
            " or ",
            " oder ",
            " / ",
            " | ",
            " or 2) ",
            ", no: ",
            " -> ",
            " \u{2192} ",
            " = ",
            "? ",
            "~~ ",
            "\nOption B: ",
            "\nOption 2: ",
            "\nAnswer 2: ",
            "\nFinal: ",
            "\nv2: ",
            "\nCorrected:\n",
            "\nSorry, corrected:\n```json\n",
            ". My answer: ",
            "\nInstead: ",
            "\nOutput: ",
            "\nWait, that is wrong. It should be:\n",
            " becomes ",
            " < ",
            " \"x\": ",
            "\nKorrektur:\n",
            "\nLo siento, es esto:\n",
            "\nThe customer then changed it to this:\n",
            "\nAnd then the next one and the next one and the next:\n",
            "\nScratch that:\n",
            "\nHold on:\n",
            "\nOn second thought:\n",
            "\nMore precisely:\n",
            "\nRetry 2:\n",
            " i.e. ",
            " \u{6216}\u{8005} ",
            " или ",
            " eller ",
            " eller 2) ",
            " to ",
            "\nHere is the result:\n",
            "\nPear:\n",
            "</old><new>",
            "</answer><answer>",
            "</example>\n",
            "\n<answer>",
        ] {
            assert!(!joins(between), "{between:?}");
        }
    }

    #[test]
    fn labels_join_if_they_name_their_value_or_are_all_the_same() {
        let pear = json!({"fruit": {"name": "Pear"}});
        for text in ["{}\nPear:\n{}", "Apple: {}\nPEAR: {}", "Order: {}\nOrder: {}", "# Tag\n{}\n# Tag\n{}"] {
            assert!(all_join(text, &pear), "{text}");
        }
        for text in ["{}\nPlum:\n{}", "Apple: {}\nPlum: {}", "soit {} soit {}", "Order: {}\nTag: {}"] {
            assert!(!all_join(text, &pear), "{text}");
        }
    }

    #[test]
    fn tags_join_if_they_are_around_all_values() {
        for text in [
            "<function_call> {}\n<function_call> {}",
            "<tool_call>{}</tool_call><tool_call>{}</tool_call>",
            "<tool_call>{}</tool_call> Let me also check the weather in Rome. <tool_call>{}</tool_call>",
            "<|call_begin|>function<|sep|>get_one\n```json\n{}\n```<|call_end|><|call_begin|>function<|sep|>get_two\n```json\n{}",
        ] {
            assert!(all_join(text, &Value::Null), "{text}");
        }
        for text in [
            "<a>{}</a><b>{}</b>",
            "<a>{}</a>{}",
            "{}<a>{}</a>",
            "<tool_call>{}</tool_call> That was the wrong place. <tool_call>{}</tool_call>",
            "<a>{}</a> Let me also check the weather in Rome. <a>{}</a>",
        ] {
            assert!(!all_join(text, &Value::Null), "{text}");
        }
    }

    #[test]
    fn what_is_around_all_values_is_asked_too() {
        for text in [
            "Here is my answer:\n{}\n{}",
            "Here are the corrected items:\n{} and {}",
            "+ {}\n+ {}",
            "- {}\n- {}",
            "{}\n{}\n\nLet me know if anything else is wrong, or if you want another version!",
        ] {
            assert!(all_join(text, &Value::Null), "{text}");
        }
        for text in [
            "Choose one: {}; {}",
            "-{}\n+{}",
            "First attempt: {}\nSecond: {}",
            "1. Wrong: {}\n2. Right: {}",
            "1. Wrong: {}\n2. Plum: {}",
            "{}\n{}\n\nI am not sure which of these is right.",
            "{}\n{}\nThe latter is from the invoice.",
        ] {
            assert!(!all_join(text, &Value::Null), "{text}");
        }
    }
}
