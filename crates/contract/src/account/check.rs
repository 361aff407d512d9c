//! The independent checker. It shares nothing with the readers but the type of a span: it decodes strings, numbers and
//! literals by itself and follows the spans through the value.

use serde_json::Value;

use super::{AccountError, Span, SpanKind};
use crate::number;
use crate::repair::RepairKind;

fn wrong(problem: impl Into<String>) -> AccountError {
    AccountError(problem.into())
}

/// Whether spans cover a text without gap or overlap.
pub(super) fn covers(text: &str, spans: &[Span]) -> Result<(), AccountError> {
    let mut at = 0;
    for span in spans {
        if span.range.start != at || span.range.end < at {
            return Err(wrong(format!("bytes {at}..{} belong to no span or to two", span.range.start)));
        }
        let bytes = text.get(span.range.clone()).ok_or_else(|| wrong("a span cuts a character in two"))?;
        if span.kind == SpanKind::Space && !bytes.chars().all(is_space) {
            return Err(wrong(format!("the space at byte {at} is {bytes:?}")));
        }
        if span.kind == SpanKind::Comment && !["//", "/*", "#"].iter().any(|mark| bytes.starts_with(mark)) {
            return Err(wrong(format!("the comment at byte {at} is {bytes:?}")));
        }
        at = span.range.end;
    }
    if at == text.len() {
        Ok(())
    } else {
        Err(wrong(format!("the spans end at byte {at} of {}", text.len())))
    }
}

fn is_space(character: char) -> bool {
    character.is_whitespace()
        || character.is_control()
        || matches!(character, '\u{200b}' | '\u{feff}' | '\u{2060}')
}

/// Whether the spans of one candidate say what a value says, token by token.
pub(super) fn says(text: &str, spans: &[&Span], value: &Value) -> Result<(), AccountError> {
    let mut walk = Walk { text, spans, at: 0 };
    walk.value(value)?;
    match walk.peek() {
        None => Ok(()),
        Some(span) => Err(wrong(format!("byte {} is not in the result", span.range.start))),
    }
}

struct Walk<'a> {
    text: &'a str,
    spans: &'a [&'a Span],
    at: usize,
}

impl<'a> Walk<'a> {
    fn part(&self, span: &Span) -> &'a str {
        self.text.get(span.range.clone()).unwrap_or_default()
    }

    /// Whether a span carries nothing of the value: space, separators, and repairs other than respelled literals.
    fn is_silent(&self, span: &Span) -> bool {
        match span.kind {
            SpanKind::Space | SpanKind::Comment => true,
            SpanKind::Structure => matches!(self.part(span), "," | ":"),
            SpanKind::Repair(kind) => {
                kind != RepairKind::Literal || !self.part(span).starts_with(char::is_alphabetic)
            }
            _ => false,
        }
    }

    fn peek(&mut self) -> Option<&'a Span> {
        while let Some(span) = self.spans.get(self.at) {
            if !self.is_silent(span) {
                return Some(span);
            }
            self.at += 1;
        }
        None
    }

    fn take_bracket(&mut self, bracket: &str) -> bool {
        let found =
            self.peek().is_some_and(|span| span.kind == SpanKind::Structure && self.part(span) == bracket);
        self.at += usize::from(found);
        found
    }

    fn value(&mut self, value: &Value) -> Result<(), AccountError> {
        match value {
            Value::Object(members) => {
                let opened = self.take_bracket("{");
                let mut seen = std::collections::HashSet::new();
                while seen.len() < members.len() || opened && self.is_key() {
                    let name = self.token()?;
                    let member = members
                        .get(&name)
                        .ok_or_else(|| wrong(format!("the key {name:?} is not in the result")))?;
                    seen.insert(name);
                    self.value(member)?;
                }
                self.take_bracket("}");
            }
            Value::Array(items) => {
                self.take_bracket("[");
                items.iter().try_for_each(|item| self.value(item))?;
                self.take_bracket("]");
            }
            scalar => {
                let token = self.token()?;
                if !is_same(&token, scalar) {
                    return Err(wrong(format!("{token:?} was read as {scalar}")));
                }
            }
        }
        Ok(())
    }

    /// Whether another key follows: the same one may be given twice.
    fn is_key(&mut self) -> bool {
        self.peek().is_some_and(|span| {
            span.kind != SpanKind::Structure || !["{", "}", "[", "]"].contains(&self.part(span))
        })
    }

    /// The next key or scalar, decoded. A string is all that is between two quotes, an unquoted token is one span.
    fn token(&mut self) -> Result<String, AccountError> {
        let first = self.peek().ok_or_else(|| wrong("the text has fewer tokens than the result"))?;
        let mut written = String::new();
        if first.kind != SpanKind::Structure {
            self.at += 1;
            return Ok(self.part(first).to_owned());
        }
        if ["{", "}", "[", "]"].contains(&self.part(first)) {
            return Err(wrong(format!(
                "byte {} is a bracket, and the result has a scalar",
                first.range.start
            )));
        }
        self.at += 1;
        loop {
            let span = *self.spans.get(self.at).ok_or_else(|| wrong("a string has no end"))?;
            self.at += 1;
            match span.kind {
                SpanKind::Value => written.push_str(self.part(span)),
                SpanKind::Structure | SpanKind::Repair(RepairKind::MissingQuote) => {
                    return Ok(decode(&written));
                }
                SpanKind::Repair(_) => {}
                _ => {
                    return Err(wrong(format!(
                        "byte {} is inside a string and not part of it",
                        span.range.start
                    )));
                }
            }
        }
    }
}

fn is_same(token: &str, scalar: &Value) -> bool {
    match scalar {
        Value::String(text) => token == text,
        Value::Bool(truth) => token.eq_ignore_ascii_case(if *truth { "true" } else { "false" }),
        Value::Null => {
            ["null", "none", "undefined", "nil"].iter().any(|word| token.eq_ignore_ascii_case(word))
        }
        Value::Number(number) => {
            let plain = token.replace('_', "");
            let (sign, digits) = match plain.strip_prefix('-') {
                Some(digits) => ("-", digits),
                None => ("", plain.strip_prefix('+').unwrap_or(&plain)),
            };
            let zero = if digits.starts_with('.') { "0" } else { "" };
            let digits = digits.strip_suffix('.').unwrap_or(digits);
            number.as_str() == token
                || number::same_number(number, &number::exact(&format!("{sign}{zero}{digits}")))
        }
        Value::Array(_) | Value::Object(_) => false,
    }
}

/// Reads the escapes of a string. Escapes that JSON does not have stay as they are, except an escaped quote.
fn decode(written: &str) -> String {
    let mut out = String::new();
    let mut rest = written.chars();
    let mut high = None;
    while let Some(character) = rest.next() {
        if character != '\\' {
            out.push(character);
            continue;
        }
        match rest.next() {
            Some('u') => {
                let digits: String = rest.as_str().chars().take(4).collect();
                let unit = u32::from_str_radix(&digits, 16).unwrap_or_default();
                rest.by_ref().take(4).for_each(drop);
                let pair = high
                    .take()
                    .map(|high: u32| 0x10000 + ((high - 0xd800) << 10) + (unit.wrapping_sub(0xdc00)));
                match pair {
                    None if (0xd800..0xdc00).contains(&unit) => high = Some(unit),
                    _ => out.extend(char::from_u32(pair.unwrap_or(unit))),
                }
            }
            Some(escape) => match "\"\\/bfnrt".find(escape) {
                Some(index) => out.extend("\"\\/\u{8}\u{c}\n\r\t".chars().nth(index)),
                None if matches!(escape, '\'' | '`') => out.push(escape),
                None => out.extend(['\\', escape]),
            },
            None => out.push('\\'),
        }
    }
    out
}
