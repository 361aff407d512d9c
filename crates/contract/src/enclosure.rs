//! Which values of a text are parts of a damaged one.
//!
//! A bracket that begins like a container and could not be read still holds what stands in it: the draft that a
//! reason quotes, the member before the fault. A part is not the answer. Where such a container ends is told by
//! its brackets, its quotes and its comments. Braces of prose and of templates hold nothing.
//!
//! Where there is a seam between its beginning and a value, the model broke off and began again: then the container
//! holds the value only if the text behind it goes on as one that holds it would. Without a seam it holds all that
//! follows, be it that it never ends.

mod ends;
mod left_over;

pub(crate) use self::ends::Ends;
pub(crate) use self::left_over::LeftOver;
use crate::parse;
use crate::scan::{Item, Setting};
use crate::surround::{self, LITERALS, MAX_KEY_BYTES};

/// How often a container that never ends may be followed by another: each is looked through to the end of the
/// text. Models begin again once or twice.
const MAX_RESTARTS: usize = 16;

/// So far the words of a line are looked for: nobody indents further.
const MAX_INDENT: usize = 256;

/// The marks that open a string, and those that close it. Longer ones first.
const QUOTES: [(&[&str], &[&str]); 7] = [
    (&["\"\"\""], &["\"\"\""]),
    (&["'''"], &["'''"]),
    (&["\""], &["\""]),
    (&["'"], &["'"]),
    (&["`"], &["`"]),
    (&["\u{201c}", "\u{201d}", "\u{201e}"], &["\u{201d}", "\u{201c}"]),
    (&["\u{2018}", "\u{2019}", "\u{b4}"], &["\u{2019}", "\u{2018}", "\u{b4}"]),
];

/// Marks the values that stand inside damaged ones.
pub(crate) fn settle(text: &str, items: &mut [Item]) {
    let bytes = text.as_bytes();
    let whole = items.iter().filter_map(|item| Some(item.reading.as_ref().ok()?.range.clone()));
    let left_over = LeftOver::outside(bytes, whole.collect());
    for found in items.iter_mut().filter_map(|item| item.reading.as_mut().ok()) {
        if left_over.behind(found.range.end) {
            found.setting = surround::setting_before_closers(text, found.range.clone(), found.setting);
        }
    }
    let mut ends = Ends::new(bytes);
    let mut enclosure: Option<Enclosure> = None;
    let mut restarts = 0;
    let mut begun_again = Vec::new();
    for (index, item) in items.iter_mut().enumerate() {
        let end = item.reading.as_ref().map_or(item.start, |found| found.range.end);
        let hold = enclosure.as_mut().map_or(Hold::Free, |outer| outer.holds(bytes, item.start, end));
        match (&mut item.reading, hold) {
            (Ok(found), Hold::Part) => found.setting = Setting::Inside,
            (Ok(_), Hold::BeginsAgain) => begun_again.push((index, end)),
            (Err(_), Hold::Free | Hold::BeginsAgain) if begins_container(text, item.start) => {
                restarts += usize::from(hold == Hold::BeginsAgain);
                if restarts <= MAX_RESTARTS {
                    enclosure = Some(Enclosure::new(bytes, item.start, ends.end(item.start)));
                }
            }
            _ => {}
        }
    }
    for index in still_held(bytes, &begun_again) {
        if let Some(Ok(found)) = items.get_mut(index).map(|item| &mut item.reading) {
            found.setting = Setting::Inside;
        }
    }
}

/// The values that seem to begin again and behind which the text goes on as what they stand in would: the string
/// around them ends, or a bracket closes that was open before them. A bracket that prose speaks of closes nothing.
fn still_held(bytes: &[u8], begun_again: &[(usize, usize)]) -> Vec<usize> {
    let left_over = LeftOver::new(bytes);
    let goes_on = |end: usize| match behind(bytes.get(end..).unwrap_or_default()) {
        Behind::EndOfString => true,
        Behind::Value => left_over.behind(end),
        Behind::Prose => false,
    };
    begun_again.iter().filter(|(_, end)| goes_on(*end)).map(|(index, _)| *index).collect()
}

/// What stands directly behind a value and the fence around it.
enum Behind {
    /// A quote and what follows a string, or the end of a comment.
    EndOfString,
    /// What may stand behind a part.
    Value,
    /// Anything else.
    Prose,
}

fn behind(rest: &[u8]) -> Behind {
    let rest = rest.trim_ascii_start();
    let fence = [b"```".as_slice(), b"~~~"].into_iter().find(|fence| rest.starts_with(fence));
    let rest = rest.get(fence.map_or(0, <[u8]>::len)..).unwrap_or_default().trim_ascii_start();
    match (quote_at(rest), rest.first()) {
        // The end of a code span.
        (_, Some(b'`')) => Behind::Prose,
        (Some((_, length)), _) if ends_string(rest.get(length..).unwrap_or_default()) => Behind::EndOfString,
        (None, Some(b'*')) if rest.starts_with(b"*/") => Behind::EndOfString,
        (Some(_), _) | (None, Some(b',' | b'}' | b']')) => Behind::Value,
        _ => Behind::Prose,
    }
}

fn ends_string(rest: &[u8]) -> bool {
    matches!(rest.trim_ascii_start().first(), Some(b',' | b':' | b'}' | b']'))
}

/// What a damaged container means for a value behind its opening bracket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Hold {
    /// It ended before.
    Free,
    /// It goes on behind the value, or nothing shows that it was left.
    Part,
    /// It was left unfinished, and the value is another attempt.
    BeginsAgain,
}

/// A container that could not be read.
struct Enclosure {
    start: usize,
    /// The byte behind it, if it ends at all.
    end: Option<usize>,
    /// The mark of its strings.
    quote: u8,
    /// How far it was searched for a seam, and whether there was one.
    searched: usize,
    torn: bool,
    /// Whether that place is inside a string.
    quoted: bool,
    /// The last line break before it, and whether that was inside a string.
    line_break: Option<(usize, bool)>,
}

impl Enclosure {
    fn new(bytes: &[u8], start: usize, end: Option<usize>) -> Self {
        let first = bytes.get(start + 1..).unwrap_or_default().trim_ascii_start().first();
        let quote = if first == Some(&b'\'') { b'\'' } else { b'"' };
        Self { start, end, quote, searched: start, torn: false, quoted: false, line_break: None }
    }

    fn holds(&mut self, bytes: &[u8], start: usize, end: usize) -> Hold {
        if self.end.is_some_and(|own| own <= start) {
            return Hold::Free;
        }
        let closes_behind = self.end.is_some_and(|own| own > end);
        match self.has_seam(bytes, start, closes_behind) {
            true => Hold::BeginsAgain,
            false => Hold::Part,
        }
    }

    fn has_seam(&mut self, bytes: &[u8], start: usize, closes_behind: bool) -> bool {
        let before = bytes.get(self.start..start).unwrap_or_default();
        let solid = before.trim_ascii_end();
        match solid.split_last() {
            // No object begins with a value, so this is no part of one.
            Some((b'{', _)) => return true,
            Some((b',' | b'[', _)) => return false,
            Some((b'"' | b'\'', _)) if solid.len() == before.len() => return false,
            Some((b':', key)) if matches!(key.trim_ascii_end().last(), Some(b'"' | b'\'')) => return false,
            _ => {}
        }
        self.search_seam(bytes, start);
        // What is closed behind the value was hardly left: a line of its own says nothing then, nor does a string that
        // goes over several paragraphs.
        match closes_behind {
            true => self.torn && !self.quoted,
            false => self.torn || self.begins_anew(bytes, solid, start),
        }
    }

    /// Whether the value stands on a new line that is no line of the container: by itself, or behind words.
    fn begins_anew(&self, bytes: &[u8], solid: &[u8], start: usize) -> bool {
        let Some((line_break, false)) = self.line_break else { return false };
        let line = bytes.get(line_break + 1..start).unwrap_or_default();
        let blank = line.iter().take(MAX_INDENT).take_while(|byte| byte.is_ascii_whitespace()).count();
        let line = line.get(blank..).unwrap_or_default();
        if line.is_empty() {
            let is_item = bytes.get(self.start) == Some(&b'[') && matches!(solid.last(), Some(b'}' | b']'));
            return !is_item && !ends_in_bare_key(solid);
        }
        let above = bytes.get(self.start..line_break).unwrap_or_default().trim_ascii_end();
        is_prose(line) && !matches!(above.last(), Some(b',' | b'{' | b'[' | b':'))
    }

    /// Looks for a paragraph, a fence, a closing tag, or the end of the code span that the container began in.
    fn search_seam(&mut self, bytes: &[u8], until: usize) {
        let before = |at: usize| at.checked_sub(1).and_then(|before| bytes.get(before));
        let span = before(self.start) == Some(&b'`');
        while self.searched < until {
            let rest = bytes.get(self.searched + 1..).unwrap_or_default();
            let byte = bytes.get(self.searched);
            let escaped = before(self.searched) == Some(&b'\\');
            self.quoted ^= byte == Some(&self.quote) && !escaped;
            if byte == Some(&b'\n') {
                self.line_break = Some((self.searched, self.quoted));
            }
            self.torn |= match byte {
                Some(b'\n') => {
                    let blank = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r')).count();
                    let line = rest.get(blank..).unwrap_or_default();
                    [b"\n".as_slice(), b"```", b"~~~"].iter().any(|mark| line.starts_with(mark))
                }
                Some(b'<') => {
                    [b"/".as_slice(), b"|", "\u{ff5c}".as_bytes()].iter().any(|mark| rest.starts_with(mark))
                }
                Some(b'`') => span,
                _ => false,
            };
            self.searched += 1;
        }
    }
}

/// Whether the beginning of a line is words or a tag, and not what a line of a container begins with.
fn is_prose(line: &[u8]) -> bool {
    let length = line.iter().take(MAX_KEY_BYTES).take_while(|byte| is_key_byte(**byte)).count();
    let is_key = line.get(length..).unwrap_or_default().trim_ascii() == b":";
    let is_comment = [b"//".as_slice(), b"/*", b"# "].iter().any(|mark| line.starts_with(mark));
    let is_value = matches!(line.first(), Some(b'{' | b'[' | b'}' | b']' | b',' | b':'));
    !is_key && !is_comment && !is_value && quote_at(line).is_none()
}

/// Whether a text ends in a key without quotes and its colon, where a key may stand. A word that begins its line
/// ("Corrected:") is prose.
fn ends_in_bare_key(solid: &[u8]) -> bool {
    let Some((b':', key)) = solid.split_last() else { return false };
    let key = key.trim_ascii_end();
    let length = key.iter().rev().take(MAX_KEY_BYTES).take_while(|byte| is_key_byte(**byte)).count();
    let mut before = key.iter().rev().skip(length).skip_while(|byte| matches!(byte, b' ' | b'\t'));
    length > 0 && matches!(before.next(), Some(b'{' | b','))
}

fn is_key_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'-' | b'.') || !byte.is_ascii()
}

/// Whether the bracket at a place begins an object or a list, well written or not. Words in brackets, sets of
/// numbers and templates do not.
pub(crate) fn begins_container(text: &str, start: usize) -> bool {
    if is_spoken_of(text, start) {
        return false;
    }
    let bytes = text.as_bytes();
    let inside = bytes.get(start + 1..).unwrap_or_default().trim_ascii_start();
    let begins = [b"//".as_slice(), b"/*", b"\\\""].iter().any(|mark| inside.starts_with(mark));
    if begins || quote_at(inside).is_some() {
        return true;
    }
    match bytes.get(start) {
        Some(b'[') => matches!(inside.first(), Some(b'{' | b'[')) || begins_with_scalars(inside),
        _ => {
            let length = inside.iter().take(MAX_KEY_BYTES).take_while(|byte| is_key_byte(**byte)).count();
            let behind = inside.get(length..).unwrap_or_default().trim_ascii_start();
            (length > 0 && behind.starts_with(b":") && !behind.starts_with(b"://"))
                || inside.starts_with(b"# ")
        }
    }
}

/// Whether numbers and literals begin a list and something else follows them: `[1, 'a'`, `[null, {`. By themselves they may
/// be prose.
fn begins_with_scalars(inside: &[u8]) -> bool {
    let mut rest = inside.get(..MAX_KEY_BYTES).unwrap_or(inside);
    loop {
        let length = rest.iter().take_while(|byte| is_key_byte(**byte)).count();
        let (word, behind) = rest.split_at(length);
        let is_gap = |byte: &&u8| **byte == b',' || byte.is_ascii_whitespace();
        let (gap, behind) = behind.split_at(behind.iter().take_while(is_gap).count());
        let is_scalar = parse::number_length(word) == length || LITERALS.contains(&word);
        if length == 0 || gap.is_empty() || !is_scalar {
            return false;
        }
        let opens = gap.contains(&b',') && matches!(behind.first(), Some(b'{' | b'['));
        if opens || quote_at(behind).is_some() || behind.starts_with(b"\\\"") {
            return true;
        }
        rest = behind;
    }
}

/// Whether a bracket stands alone in quotes or in a code span: prose that speaks of it.
fn is_spoken_of(text: &str, start: usize) -> bool {
    let (Some(before), Some(behind)) = (text.get(..start), text.get(start + 1..)) else { return false };
    QUOTES.iter().any(|(openers, closers)| {
        let closed = closers.iter().find_map(|mark| behind.strip_prefix(mark));
        openers.iter().any(|mark| before.ends_with(mark))
            && closed
                .is_some_and(|rest| !rest.starts_with(|next: char| next.is_alphanumeric() || next == '_'))
    })
}

/// The kind of string that begins some bytes, and the length of its mark. Fences begin none.
fn quote_at(bytes: &[u8]) -> Option<(usize, usize)> {
    if bytes.starts_with(b"```") {
        return None;
    }
    QUOTES.iter().enumerate().find_map(|(kind, (openers, _))| {
        let mark = openers.iter().find(|mark| bytes.starts_with(mark.as_bytes()))?;
        Some((kind, mark.len()))
    })
}

#[cfg(test)]
mod tests {
    use crate::scan::{Setting, scan};

    /// How each value that can be read stands in its text.
    fn settings(text: &str) -> Vec<Setting> {
        scan(text).items.iter().filter_map(|item| Some(item.reading.as_ref().ok()?.setting)).collect()
    }

    #[test]
    fn what_a_damaged_value_encloses_is_a_part_of_it() {
        for text in [
            r#"{'reason': 'first I had {"n": 1} but no', 'n': 2}"#,
            r#"{'reason': 'a } b {"n": 1} c', 'n': 2}"#,
            "{\"n\": 2, // not {\"n\": 1} here\n \"reason\": \"x\"}",
            "{\"n\": 2, # not } {\"n\": 1} here\n \"reason\": \"x\"}",
            r#"{"n": 2, /* } not {"n": 1} */ "reason": "x"}"#,
            r#"{draft: {"n": 1}, n: 2}"#,
            r#"{ draft : {"n": 1}, n: 2}"#,
            r#"{entwürfe: {"n": 1}, n: 2}"#,
            r#"{"n": NaN, prev: {"n": 1}, x: 2}"#,
            r#"{“reason”: “draft was {"n": 1} but”, “n”: 2}"#,
            r#"{"reason": """was {"n": 1} once""", "n": 2}"#,
            r#"{"reason": "he said "{"n":1}" ok", "n": 2}"#,
            "{\"reason\": \"he said\n\n\"{\"n\":1}\" ok\", \"n\": 2}",
            "{\"code\": \"\n```json\n{\"n\": 1}\n```\n\", \"n\": 2}",
            r#"[{n: 2} {"n": 1}]"#,
            r#"Sure: {'reason': 'it is {"n": 1}"#,
            "{'reason': 'first\n\nI had {\"n\": 1} but no', 'n': 2}",
            "{\"n\": 2, /*\n not {\"n\": 1}\n*/ \"reason\": \"x\"}",
            "[\n {n: 2}\n {\"n\": 1}\n",
            r#"[1.5, '{"n": 1}', 2]"#,
            r#"[true, “{"n": 1}”]"#,
            r#"[5 "was {"n": 1}", 6]"#,
            r#"[null, 0, {x: 'was {"n": 1}'}]"#,
            r#"[\"was {"n": 1}\", 2]"#,
            "{\n  n: 2,\n  reason: 'a\n{\"n\": 1}\nb',\n}",
        ] {
            assert_eq!(settings(text), [Setting::Inside], "{text}");
        }
    }

    #[test]
    fn all_that_a_damaged_value_quotes_is_a_part_of_it() {
        for text in [
            r#"{"reason": "was {"n": 1} then {"n": 2} at last", "n": 3}"#,
            r#"{"reason": "was {"n": "a"} then {"n": "b"}", "n": "c"}"#,
            r#"{"reason": "was {"n": 1}", "old": "or {"n": 2}", "n": 3}"#,
            r#"{"steps": ["{"n": 1}", "{"n": 2}"]}"#,
        ] {
            assert!(settings(text).iter().all(|setting| *setting == Setting::Inside), "{text}");
        }
    }

    #[test]
    fn braces_of_prose_and_templates_hold_nothing() {
        for text in [
            r#"the set {1, 2} gives {"n": 1}"#,
            r#"on [0, 1) it is {"n": 1}"#,
            r#"[12:00] [3 items] [1, p. 5] [null check] {"n": 1}"#,
            r#"with {{name}} and {value} and ${x}: {"n": 1}"#,
            r#"{% if x %} {"n": 1} {% endif %}"#,
            r#"[TOOL_CALLS]submit[ARGS]{"n": 1}"#,
            r#"In the form {"n": <number>, ...} it is {"n": 1}"#,
            r#"{n: .items|length} gives {"n": 1} in {lat, lon}"#,
            r#"{'a: 1} is wrong and {"n": 1} is right"#,
            r#"{"list": [{"a": 1], "b": ["x"} is wrong and {"n": 1} is right"#,
            "{```json\n{\"n\": 1}\n```}",
            r#":{ no, sorry: {"n": 1}"#,
            "It opens with `{` as in\n```json\n{\"n\": 1}\n```\nand ends with `}`",
            "An object starts with `{`.\n\n{\"n\": 1}\n\nIt ends with `}`.",
            "Missing `[` fixed.\n```json\n{\"n\": 1}\n```\nAlso `]`.",
            r#"The object begins with '{' and is: {"n": 1} as asked."#,
            "It opens with \u{201c}{\u{201d}.\n\n{\"n\": 1}\n\nIt closes with '}'.",
        ] {
            let last = settings(text);
            assert!(
                last.iter().all(|setting| *setting == Setting::Free) && !last.is_empty(),
                "{text}: {last:?}"
            );
        }
    }

    #[test]
    fn an_attempt_that_was_broken_off_holds_no_other() {
        for text in [
            "{\"n\": \n\nSorry, once more: {\"n\": 1}",
            "{\"n\": x,\nLet me start over:\n{\"n\": 1}\nThat is it.",
            "{\"a\": 1\n<answer>{\"n\": 1}</answer>",
            "{\"step\": 1\n**Final:** {\"n\": 1}",
            "Let me start: {\"x\": 1\nNo. Final: {\"n\": 1}",
            "Draft: {\"n\": 1\n\nFinal:\n```json\n{\"n\": 1}\n```\nNote the closing `}`.",
            "First: {\"n\": oops\n\nSecond: {\"n\": 1} for x in (0, 1]",
            "{\"n\": x,\nCorrected:\n{\"n\": 1}",
            "{\"a\": \"x}\n\nCorrected: {\"n\": 1}",
            "```json\n{\"n\": oops\n```\nAgain:\n```json\n{\"n\": 1}\n```",
            r#"<call>{"n": {</call><call>{"n": 1}</call>"#,
            r#"{"name": "f", "n": {{"n": 1}"#,
            r#"It begins with `{"n":` and is {"n": 1}"#,
        ] {
            assert_eq!(settings(text), [Setting::Free], "{text}");
        }
    }

    #[test]
    fn what_is_left_unfinished_without_a_seam_holds_on() {
        for text in [
            "{\"list\": x, \"items\":\n\n{\"n\": 1}",
            "{a: x, final:\n{\"n\": 1}",
            "{'reason': 'a\n{\"n\": 1}\nb', 'n': 2",
            "{'reason': '```json\n{\"n\": 1}\n```', 'n': 2",
            "{\"reason\": \"I said\nthat {\"n\": 1} is it",
            "{\"n\": oops\n\n{'reason': 'it is {\"n\": 1}",
        ] {
            assert_eq!(settings(text), [Setting::Inside], "{text}");
        }
    }
}
