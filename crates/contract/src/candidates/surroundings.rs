//! The text around a candidate on its lines: whether it shows that the candidate is a part of something damaged.
//!
//! A value in prose has words next to it. A quote without its other half, a bracket that closes what was never opened, or a
//! key before or after a value show that the value is a fragment.

use serde_json::Value;

use super::Candidate;
use crate::lex::Lex;
use crate::verdict::Source;

/// The quotes and brackets of a stretch of text.
#[derive(Debug, Clone, Copy, Default)]
struct Balance {
    quotes: usize,
    /// Openers less closers.
    depth: isize,
    /// The lowest depth on the way.
    lowest: isize,
}

impl Balance {
    fn of(text: &str) -> Self {
        // The brackets of CDATA are marks of the text around.
        let parts = text.split("<![CDATA[").flat_map(|part| part.split("]]>"));
        parts.map(Self::of_part).fold(Self::default(), Self::then)
    }

    fn of_part(text: &str) -> Self {
        let mut balance = Self::default();
        let mut before = b' ';
        for byte in text.bytes() {
            match byte {
                b'"' if before != b'\\' => balance.quotes += 1,
                b'{' | b'[' => balance.depth += 1,
                b'}' | b']' => {
                    balance.depth -= 1;
                    balance.lowest = balance.lowest.min(balance.depth);
                }
                _ => {}
            }
            before = byte;
        }
        balance
    }

    fn then(self, next: Self) -> Self {
        Self {
            quotes: self.quotes + next.quotes,
            depth: self.depth + next.depth,
            lowest: self.lowest.min(self.depth + next.lowest),
        }
    }
}

/// Whether the text before or after a repaired candidate, in its region, leaves nothing open.
pub(crate) fn is_quiet(text: &str) -> bool {
    let balance = Balance::of(text);
    balance.quotes.is_multiple_of(2) && balance.depth == 0 && balance.lowest == 0
}

/// Marks the candidates that are parts of something damaged. Two sweeps over the gaps between candidates, one from each
/// side, so that many candidates on one line cost no more than the line.
pub(super) fn mark_parts(text: &str, items: &mut [Candidate]) {
    let lex = Lex { text };
    let gap = |from: usize, to: usize| text.get(from..to).unwrap_or_default();
    let mut end = 0;
    let mut before = Balance::default();
    let mut behind_damage = false;
    for item in items.iter_mut() {
        let between = gap(end, item.range.start);
        before = match between.rsplit_once('\n') {
            Some((_, line)) => Balance::of(line),
            None => before.then(Balance::of(between)),
        };
        item.is_part = before.quotes % 2 == 1
            || before.depth > 0
            || is_behind_key(between)
            || behind_damage && between.trim() == ","
            || is_notation(lex, item);
        behind_damage = item.reading.is_err();
        end = item.range.end;
    }
    let mut start = text.len();
    let mut behind = Balance::default();
    let mut before_damage = false;
    let mut next_goes_on = false;
    for item in items.iter_mut().rev() {
        let between = gap(item.range.end, start);
        behind = match between.split_once('\n') {
            Some((line, _)) => Balance::of(line),
            None => Balance::of(between).then(behind),
        };
        // A closing bracket after the last of several values closes their container.
        let is_joined = between.trim_matches([' ', '\t', '\r', '\n', ',']).is_empty();
        let goes_on = behind.lowest < 0 || goes_on(lex, item.range.end) || is_joined && next_goes_on;
        item.is_part |= goes_on || behind.quotes % 2 == 1 || before_damage && between.trim() == ",";
        next_goes_on = goes_on;
        before_damage = item.reading.is_err();
        start = item.range.start;
    }
}

/// Whether a key in quotes is directly before.
fn is_behind_key(before: &str) -> bool {
    before.trim_end().strip_suffix(':').is_some_and(|before| before.trim_end().ends_with(['"', '\'']))
}

/// Whether brackets in prose are notation and hold no value: nothing is in the square ones (`- [ ] todo`, `string[]`), or they
/// belong to the word or the brackets directly beside them (`rows[0]`, `f(x)["a"]`, `[words](address)`). What holds an object
/// is a list all the same.
fn is_notation(lex: Lex<'_>, item: &Candidate) -> bool {
    if item.source != Source::Prose {
        return false;
    }
    let before = lex.character_before(item.range.start);
    let is_behind_word =
        before.is_some_and(|before| before.is_ascii_alphanumeric() || matches!(before, '_' | ')' | ']'));
    let is_before_bracket = matches!(lex.byte(item.range.end), Some(b'(' | b'['));
    let is_beside = is_behind_word || is_before_bracket;
    match &item.reading {
        Ok(Value::Array(items)) => items.is_empty() || is_beside && !items.iter().any(Value::is_object),
        Ok(_) => false,
        Err(_) => {
            let first = lex.byte(lex.space_end(item.range.start + 1));
            lex.byte(item.range.start) == Some(b'[') && is_beside && first != Some(b'{')
        }
    }
}

/// Whether the text after it continues the value: with a closing bracket, or with the next member.
fn goes_on(lex: Lex<'_>, end: usize) -> bool {
    let next = lex.space_end(end);
    match lex.byte(next) {
        Some(b'}' | b']') => !lex.starts(next, "]]>"),
        Some(b'"') => lex.quoted_key_end(next).is_some(),
        Some(b',') => lex.quoted_key_end(lex.space_end(next + 1)).is_some(),
        _ => false,
    }
}
