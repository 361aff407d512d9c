//! A value whose quotes are all escaped: it was written into a string that lost its own quotes.

use std::ops::Range;

use serde_json::Value;

use crate::account::strict;
use crate::account::{Span, SpanKind};
use crate::parse;
use crate::repair::RepairKind;

/// A value that was escaped once too often.
pub(crate) struct Escaped {
    pub(crate) value: Value,
    pub(crate) spans: Vec<Span>,
    pub(crate) range: Range<usize>,
}

/// Reads the escaped value that begins at a byte, if its first quote is escaped.
pub(crate) fn escaped(text: &str, range: Range<usize>) -> Option<Escaped> {
    let written = text.get(range.clone())?;
    let before = written.get(..written.find('"')?)?.strip_suffix('\\')?;
    if before.contains(|letter: char| !(letter.is_whitespace() || "{[\\n".contains(letter))) {
        return None;
    }
    let (plain, origins) = unescape(written);
    let (value, end) = parse::value_at(&plain, 0).ok()?;
    let origin = |at: usize| origins.get(at).map(|at| range.start + at);
    let mut spans = Vec::new();
    let mut at = range.start;
    let mut inside = Vec::new();
    strict::spans(&plain, 0..end, &mut inside);
    for span in inside {
        for index in span.range {
            let start = origin(index)?;
            let is_quote = span.kind == SpanKind::Structure && plain.as_bytes().get(index) == Some(&b'"');
            if is_quote && start == at {
                return None;
            }
            if start > at {
                spans.push(Span { range: at..start, kind: SpanKind::Repair(RepairKind::Escape) });
            }
            at = origin(index + 1).map_or(range.end, |_| start + 1);
            // An escaped line break is not white space yet.
            let is_same = text.as_bytes().get(start) == plain.as_bytes().get(index);
            let kind = if is_same { span.kind } else { SpanKind::Repair(RepairKind::Escape) };
            match spans.last_mut() {
                Some(last) if kind != SpanKind::Structure && last.kind == kind && last.range.end == start => {
                    last.range.end = at;
                }
                _ => spans.push(Span { range: start..at, kind }),
            }
        }
    }
    Some(Escaped { value, spans, range: range.start..at })
}

/// A text with one level of escapes taken away, and where each byte of it comes from. Other backslashes stay as they are; an
/// escaped line break comes from the letter after the backslash.
fn unescape(text: &str) -> (String, Vec<usize>) {
    let mut plain = String::with_capacity(text.len());
    let mut origins = Vec::with_capacity(text.len() + 1);
    let mut characters = text.char_indices().peekable();
    while let Some((mut at, mut character)) = characters.next() {
        if character == '\\' {
            let escaped = characters.peek().and_then(|(_, escaped)| match escaped {
                '"' | '\\' | '/' => Some(*escaped),
                'n' => Some('\n'),
                'r' => Some('\r'),
                't' => Some('\t'),
                _ => None,
            });
            if let (Some(escaped), Some((behind, _))) = (escaped, characters.peek().copied()) {
                (at, character) = (behind, escaped);
                characters.next();
            }
        }
        origins.extend((0..character.len_utf8()).map(|byte| at + byte));
        plain.push(character);
    }
    origins.push(text.len());
    (plain, origins)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_value_that_is_escaped_once_is_read() {
        let text = r#"x {\"a\": \"b \\\"c\\\" \", \"d\": [1]} and"#;
        let read = escaped(text, 2..text.len()).unwrap();
        assert_eq!(read.value, json!({"a": "b \"c\" ", "d": [1]}));
        assert_eq!(&text[read.range.end..], " and");
    }

    #[test]
    fn other_text_is_not_unescaped() {
        for text in [r#"{"a": 1}"#, r#"{\"a\": [1}"#, r#"{\"a\": \"x"#, r#"{"a\": 1}"#] {
            assert!(escaped(text, 0..text.len()).is_none(), "{text}");
        }
    }
}
