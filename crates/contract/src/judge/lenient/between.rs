//! What stands between several values, and whether it shows that all of them are meant.
//!
//! Values of a list are kept apart by marks, tags, fences, numbers and plain labels. Other words may say that one
//! value stands for another ("or", "corrected:", "my answer:"), and a sentence may do so in any language. So words that
//! are known to say nothing of the kind are passed over, and beside them only a label of a word or two that is not known
//! to say it.

/// How many words a label has at most.
const MAX_WORDS: usize = 6;

/// How many of them may be unknown: a name for an item, with a word before it.
const MAX_UNKNOWN: usize = 2;

/// Words that count, join or name items and nothing else.
const NEUTRAL: &[&str] = &[
    "a", "also", "an", "and", "another", "are", "call", "eighth", "element", "entry", "fifth", "first",
    "fourth", "function", "here", "is", "item", "json", "last", "line", "next", "ninth", "number", "object",
    "of", "one", "part", "plus", "record", "result", "row", "second", "seventh", "sixth", "tenth", "the",
    "then", "third", "tool", "value",
];

/// Words for one of several ways to answer, and words that choose between values or correct them.
const DOUBTFUL: &[&str] = &[
    "actual",
    "actually",
    "aber",
    "after",
    "alternative",
    "alternatively",
    "amended",
    "answer",
    "anstatt",
    "approach",
    "attempt",
    "becomes",
    "before",
    "best",
    "better",
    "bitte",
    "but",
    "candidate",
    "choice",
    "correct",
    "corrected",
    "correction",
    "corrects",
    "draft",
    "either",
    "else",
    "example",
    "expected",
    "final",
    "finally",
    "fix",
    "fixed",
    "guess",
    "hmm",
    "improved",
    "input",
    "instead",
    "iteration",
    "korrektur",
    "korrigiert",
    "mais",
    "maybe",
    "mistake",
    "my",
    "nein",
    "new",
    "no",
    "non",
    "not",
    "o",
    "oder",
    "old",
    "oops",
    "oppure",
    "option",
    "or",
    "original",
    "ou",
    "output",
    "pass",
    "perhaps",
    "pero",
    "possibility",
    "preferred",
    "previous",
    "proposal",
    "rather",
    "really",
    "replace",
    "replaced",
    "replacement",
    "revised",
    "revision",
    "round",
    "scenario",
    "should",
    "solution",
    "sondern",
    "sorry",
    "stattdessen",
    "suggestion",
    "take",
    "trial",
    "try",
    "u",
    "unless",
    "update",
    "updated",
    "v",
    "variant",
    "variante",
    "version",
    "versus",
    "vs",
    "wait",
    "was",
    "wrong",
];

/// Whether a text between two values leaves no doubt that both are meant.
pub(super) fn joins(between: &str) -> bool {
    let mut rest = Rest { text: between };
    let (mut words, mut unknown) = (0, 0);
    while let Some(next) = rest.text.chars().next() {
        let passed = match next {
            '<' => rest.tag(),
            '`' | '~' => rest.fence(next),
            // One sign of equality says something; many are a line.
            '=' => rest.run(next) > 2,
            _ if next.is_alphabetic() => {
                words += 1;
                let word = rest.word();
                unknown += usize::from(word == Word::Unknown);
                words <= MAX_WORDS && unknown <= MAX_UNKNOWN && word != Word::Doubtful
            }
            _ if next.is_whitespace()
                || next.is_ascii_digit()
                || ",;:.-*_#()&+\u{2022}\u{b7}\u{2013}\u{2014}".contains(next) =>
            {
                rest.skip(next.len_utf8());
                true
            }
            _ => false,
        };
        if !passed {
            return false;
        }
    }
    true
}

/// What a word says of the values around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Word {
    /// Nothing.
    Neutral,
    /// Perhaps that one stands for the other.
    Doubtful,
    /// Nobody knows.
    Unknown,
}

/// What has not been looked at yet.
struct Rest<'a> {
    text: &'a str,
}

impl Rest<'_> {
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

    /// A tag, whatever its name: it ends before another begins.
    fn tag(&mut self) -> bool {
        self.skip(1);
        match self.text.find(['<', '>']) {
            Some(end) if self.text.get(end..).is_some_and(|rest| rest.starts_with('>')) => {
                self.skip(end + 1);
                true
            }
            _ => false,
        }
    }

    /// A fence and its name. Fewer tildes strike something out.
    fn fence(&mut self, mark: char) -> bool {
        let length = self.run(mark);
        if length > 2 {
            self.text = self.text.trim_start_matches(|next: char| next.is_ascii_alphanumeric());
        }
        mark == '`' || length > 2
    }

    /// A word, and the number behind it.
    fn word(&mut self) -> Word {
        let rest = self.text.trim_start_matches(char::is_alphabetic);
        let word = self.text.get(..self.text.len() - rest.len()).unwrap_or_default().to_lowercase();
        let number = rest.trim_start_matches([' ', '#', '_', '-']);
        let counted = number.starts_with(|next: char| next.is_ascii_digit());
        self.text = rest;
        match word.as_str() {
            word if DOUBTFUL.contains(&word) => Word::Doubtful,
            word if counted || NEUTRAL.contains(&word) => Word::Neutral,
            _ => Word::Unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::joins;

    #[test]
    fn marks_tags_fences_numbers_and_plain_labels_join() {
        for between in [
            "",
            "\n",
            ", ",
            ";",
            " and ",
            ".\n",
            "\n\n---\n\n",
            "\n=====\n",
            "\n2. ",
            "\n- ",
            "\n* **2)** ",
            "\n```\n\n```json\n",
            "\n~~~\n~~~json5\n",
            "</tool_call>\n<tool_call>",
            "<|tool_call_end|><|tool_call_begin|>",
            "\n\nSecond object: ",
            "\n### Item 2\n",
            "\nItem #2:\n",
            "\n**Product 2:**\n```json\n",
            "\nEintrag 2: ",
            ", then ",
            "\nAnd here is the next one:\n",
            "\nBestellung:\n",
            "\nAnd the second order:\n```json\n",
            " ``` ipsum ```json ",
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
        ] {
            assert!(!joins(between), "{between:?}");
        }
    }
}
