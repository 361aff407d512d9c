//! Values whose quotes are all escaped: they were written into a string that lost its own quotes.

use serde_json::Value;

use crate::parse;
use crate::surround;

/// A value that was escaped once too often.
#[derive(Debug, PartialEq)]
pub(super) struct Escaped {
    pub(super) value: Value,
    /// How many bytes of the text wrote it.
    pub(super) length: usize,
    /// Whether the text goes on as if the value had not ended.
    pub(super) goes_on: bool,
}

/// Reads the escaped value that a text begins with.
pub(super) fn value(text: &str) -> Option<Escaped> {
    if !begins(text) {
        return None;
    }
    let length = length(text)?;
    let value = parse::whole(&unescape(text.get(..length)?)).ok()?;
    Some(Escaped { value, length, goes_on: goes_on(text.get(length..)?) })
}

/// Whether a text ends inside a string with more in it: an escaped value there is quoted, and is not the answer.
pub(super) fn is_quoted(text: &str) -> bool {
    /// A line is looked through so far; strings of answers are shorter.
    const STRETCH: usize = 4096;
    let bytes = text.as_bytes();
    let stretch = bytes.get(bytes.len().saturating_sub(STRETCH)..).unwrap_or_default();
    let line = stretch.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    let marks = line.iter().enumerate().filter(|(at, byte)| {
        **byte == b'"' && at.checked_sub(1).and_then(|before| line.get(before)) != Some(&b'\\')
    });
    !line.ends_with(b"\"") && marks.count() % 2 == 1
}

fn goes_on(behind: &str) -> bool {
    /// As far as a separator and a key reach.
    const STRETCH: usize = 256;
    let stretch: String = behind.trim_start().chars().take(STRETCH).collect();
    surround::goes_on(unescape(&stretch).as_bytes())
}

/// Whether the first string of a value begins with an escaped quote.
pub(super) fn begins(text: &str) -> bool {
    /// So far the first string is looked for: a real value has a handful of other things before it.
    const STRETCH: usize = 256;
    let is_other = |byte: &u8| {
        byte.is_ascii_alphanumeric() || byte.is_ascii_whitespace() || b"{}[],.-+\\".contains(byte)
    };
    let length = text.bytes().take(STRETCH).take_while(is_other).count();
    let before = text.get(..length).unwrap_or_default();
    before.ends_with('\\') && text.get(length..).is_some_and(|rest| rest.starts_with('"'))
}

/// How many bytes it takes until all brackets outside strings are closed.
fn length(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut in_string = false;
    let mut rest = text;
    while let Some((character, behind)) = next(rest) {
        rest = behind;
        match character {
            '"' => in_string = !in_string,
            // The string's own escape: whatever it escapes is content.
            '\\' if in_string => rest = next(rest)?.1,
            '{' | '[' if !in_string => depth += 1,
            '}' | ']' if !in_string => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 {
            return Some(text.len() - rest.len());
        }
    }
    None
}

/// Takes one level of escapes away. What is no escape stays as it is.
fn unescape(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((character, behind)) = next(rest) {
        plain.push(character);
        rest = behind;
    }
    plain
}

/// The first character that a text stands for, and the text behind it.
fn next(text: &str) -> Option<(char, &str)> {
    let mut characters = text.chars();
    let first = characters.next()?;
    let mut behind = characters.clone();
    let escaped = behind.next().filter(|_| first == '\\').and_then(|escaped| match escaped {
        '"' | '\\' | '/' => Some(escaped),
        'n' => Some('\n'),
        'r' => Some('\r'),
        't' => Some('\t'),
        _ => None,
    });
    match escaped {
        Some(escaped) => Some((escaped, behind.as_str())),
        None => Some((first, characters.as_str())),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_value_ends_where_its_brackets_close() {
        let text = r#"{\"a\": \"x } \\\" {\", \"b\": [\"\\n\"]} and {\"a\": 1}"#;
        let read = value(text).unwrap();
        assert_eq!(read.value, json!({"a": "x } \" {", "b": ["\n"]}));
        assert_eq!(&text[read.length..], r#" and {\"a\": 1}"#);
        assert!(!read.goes_on);
    }

    #[test]
    fn a_value_in_a_string_with_more_in_it_is_quoted() {
        for (before, quoted) in [
            ("", false),
            ("\"", false),
            ("he said \"yes\": ", false),
            ("\"reason\": \"was ", true),
            ("\"a\nb ", false),
            ("\"a \\\"b", true),
        ] {
            assert_eq!(is_quoted(before), quoted, "{before}");
        }
    }

    #[test]
    fn a_text_that_goes_on_is_seen() {
        for text in [r#"{\"a\": 1}, \"b\": 2}"#, r#"{\"a\": 1}\n}"#, r#"{\"a\": 1} \"b\": 2}"#] {
            assert!(value(text).is_some_and(|read| read.goes_on), "{text}");
        }
        assert!(value(r#"{\"a\": 1}""#).is_some_and(|read| !read.goes_on));
    }

    #[test]
    fn what_is_not_escaped_or_never_ends_is_no_such_value() {
        assert_eq!(value(r#"{"a": 1}"#), None);
        assert_eq!(value(r#"{\"a\": [1}"#), None);
        assert_eq!(value(r#"{\"a\": \"x"#), None);
    }
}
