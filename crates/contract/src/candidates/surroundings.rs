//! The text around a candidate on its lines: whether it shows that the candidate is a part of something damaged.
//!
//! A value in prose has words next to it. A quote without its other half, a bracket that closes what was never opened, or a
//! key before or after a value show that the value is a fragment.

use std::ops::Range;

use serde_json::Value;

use super::{Candidate, Candidates, Joint};
use crate::lex::Lex;
use crate::parse;
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

/// Drops brackets that hold no value, and marks the candidates that are parts of something larger. Two sweeps over the gaps
/// between candidates, one from each side, so that many candidates on one line cost no more than the line.
pub(super) fn mark_parts(text: &str, found: &mut Candidates) {
    let lex = Lex { text };
    let Candidates { items, outside, .. } = found;
    items.retain(|item| !is_notation(lex, item));
    let gap = |from: usize, to: usize| text.get(from..to).unwrap_or_default();
    let mut end = 0;
    let mut before = Balance::default();
    let mut behind_damage = false;
    let mut behind_value = false;
    for item in items.iter_mut() {
        let between = gap(end, item.range.start);
        before = match between.rsplit_once('\n') {
            Some((_, line)) => Balance::of(line),
            None => before.then(Balance::of(between)),
        };
        item.is_part = before.quotes % 2 == 1
            || before.depth > 0
            || is_behind_key(between)
            || behind_damage && between.trim() == ",";
        item.joint = joint(between).filter(|_| behind_value && item.reading.is_ok());
        (behind_value, behind_damage) = (item.reading.is_ok(), item.reading.is_err());
        end = item.range.end;
    }
    let mut start = text.len();
    let (mut behind, mut line) = (Balance::default(), Balance::default());
    let mut before_damage = false;
    let mut next_goes_on = false;
    let mut marks = outside.iter().rev().peekable();
    for item in items.iter_mut().rev() {
        let between = gap(item.range.end, start);
        line = match between.split_once('\n') {
            Some((line, _)) => Balance::of(line),
            None => Balance::of(between).then(line),
        };
        // A region ends at the mark of a fence or of another region.
        let mut stop = None;
        while let Some(mark) = marks.next_if(|mark| mark.range.start >= item.range.end) {
            stop = Some(mark.range.start);
        }
        behind = match stop {
            Some(stop) => Balance::of(gap(item.range.end, stop)),
            None => Balance::of(between).then(behind),
        };
        // A closing bracket after the last of several values closes their container.
        let is_joined = between.trim_matches([' ', '\t', '\r', '\n', ',']).is_empty();
        // Where a damaged one ends is known only when it has been read.
        let goes_on = match item.reading {
            Ok(_) => behind.lowest < 0 || goes_on(text, &item.range),
            Err(_) => line.lowest < 0 || is_inside(lex, item.range.end),
        };
        let goes_on = goes_on || is_joined && next_goes_on;
        item.is_part |= goes_on || line.quotes % 2 == 1 || before_damage && between.trim() == ",";
        next_goes_on = goes_on;
        before_damage = item.reading.is_err();
        start = item.range.start;
    }
}

/// What makes one of two values: nothing between them, a comma or a colon, or an operator on their line.
fn joint(between: &str) -> Option<Joint> {
    let lines = between.bytes().filter(|byte| *byte == b'\n').count();
    match between.trim() {
        "" => (lines < 2).then_some(Joint::Space),
        "," | ":" | ";" => Some(Joint::Mark),
        mark => (lines == 0 && mark.len() < 3 && mark.bytes().all(is_operator)).then_some(Joint::Operator),
    }
}

fn is_operator(byte: u8) -> bool {
    b"|+-*/%&^=<>?".contains(&byte)
}

/// Whether a key in quotes is directly before.
fn is_behind_key(before: &str) -> bool {
    before.trim_end().strip_suffix(':').is_some_and(|before| before.trim_end().ends_with(['"', '\'']))
}

/// Whether brackets in prose are notation and hold no value: only space is in the square ones (`- [ ] todo`), or they
/// belong to the word or the brackets directly beside them (`rows[0]`, `string[]`, `f(x)["a"]`, `[words](address)`). What
/// holds an object is a list all the same.
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
        Ok(Value::Array(items)) if items.is_empty() => is_beside || item.range.len() > 2,
        Ok(Value::Array(items)) => is_beside && !items.iter().any(Value::is_object),
        Ok(_) => false,
        Err(_) => {
            let first = lex.byte(lex.space_end(item.range.start + 1));
            lex.byte(item.range.start) == Some(b'[') && is_beside && first != Some(b'{')
        }
    }
}

/// Whether the text after a value goes on with it, so that it does not end there: a closing bracket, the next member or item,
/// or code that makes another value of it. Words are prose.
pub(crate) fn goes_on(text: &str, range: &Range<usize>) -> bool {
    let (lex, end) = (Lex { text }, range.end);
    let next = lex.space_end(end);
    let is_near = || lex.text.get(end..next).is_some_and(|space| space.matches('\n').count() < 2);
    let is_on_line = || !lex.text.get(end..next).is_some_and(|space| space.contains('\n'));
    let is_scalar = |at: usize| !matches!(lex.byte(at), Some(b'{' | b'[')) && lex.is_value(at);
    match lex.byte(next) {
        _ if is_inside(lex, end) => true,
        Some(b',' | b':') => is_scalar(lex.space_end(next + 1)),
        Some(b'.') => next == end && lex.byte(next + 1).is_some_and(|byte| byte.is_ascii_alphabetic()),
        Some(b'[') => next == end && lex.opening_quote(next + 1).is_some(),
        Some(byte) if is_operator(byte) && is_on_line() => {
            let rest = lex.text.get(next..).unwrap_or_default();
            let operators = rest.bytes().take_while(|byte| is_operator(*byte)).count();
            is_scalar(lex.space_end(next + operators))
        }
        _ => is_near() && is_lone_scalar(lex, next) || is_assigned_again(lex, range.start, next),
    }
}

/// Whether a closing bracket or the next member follows.
fn is_inside(lex: Lex<'_>, end: usize) -> bool {
    let next = lex.space_end(end);
    match lex.byte(next) {
        Some(b'}' | b']') => !lex.starts(next, "]]>"),
        Some(b'"') => lex.quoted_key_end(next).is_some(),
        Some(b',') => lex.quoted_key_end(lex.space_end(next + 1)).is_some(),
        _ => false,
    }
}

/// Whether a string, a number or a literal is here that begins no sentence: the line or the value ends after it, or goes on
/// with a separator.
fn is_lone_scalar(lex: Lex<'_>, at: usize) -> bool {
    let Ok((_, end)) = parse::value_at(lex.text, at) else { return false };
    let rest = lex.text.get(end..).unwrap_or_default().trim_start_matches([' ', '\t', '\r']);
    !matches!(lex.byte(at), Some(b'{' | b'['))
        && (rest.is_empty() || rest.starts_with(['\n', ',', ':', '}', ']', '<']))
}

/// Whether a value is given to a name, and the next statement changes what is under that name: `x["a"] = 2`, `x.a += 1`.
fn is_assigned_again(lex: Lex<'_>, start: usize, next: usize) -> bool {
    let is_name = |letter: char| letter.is_alphanumeric() || letter == '_';
    let before = lex.text.get(..start).unwrap_or_default().trim_end();
    let Some(before) = before.strip_suffix('=') else { return false };
    let name = before.trim_end().rsplit(|letter| !is_name(letter)).next().unwrap_or_default();
    let rest = lex.text.get(next..).unwrap_or_default();
    let Some(changed) = rest.strip_prefix(name).filter(|_| !name.is_empty()) else { return false };
    let Some((place, given)) = changed.find(['=', '\n', '{']).and_then(|at| changed.split_at_checked(at))
    else {
        return false;
    };
    place.starts_with(['[', '.', ' ', '+', '|']) && given.starts_with('=') && !given.starts_with("==")
}
