//! Escapes foreign text for prompts.
//!
//! Three ways out of a quotation are closed: a closing tag, a closing fence and, for what belongs on one line, a
//! line break. Apart from that the text stays as it is, because a model has to recognise it.

use std::io;

use serde_json::Value;

use crate::violation::escape;

/// How much of a previous answer is shown: its beginning and its end.
const SHOWN_HEAD: usize = 2_000;
const SHOWN_TAIL: usize = 1_000;

/// A value as indented JSON in which a tag can neither be opened nor closed, and which is still the same value. In JSON a `<`
/// only is inside strings, so it can be written as an escape where it would begin one of our tags.
pub(super) fn json(value: &Value, tag: &str) -> String {
    broken_up(&indented(value), tag, "\\u003c")
}

/// How many times as long as compact JSON the indented form may be. That of values as models and people write them is twice as
/// long; at a hundred levels, almost all of it would be spaces.
const LONGEST_INDENTED: usize = 8;

/// A value as indented JSON; as compact JSON where that is far shorter.
pub(super) fn indented(value: &Value) -> String {
    let compact = value.to_string();
    let mut indented = Bounded { bytes: Vec::new(), most: compact.len().saturating_mul(LONGEST_INDENTED) };
    let written = serde_json::to_writer_pretty(&mut indented, value);
    written.ok().and_then(|()| String::from_utf8(indented.bytes).ok()).unwrap_or(compact)
}

/// A text that fails to be written beyond a length.
struct Bounded {
    bytes: Vec<u8>,
    most: usize,
}

impl io::Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.bytes.len() + bytes.len() > self.most {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A fence longer than any run of backticks in a text.
pub(super) fn fence(text: &str) -> String {
    let longest = text.split(|character| character != '`').map(str::len).max().unwrap_or_default();
    "`".repeat((longest + 1).max(3))
}

/// A text in which a tag can neither be opened nor closed.
pub(super) fn tagged(text: &str, tag: &str) -> String {
    broken_up(text, tag, "&lt;")
}

fn broken_up(text: &str, tag: &str, replacement: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(position) = rest.find('<') {
        let (before, from) = rest.split_at(position);
        let after = from.get(1..).unwrap_or_default();
        result.push_str(before);
        result.push_str(if begins_tag(after, tag) { replacement } else { "<" });
        rest = after;
    }
    result.push_str(rest);
    result
}

/// Whether what follows a `<` reads as a tag: letter case, slashes, spaces, dashes of any kind and invisible characters
/// aside. A bracket in between is not such a character: a tag begins at the last one.
fn begins_tag(after: &str, tag: &str) -> bool {
    let mut letters = after
        .chars()
        .take_while(|each| !matches!(each, '<' | '>'))
        .filter(|each| each.is_alphanumeric())
        .flat_map(char::to_lowercase);
    tag.chars().filter(|each| each.is_alphanumeric()).all(|wanted| letters.next() == Some(wanted))
}

/// A text on one line.
pub(super) fn line(text: &str) -> String {
    text.split(|character: char| character.is_control() || matches!(character, '\u{2028}' | '\u{2029}'))
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

/// A name inside double quotes, in which no tag can begin or end.
pub(super) fn attribute(name: &str) -> String {
    let mut result = String::new();
    escape::push_shortened(&mut result, name, '"', usize::MAX);
    result.replace('<', "&lt;").replace('>', "&gt;")
}

/// A text with its middle cut out and control characters made visible.
pub(super) fn shortened(text: &str) -> String {
    let total = text.chars().count();
    if total <= SHOWN_HEAD + SHOWN_TAIL {
        return visible(text.chars());
    }
    let head = visible(text.chars().take(SHOWN_HEAD));
    let tail = visible(text.chars().skip(total - SHOWN_TAIL));
    format!("{head}\n[… {} characters omitted …]\n{tail}", total - SHOWN_HEAD - SHOWN_TAIL)
}

fn visible(characters: impl Iterator<Item = char>) -> String {
    characters.fold(String::new(), |mut result, character| {
        match character {
            '\n' | '\t' => result.push(character),
            _ if character.is_control() || matches!(character, '\u{2028}' | '\u{2029}') => {
                result.extend(character.escape_unicode());
            }
            _ => result.push(character),
        }
        result
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deep_values_are_not_indented() {
        let deep = format!("[{}]", vec![format!("{}{}", "[".repeat(100), "]".repeat(100)); 1_000].join(","));
        let value: Value = serde_json::from_str(&deep).unwrap();
        assert_eq!(indented(&value), deep);
        assert_eq!(indented(&serde_json::json!({"a": [1]})), "{\n  \"a\": [\n    1\n  ]\n}");
    }

    #[test]
    fn a_fence_is_longer_than_any_run_inside() {
        assert_eq!(fence("plain"), "```");
        assert_eq!(fence("a ``` b ````` c"), "``````");
    }

    #[test]
    fn a_tag_is_broken_up_in_every_spelling() {
        assert_eq!(tagged("a </input> b", "input"), "a &lt;/input> b");
        assert_eq!(tagged("< / INPUTS>", "input"), "&lt; / INPUTS>");
        assert_eq!(
            tagged("<\u{200b}/\u{200b}in\u{200b}put>", "input"),
            "&lt;\u{200b}/\u{200b}in\u{200b}put>"
        );
        assert_eq!(tagged("<<input>", "input"), "<&lt;input>");
        assert_eq!(tagged("1 < 2 <b>x</b> <", "input"), "1 < 2 <b>x</b> <");
    }

    #[test]
    fn line_breaks_are_removed() {
        assert_eq!(line("a\r\nb\u{2028}c"), "a b c");
    }

    #[test]
    fn the_middle_of_a_long_text_is_cut_and_counted() {
        let text = format!("{}{}{}", "a".repeat(2_000), "b".repeat(345), "c".repeat(1_000));
        let expected = format!("{}\n[… 345 characters omitted …]\n{}", "a".repeat(2_000), "c".repeat(1_000));
        assert_eq!(shortened(&text), expected);
        assert_eq!(shortened("a\u{0}\r\nb"), "a\\u{0}\\u{d}\nb");
    }
}
