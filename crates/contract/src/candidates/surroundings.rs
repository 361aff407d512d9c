//! The text around a candidate on its lines: whether it shows that the candidate is a part of something damaged.
//!
//! A value in prose has words next to it. A quote without its other half, a bracket that closes what was never opened, or a
//! key before or after a value show that the value is a fragment.

use std::ops::Range;

use serde_json::Value;

use super::{Candidate, Candidates, Joint};
use crate::lex::{self, Lex};
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

/// Whether the text after a value goes on with it, so that it does not end there: a closing bracket, the next member or item, dots
/// that mark an omission, or code that makes another value of it. Words are prose.
pub(crate) fn goes_on(text: &str, range: &Range<usize>) -> bool {
    let (lex, end) = (Lex { text }, range.end);
    let next = lex.space_end(end);
    let (space, rest) = (text.get(end..next).unwrap_or_default(), text.get(next..).unwrap_or_default());
    let lines = space.bytes().filter(|byte| *byte == b'\n').count();
    let is_scalar = |at: usize| !matches!(lex.byte(at), Some(b'{' | b'[')) && lex.is_value(at);
    let operators = rest.bytes().take_while(|byte| is_operator(*byte)).count();
    match lex.byte(next) {
        _ if is_inside(lex, end) || lines < 2 && begins_omission(rest) => true,
        // A fence mark does not end a value either. A closer behind a fence that has its opener in front is around the fence.
        Some(b'`' | b'~') => {
            let behind = behind_marks(text, end);
            let is_closer = matches!(lex.byte(behind), Some(b'}' | b']'));
            is_inside(lex, behind) && !(is_closer && is_in_bracketed_fence(text, range.start))
        }
        Some(mark @ (b',' | b':' | b';')) => {
            let behind = lex.space_end(next + 1);
            let is_code = mark == b':' && is_named(rest.trim_start_matches(':')) && space.is_empty();
            is_lone_scalar(lex, behind)
                || mark != b';' && is_scalar(behind)
                || mark == b','
                    && (begins_omission(text.get(behind..).unwrap_or_default()) || is_member(lex, behind))
                || is_code && rest.starts_with("::")
                || is_assigned_again(lex, range.start, next)
        }
        Some(b'.') => {
            is_named(rest.get(1..).unwrap_or_default())
                && (space.is_empty() || is_call(rest.get(1..).unwrap_or_default()))
        }
        // Behind an object it is the mark of a note.
        Some(b'[') => {
            let is_index = text.get(..end).is_some_and(|before| before.ends_with(']'))
                && matches!(lex.byte(next + 1), Some(b'-' | b':' | b'0'..=b'9'));
            space.is_empty() && (is_index || lex.opening_quote(next + 1).is_some())
        }
        Some(_) if operators > 0 => {
            let behind = rest.get(operators..).unwrap_or_default();
            // Directly before a word and behind the value it is code; stars, and the bracket of a tag, are marks of prose.
            let is_adjacent = space.is_empty() && is_named(behind.strip_prefix('.').unwrap_or(behind));
            let is_prose = rest.starts_with(['<', '*', '&', '/']);
            let operand = lex.space_end(next + operators);
            is_adjacent && !is_prose
                || lines == 0 && is_scalar(operand)
                || lines < 2 && is_lone_scalar(lex, operand)
        }
        _ => lines < 2 && is_lone_scalar(lex, next) || is_assigned_again(lex, range.start, next),
    }
}

/// Whether a value that is open where a fence ends goes on after it: behind the marks is what can only be inside a value.
pub(crate) fn goes_on_behind_marks(text: &str, end: usize) -> bool {
    let (lex, at) = (Lex { text }, behind_marks(text, end));
    matches!(lex.byte(at), Some(b',' | b':' | b';' | b'}' | b']'))
        || lex.key_end(at).is_some()
        || lex.is_value(at)
}

/// Whether a value is the first in a fence that directly follows an opening bracket.
fn is_in_bracketed_fence(text: &str, start: usize) -> bool {
    let before = text.get(..start).unwrap_or_default().trim_end();
    let marks = before.trim_end_matches(|letter: char| letter.is_ascii_alphanumeric());
    let fence = ["```", "~~~"].iter().find_map(|mark| marks.strip_suffix(mark));
    fence.is_some_and(|before| before.trim_end_matches(['`', '~']).trim_end().ends_with(['{', '[']))
}

/// The end of the marks of fences that follow, with their names and the space around them.
fn behind_marks(text: &str, end: usize) -> usize {
    let mut rest = text.get(end..).unwrap_or_default().trim_start();
    while let Some(inside) = ["```", "~~~"].iter().find_map(|mark| rest.strip_prefix(mark)) {
        let name = inside.trim_start_matches(['`', '~']);
        rest = name.trim_start_matches(|letter: char| letter.is_ascii_alphanumeric()).trim_start();
    }
    text.len() - rest.len()
}

/// The key of a member without quotes that follows a value on the same or the next line, perhaps as an item of a list or emphasised:
/// `n: 2`, `- **n**: 2`.
pub(crate) fn member_behind(text: &str, end: usize) -> Option<&str> {
    const BULLETS: [char; 7] = ['-', '*', '+', '>', '#', '`', ' '];
    const EMPHASIS: [char; 3] = ['*', '`', ' '];
    let lex = Lex { text };
    let next = lex.space_end(end);
    let lines = text.get(end..next)?.bytes().filter(|byte| *byte == b'\n').count();
    let rest = text.get(next..)?.trim_start_matches(BULLETS);
    let length = lex.bare_key_length(text.len() - rest.len()).filter(|_| lines < 2)?;
    let (key, behind) = rest.split_at_checked(length)?;
    let given = behind.trim_start_matches(EMPHASIS).strip_prefix([':', '='])?.trim_start_matches(EMPHASIS);
    is_lone_scalar(lex, text.len() - given.len()).then_some(key)
}

fn begins_omission(text: &str) -> bool {
    lex::OMISSIONS.iter().any(|mark| text.starts_with(mark))
}

fn is_named(text: &str) -> bool {
    text.starts_with(|first: char| first.is_alphabetic() || first == '_')
}

/// Whether a name and the bracket of its arguments begin a text.
fn is_call(text: &str) -> bool {
    text.trim_start_matches(|letter: char| letter.is_alphanumeric() || letter == '_').starts_with('(')
}

/// Whether a member without quotes is here: `n: 2`, `n=2`.
fn is_member(lex: Lex<'_>, at: usize) -> bool {
    let length = lex.bare_key_length(at).unwrap_or_default();
    let mark = lex.space_end(at + length);
    length > 0 && matches!(lex.byte(mark), Some(b':' | b'=')) && is_lone_scalar(lex, lex.space_end(mark + 1))
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
        && (rest.is_empty() || rest.starts_with(['\n', ',', ':', ';', '}', ']', ')', '<']))
}

/// Whether a value is given to a name, and one of the next statements changes what is under that name: `x["a"] = 2`, `x.a += 1`.
fn is_assigned_again(lex: Lex<'_>, start: usize, next: usize) -> bool {
    /// How much of the text after a value is looked at.
    const LOOKED_AT: usize = 1024;
    let is_name = |letter: char| letter.is_alphanumeric() || letter == '_';
    let before = lex.text.get(..start).unwrap_or_default().trim_end();
    let Some(before) = before.strip_suffix('=') else { return false };
    let line = before.rsplit(['\n', ';']).next().unwrap_or_default();
    let rest = lex.text.get(next..).unwrap_or_default();
    let rest = rest.char_indices().nth(LOOKED_AT).map_or(rest, |(end, _)| rest.split_at(end).0);
    let rest = rest.split_once("```").map_or(rest, |(rest, _)| rest);
    let changes = |statement: &str, name: &str| {
        let Some((place, given)) = statement.strip_prefix(name).and_then(|changed| changed.split_once('='))
        else {
            return false;
        };
        place.starts_with(['[', '.', ' ', '+', '|', '-']) && !place.contains('(') && !given.starts_with('=')
    };
    let names = || line.split(|letter| !is_name(letter)).filter(|name| !name.is_empty());
    let mut statements =
        rest.split(['\n', ';']).map(|statement| statement.trim_start_matches([' ', '\t', '$']));
    statements.any(|statement| names().any(|name| changes(statement, name)))
}
