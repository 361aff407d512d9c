//! What stands directly before and behind a value: whether it stands by itself, or the text around it is that of a
//! larger value.

use std::ops::Range;

use crate::enclosure;
use crate::scan::Setting;

/// Keys are short; a longer stretch is prose.
pub(crate) const MAX_KEY_BYTES: usize = 128;

/// The literals of JSON, and those of Python.
pub(crate) const LITERALS: &[&[u8]] = &[b"true", b"false", b"null", b"True", b"False", b"None"];

/// How a value stands to the text around it, by what is next to it. `damaged`: something before it began as a value
/// and could not be read.
pub(crate) fn setting(text: &str, range: Range<usize>, damaged: bool) -> Setting {
    let bytes = text.as_bytes();
    let (before, behind) =
        (bytes.get(..range.start).unwrap_or_default(), bytes.get(range.end..).unwrap_or_default());
    let value = bytes.get(range).unwrap_or_default();
    let goes_on = goes_on(behind) && !is_gloss(value, behind);
    let solid = before.trim_ascii_end();
    match solid.split_last() {
        Some((b':', key)) if matches!(key.trim_ascii_end().last(), Some(b'"' | b'\'')) => {
            let gap = before.get(solid.len()..).unwrap_or_default();
            if goes_on || behind.trim_ascii_start().starts_with(b",") || is_key(key, gap) {
                return Setting::Inside;
            }
        }
        Some((b',' | b'[', _)) if damaged => return Setting::Inside,
        _ => {}
    }
    match goes_on {
        true => Setting::Unfinished,
        false => Setting::Free,
    }
}

/// Whether what follows a value goes on as if the value had not ended.
pub(crate) fn goes_on(behind: &[u8]) -> bool {
    let rest = behind.trim_ascii_start();
    let mut after = rest.iter().filter(|byte| !byte.is_ascii_whitespace());
    match after.next() {
        Some(b']') => !rest.starts_with(b"]]>"),
        Some(b'}' | b':') => true,
        Some(b'"') => key_and_value(rest).is_some(),
        Some(b',') => matches!(after.next(), Some(b'"' | b'\'' | b'0'..=b'9' | b'-')),
        _ => false,
    }
}

/// How a value stands to a text in which more brackets close behind it than open. An item that follows it shows that a
/// bracket too many closed the list, or that the one that opened it is lost.
pub(crate) fn setting_before_closers(text: &str, range: Range<usize>, setting: Setting) -> Setting {
    let bytes = text.as_bytes();
    let behind = bytes.get(range.end..).unwrap_or_default();
    let followed = is_followed_by_item(bytes.get(range.clone()).unwrap_or_default(), behind);
    let before = bytes.get(..range.start).unwrap_or_default().trim_ascii_end();
    match setting {
        Setting::Inside => Setting::Inside,
        _ if before.ends_with(b",") && (followed || goes_on(behind)) => Setting::Inside,
        _ if followed => Setting::Unfinished,
        _ => setting,
    }
}

/// Whether what follows a value may be another item. Behind an object that can only be a list or another object, and
/// behind a list no end of a string, because its own end may stand there twice.
fn is_followed_by_item(value: &[u8], behind: &[u8]) -> bool {
    let rest = behind.trim_ascii_start();
    let item = rest.strip_prefix(b",").unwrap_or(rest).trim_ascii_start();
    match item {
        [b'{' | b'[', ..] => true,
        [b'"', b'}' | b']', ..] => false,
        [b'"' | b'-' | b'0'..=b'9', ..] => value.ends_with(b"]"),
        _ => false,
    }
}

/// Whether a bracket that begins no value is a word or two of prose in brackets, such as a name in a template or a
/// reference: other words stand before or behind it, and inside neither a value nor a list.
pub(crate) fn is_aside(text: &str, start: usize) -> bool {
    /// Longer stretches are looked at no further.
    const MAX_ASIDE_BYTES: usize = 128;
    let (before, rest) = text.as_bytes().split_at(start);
    let rest = rest.get(..MAX_ASIDE_BYTES).unwrap_or(rest);
    let close = match rest.first() {
        Some(b'{') => b'}',
        _ => b']',
    };
    let inside = rest.iter().take_while(|byte| Some(*byte) == rest.first()).count();
    let is_mark = |byte: &u8| matches!(byte, b'{' | b'}' | b'[' | b']' | b'"' | b',' | b'\n');
    let Some(length) = rest.iter().skip(inside).position(is_mark) else { return false };
    let closers = rest.get(inside + length..).unwrap_or_default();
    let behind = closers.get(closers.iter().take_while(|byte| **byte == close).count()..).unwrap_or_default();
    let words_follow = behind.first() == Some(&b' ') && behind.get(1).is_some_and(|byte| is_letter(*byte));
    closers.first() == Some(&close)
        && (words_follow || ends_in_word(before))
        && !enclosure::begins_container(text, start)
}

/// Whether words in square brackets are a remark in a line of prose, such as `[citation needed]` or `[ERROR]`, and no
/// list: other words stand behind them, or before them and do not lead to them.
pub(crate) fn is_remark(text: &str, start: usize) -> bool {
    /// Longer stretches are looked at no further.
    const STRETCH: usize = 256;
    const MARKS: [char; 7] = [' ', '\t', '\r', '*', '_', '`', '-'];
    const QUOTES: [char; 5] = ['\'', '`', '\u{201c}', '\u{201e}', '\u{2018}'];
    let Some(inside) = text.get(start..).and_then(|rest| rest.strip_prefix('[')) else { return false };
    if inside.trim_start().starts_with(QUOTES) {
        return false;
    }
    let is_mark = |byte: u8| matches!(byte, b'[' | b']' | b'{' | b'}' | b'"' | b'\n');
    let Some(length) = inside.bytes().take(STRETCH).position(is_mark) else { return false };
    let Some(behind) = inside.get(length..).and_then(|rest| rest.strip_prefix(']')) else { return false };
    let words =
        behind.trim_start_matches(MARKS).trim_start_matches(['.', ',', ';']).trim_start_matches(MARKS);
    let before = text.get(..start).unwrap_or_default().trim_end_matches(MARKS);
    let leads = before.is_empty() || before.ends_with(['\n', ':', '=', '>', '}', ']', '\u{ff1a}']);
    !leads || !(words.is_empty() || words.starts_with(['\n', '<']))
}

/// Where a box begins and where the value in it does, if the brace at a place is that of `\boxed{…}`.
pub(crate) fn boxed(text: &str, brace: usize) -> Option<(usize, usize)> {
    let before = text.get(..brace)?.strip_suffix("\\boxed")?;
    let value = text.get(brace + 1..)?.trim_start();
    let begin = before.trim_end_matches('$').len();
    value.starts_with(['{', '[']).then_some((begin, text.len() - value.len()))
}

/// Whether the quoted words before a colon are the key of what follows, and not the end of a sentence: words come
/// before them, and then the line ends or they are a phrase that nobody would call a member.
fn is_key(before: &[u8], gap: &[u8]) -> bool {
    let Some((quote, quoted)) = before.trim_ascii_end().split_last() else { return false };
    let mut line = quoted.iter().rev().take(MAX_KEY_BYTES).take_while(|byte| **byte != b'\n');
    let Some(length) = line.position(|byte| byte == quote) else { return true };
    let (sentence, name) = quoted.split_at(quoted.len() - length);
    let sentence = sentence.split_last().map_or(sentence, |(_, sentence)| sentence);
    let is_name =
        name.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'$'));
    !ends_in_word(sentence) || (is_name && !gap.contains(&b'\n'))
}

/// Whether a line ends in a word of prose and a space: a literal or a number is the end of a value.
fn ends_in_word(sentence: &[u8]) -> bool {
    let solid = sentence.trim_ascii_end();
    let spaced = sentence.get(solid.len()..).is_some_and(|gap| !gap.is_empty() && !gap.contains(&b'\n'));
    let length = solid.iter().rev().take(MAX_KEY_BYTES).take_while(|byte| is_letter(**byte)).count();
    let word = solid.get(solid.len() - length..).unwrap_or_default();
    spaced && !word.is_empty() && !LITERALS.contains(&word)
}

fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || !byte.is_ascii()
}

/// The key in its quotes that a text begins with, and what stands behind its colon.
fn key_and_value(rest: &[u8]) -> Option<(&[u8], &[u8])> {
    let inside = rest.strip_prefix(b"\"")?;
    let close = inside.iter().take(MAX_KEY_BYTES).position(|byte| *byte == b'"')?;
    let (key, behind) = rest.split_at_checked(close + 2)?;
    Some((key, behind.trim_ascii_start().strip_prefix(b":")?))
}

/// Whether a paragraph behind a value explains in words what a member of it is. No bracket behind it closes anything.
fn is_gloss(value: &[u8], behind: &[u8]) -> bool {
    let rest = behind.trim_ascii_start();
    let gap = behind.get(..behind.len() - rest.len()).unwrap_or_default();
    let paragraph = gap.iter().filter(|byte| **byte == b'\n').count() > 1;
    let Some((key, words)) = key_and_value(rest).filter(|_| paragraph) else { return false };
    let words = words.trim_ascii_start();
    let length = words.iter().take(MAX_KEY_BYTES).take_while(|byte| is_letter(**byte)).count();
    let (first, more) = words.split_at(length);
    !first.is_empty()
        && more.starts_with(b" ")
        && !LITERALS.contains(&first)
        && !words.iter().any(|byte| matches!(byte, b'}' | b']'))
        && value.windows(key.len()).any(|part| part == key)
}
