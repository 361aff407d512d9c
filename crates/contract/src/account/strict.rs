//! The spans of a text that is JSON.

use std::ops::Range;

use super::{Span, SpanKind};

/// Adds the spans of the JSON value at a range.
pub(crate) fn spans(text: &str, range: Range<usize>, spans: &mut Vec<Span>) {
    let bytes = text.as_bytes();
    let mut at = range.start;
    let mut push = |range: Range<usize>, kind| {
        if !range.is_empty() {
            spans.push(Span { range, kind });
        }
    };
    while at < range.end {
        let rest = bytes.get(at..range.end).unwrap_or_default();
        let run = |accept: fn(u8) -> bool| rest.iter().take_while(|byte| accept(**byte)).count();
        match rest.first() {
            Some(b'"') => {
                let content = content_length(rest.get(1..).unwrap_or_default());
                push(at..at + 1, SpanKind::Structure);
                push(at + 1..at + 1 + content, SpanKind::Value);
                at += 1 + content;
                push(at..range.end.min(at + 1), SpanKind::Structure);
                at += 1;
            }
            Some(byte) if byte.is_ascii_whitespace() => {
                let length = run(|byte| byte.is_ascii_whitespace());
                push(at..at + length, SpanKind::Space);
                at += length;
            }
            Some(b'{' | b'}' | b'[' | b']' | b',' | b':') => {
                push(at..at + 1, SpanKind::Structure);
                at += 1;
            }
            _ => {
                let is_word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'.');
                let length = run(is_word).max(1);
                push(at..at + length, SpanKind::Value);
                at += length;
            }
        }
    }
}

/// The length of the content of a string, up to its closing quote.
fn content_length(bytes: &[u8]) -> usize {
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => return at,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}
