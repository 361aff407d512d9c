//! What stands between several values and around them, and whether it shows that all of them are meant.
//!
//! Values of a list are kept apart by marks, tags, fences and numbers. Words between them may say that one value
//! stands for another ("or", "corrected:", "my answer:"), in any language. So words join only if they show that
//! they do: they count on ("second order:", "Bestellung 2:"), they are known to join ("and"), they name the value
//! behind them, or the same label is before the first value too. What is before the first value and behind the last
//! is asked for words that choose among them.

mod gap;
mod tag;
mod words;

use serde_json::Value;

use self::gap::{Gap, LABEL_MARKS};
use self::tag::Tag;
use self::words::{Word, words_of};
use crate::scan::Found;

/// How many words the label of a single value has at most; more speak of all of them.
const MAX_LABEL: usize = 3;

/// How much of the text before the first value is looked at. A label is short.
const LEAD_BYTES: usize = 256;

/// How much of the text behind the last value is looked at.
const TAIL_BYTES: usize = 512;

/// How long a string is at most that a label may be the same as.
const NAME_BYTES: usize = 128;

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

/// A line without its tags, and the tags.
fn without_tags(line: &str) -> (String, Vec<Tag>) {
    let (mut plain, mut tags) = (String::new(), Vec::new());
    let mut rest = line;
    while let Some(found) = rest.find('<') {
        plain.push_str(rest.get(..found).unwrap_or_default());
        rest = rest.get(found..).unwrap_or_default();
        match tag::split(rest) {
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
