//! Values without quotes: numbers, literals, and words that were meant as strings.

use super::omission;
use super::search::Search;
use super::token::{Container, Form, Frame, Mode, Previous, State, Token, What, cost};
use crate::parse::number_length;
use crate::verdict::RepairKind;

/// Literals of JSON and of the languages that models confuse it with.
const LITERALS: &[(&str, Form)] = &[
    ("true", Form::True),
    ("false", Form::False),
    ("null", Form::Null),
    ("True", Form::True),
    ("False", Form::False),
    ("None", Form::Null),
    ("TRUE", Form::True),
    ("FALSE", Form::False),
    ("NULL", Form::Null),
    ("Null", Form::Null),
    ("nil", Form::Null),
    ("undefined", Form::Null),
];

/// Words that stand for no JSON value and are no strings either.
const NOT_VALUES: &[&str] = &["NaN", "nan", "Infinity", "-Infinity", "+Infinity", "inf", "-inf"];

/// The names of types, of JSON's and of those of languages, which say what a value is to be.
const TYPES: &[&str] = &[
    "string", "number", "integer", "boolean", "object", "array", "str", "int", "float", "bool", "dict",
    "i32", "i64", "u32", "u64", "f32", "f64",
];

/// Calls of one argument that write a value: those of MongoDB's shell and of Python's literals. Any other call
/// computes something (`sqrt(16)`, `not(true)`), so its argument is not the value.
const NOTATIONS: &[&str] = &[
    "ObjectId",
    "ObjectID",
    "ISODate",
    "Date",
    "NumberLong",
    "NumberInt",
    "NumberDecimal",
    "NumberDouble",
    "Long",
    "Int32",
    "Double",
    "Decimal128",
    "Timestamp",
    "BinData",
    "HexData",
    "UUID",
    "Decimal",
    "set",
    "frozenset",
    "list",
    "tuple",
    "dict",
];

/// Words that are being read.
struct Words {
    state: State,
    object: bool,
    /// Brackets that were opened among the words.
    nested: u32,
    /// What the marks passed so far make it cost.
    doubt: u32,
    /// How many quote marks were passed.
    marks: u32,
}

impl Search<'_> {
    /// Reads a value that is not a string, an object or an array.
    pub(super) fn bare_value(&mut self, state: State, out: &mut Vec<State>) {
        if self.number(state, out) || self.literal(state, out) {
            return;
        }
        self.call(state, out);
        self.words(state, out);
    }

    fn number(&mut self, state: State, out: &mut Vec<State>) -> bool {
        let rest = self.look.bytes.get(state.at..).unwrap_or_default();
        let plain = number_length(rest);
        let object = self.frame(state.frame).is_some_and(Frame::is_object);
        let other = other_number_length(rest, object);
        if plain > 0 && other <= plain && self.ends_number(state.at + plain, object) {
            out.push(self.scalar(state, plain, Form::Number));
            return true;
        }
        if other > 0 && self.ends_number(state.at + other, object) {
            out.push(self.scalar(state, other, Form::OtherNumber));
            return true;
        }
        false
    }

    /// Whether a number ends here. At the very end of the text it may have been cut, so it does not.
    fn ends_number(&self, at: usize, object: bool) -> bool {
        let blank = self.look.blank(at, false);
        match self.look.byte(at) {
            None => false,
            Some(b',') => !object || !self.look.goes_on_with_digit(at),
            Some(b'}' | b']' | b')' | b'"' | b'`') => true,
            Some(b'{') => true,
            Some(_) if blank.end == at => self.look.is_end(at),
            Some(_) => {
                let next = self.look.byte(blank.end);
                matches!(next, None | Some(b',' | b'}' | b']' | b')' | b'"'))
                    || self.look.is_end(blank.end)
                    || (object && self.look.is_key(blank.end))
                    || (!object && self.look.is_value(blank.end))
            }
        }
    }

    fn literal(&mut self, state: State, out: &mut Vec<State>) -> bool {
        for (word, form) in LITERALS {
            if self.look.starts(state.at, word) && self.ends_word(state.at + word.len()) {
                let plain = matches!(*word, "true" | "false" | "null");
                let state = if plain { state } else { self.note(state, RepairKind::Literal, state.at) };
                out.push(self.scalar(state, word.len(), *form));
                return true;
            }
        }
        false
    }

    fn ends_word(&self, at: usize) -> bool {
        let blank = self.look.blank(at, false);
        match self.look.character(blank.end) {
            None => true,
            Some(',' | '}' | ']' | ')' | '"' | '\'' | '`' | '<') => true,
            Some(_) => blank.line_break || self.look.is_key(blank.end),
        }
    }

    /// `ObjectId("…")`, `set([…])`: a notation of one argument, which is the value.
    fn call(&mut self, state: State, out: &mut Vec<State>) {
        let rest = self.look.text.get(state.at..).unwrap_or_default();
        let length = rest.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
        let known = NOTATIONS.iter().any(|name| rest.get(..length) == Some(*name));
        let argument = self.look.blank(state.at + length + 1, true).end;
        let is_call =
            known && self.look.byte(state.at + length) == Some(b'(') && self.look.is_value(argument);
        if is_call && let Some(opened) = self.open(state, Container::Round) {
            let opened = self.note(opened, RepairKind::StrayText, state.at);
            let cost = opened.cost + cost::SLIGHT;
            out.push(State { at: argument, mode: Mode::Value { first: true }, cost, ..opened });
        }
    }

    /// Words up to a place where they could end.
    fn words(&mut self, state: State, out: &mut Vec<State>) {
        if self.look.is_omission(state.at) {
            return;
        }
        let object = self.frame(state.frame).is_some_and(Frame::is_object);
        let mut words = Words { state, object, nested: 0, doubt: 0, marks: 0 };
        let mut at = state.at;
        while let Some(character) = self.look.character(at) {
            if !self.spend(1) || self.ends_words(&mut words, at, character, out) {
                return;
            }
            at += character.len_utf8();
        }
    }

    /// Looks at one character of some words. True when they certainly end there.
    fn ends_words(&mut self, words: &mut Words, at: usize, character: char, out: &mut Vec<State>) -> bool {
        let spaced = self.look.byte_before(at).is_some_and(|byte| byte <= b' ');
        let ends = match character {
            '"' if at > words.state.at => return self.ends_at_quote(words, at, out),
            ',' if at > words.state.at && words.nested == 0 => self.ends_at_comma(words, at),
            '\n' if at > words.state.at && words.nested == 0 => {
                let ends = self.ends_at_line(words, at);
                // `#` and a word can be a colour or a tag, or else a comment, which ends with its line. And the next
                // line of a list may be its next item, whose comma is missing.
                if !ends && (!words.object || self.look.byte(words.state.at) == Some(b'#')) {
                    return true;
                }
                ends
            }
            '/' | '#' if spaced && self.look.is_omission(at) => return true,
            '/' | '#' => spaced && at > words.state.at && self.look.blank(at, false).comment,
            '<' | '`' | '~' => self.is_over(at),
            '(' | '[' | '{' => {
                words.nested += 1;
                false
            }
            ')' | ']' | '}' if words.nested > 0 => {
                words.nested -= 1;
                false
            }
            ')' | ']' | '}' => true,
            _ => false,
        };
        if ends {
            self.end_words(words.state, at, at, words.doubt, out);
        }
        ends
    }

    /// A quote mark in words: the next key begins, or the words had lost their first mark.
    fn ends_at_quote(&mut self, words: &mut Words, at: usize, out: &mut Vec<State>) -> bool {
        if words.object && self.look.is_quoted_key(at) {
            self.end_words(words.state, at, at, words.doubt, out);
            return true;
        }
        let behind = self.look.blank(at + 1, !words.object).end;
        let closes = matches!(self.look.byte(behind), Some(b',' | b'}' | b']')) || self.look.is_end(behind);
        // Every second mark closes a phrase: `see "notes"` has lost none.
        if closes && words.marks.is_multiple_of(2) {
            let noted = self.note(words.state, RepairKind::MissingQuote, at);
            self.end_words(noted, at, at + 1, words.doubt, out);
        }
        words.doubt += cost::INNER_QUOTE;
        words.marks += 1;
        false
    }

    /// A comma ends an item. In an object it ends a member only if another one begins behind it.
    fn ends_at_comma(&self, words: &Words, at: usize) -> bool {
        let behind = self.look.blank(at + 1, !words.object).end;
        !words.object
            || self.look.is_key(behind)
            || self.look.byte(behind) == Some(b'}')
            || self.look.is_end(behind)
    }

    fn ends_at_line(&self, words: &Words, at: usize) -> bool {
        let behind = self.look.blank(at + 1, !words.object).end;
        let closes = matches!(self.look.byte(behind), Some(b'}' | b']' | b')')) || self.look.is_end(behind);
        closes || (words.object && self.look.is_key(behind))
    }

    fn end_words(&mut self, state: State, end: usize, after: usize, doubt: u32, out: &mut Vec<State>) {
        let words = self.look.text.get(state.at..end).unwrap_or_default().trim_end();
        let lists = self.frame(state.frame).is_some_and(|frame| !frame.is_object());
        let is_none = words.is_empty()
            || NOT_VALUES.contains(&words)
            || is_left_open(words)
            || lists && omission::is_rest(words)
            || is_code(words)
            || is_escaped(words)
            || after == end && ends_in_quotes(words);
        if is_none {
            return;
        }
        let noted = self.note(state, RepairKind::Unquoted, state.at);
        let read = self.scalar(noted, words.len(), Form::Bare);
        out.push(State { at: after, cost: read.cost + cost::BARE + doubt, ..read });
    }

    fn scalar(&mut self, state: State, length: usize, form: Form) -> State {
        let token = Token { start: state.at as u32, end: (state.at + length) as u32, form };
        let read = self.event(state, What::Scalar(token));
        State { at: state.at + length, mode: Mode::After, previous: Previous::Bare, ..read }
    }
}

/// Such words as the functions below look for are few.
const MAX_BYTES: usize = 128;

/// Whether words say that a value has yet to be filled in (`<your answer>`, or the type that it is to have), or
/// that more of them were left out.
fn is_left_open(words: &str) -> bool {
    if words.len() > MAX_BYTES {
        return false;
    }
    let placeholder = words.strip_prefix('<').and_then(|rest| rest.strip_suffix('>'));
    let is_type = |part: &str| TYPES.contains(&part.trim().trim_end_matches("[]"));
    placeholder.is_some_and(|inside| !inside.contains(['<', '>']))
        || words.trim_end_matches(';').split('|').any(is_type)
        || omission::is_and_so_on(words)
}

/// Whether words are not the value but tell how it comes about: a call without arguments (`now()`), an element
/// (`rows[0]`, `env["HOME"]`), a gap in a template (`${name}`, `%s`), a statement or a type (`red;`, `age?: Age`), or the
/// marks of YAML for texts, types and references.
fn is_code(words: &str) -> bool {
    /// How many marks there are at most between the one of a YAML text and the line break.
    const BLOCK_MARKS: usize = 4;
    let is_mark = |byte: &u8| matches!(byte, b'-' | b'+' | b' ' | b'\r' | b'0'..=b'9');
    let behind = words.bytes().skip(1).take(BLOCK_MARKS).find(|byte| !is_mark(byte));
    if words.starts_with(['|', '>']) && behind == Some(b'\n') {
        return true;
    }
    if words.len() > MAX_BYTES {
        return false;
    }
    let is_name = |name: &str| {
        let letter = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'.';
        name.bytes().all(letter)
            && name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
    };
    let called = words.strip_suffix("()").is_some_and(|name| is_name(&name.replace("().", ".")));
    let is_index = |index: &str| {
        index.starts_with(['"', '\''])
            || (!index.is_empty() && index.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let bracket = words.strip_suffix(']').and_then(|rest| rest.split_once('['));
    let element = bracket.is_some_and(|(name, index)| is_name(name) && is_index(index));
    let inside = words.strip_prefix("${").and_then(|rest| rest.strip_suffix('}'));
    let gap = inside.is_some_and(|name| !name.contains('}'));
    let anchor =
        words.strip_prefix('&').and_then(|rest| rest.split_once(' ')).is_some_and(|(name, _)| is_name(name));
    let alias = words.strip_prefix('*').is_some_and(is_name);
    let statement = words.ends_with(';') || words.contains("?:");
    called
        || element
        || gap
        || anchor
        || alias
        || statement
        || words.starts_with("!!")
        || matches!(words, "%s" | "%d")
}

/// Whether words are a string whose quotes are escaped, or what is left of one: nobody meant the backslashes.
fn is_escaped(words: &str) -> bool {
    words.starts_with("\\\"") || words.bytes().all(|byte| byte == b'\\')
}

/// Whether words end in a phrase in quotes that is not all of them: `not "x"`, `y + "x"`, `either 'x' or 'y'`. The
/// phrase alone may be the value.
fn ends_in_quotes(words: &str) -> bool {
    ['"', '\''].into_iter().any(|mark| {
        let phrase = words.strip_suffix(mark).and_then(|rest| rest.rsplit_once(mark));
        phrase.is_some_and(|(before, _)| before.ends_with(char::is_whitespace))
    })
}

/// The length of a number in a notation that JSON does not have: `+1`, `.5`, `1_000`, `0x1f`, and, where a
/// comma cannot separate (`commas`), `1,000.50`.
fn other_number_length(bytes: &[u8], commas: bool) -> usize {
    let sign = usize::from(matches!(bytes.first(), Some(b'+' | b'-')));
    let body = bytes.get(sign..).unwrap_or_default();
    if body.starts_with(b"0x") || body.starts_with(b"0X") {
        let digits = body.iter().skip(2).take_while(|byte| byte.is_ascii_hexdigit()).count();
        return if (1..=16).contains(&digits) { sign + 2 + digits } else { 0 };
    }
    if body.first() == Some(&b'.') {
        let digits = body.iter().skip(1).take_while(|byte| byte.is_ascii_digit()).count();
        return if digits > 0 { sign + 1 + digits + exponent_length(body, 1 + digits) } else { 0 };
    }
    if commas && let Some(length) = grouped_length(body, b',') {
        return sign + length;
    }
    if let Some(length) = underscored_length(body) {
        return sign + length;
    }
    match number_length(body) {
        length if length > 0 && bytes.first() == Some(&b'+') && !body.starts_with(b"-") => sign + length,
        _ => 0,
    }
}

/// The length of the exponent that stands at a place.
fn exponent_length(bytes: &[u8], at: usize) -> usize {
    let behind = bytes.get(at..).unwrap_or_default();
    let sign = usize::from(matches!(behind.get(1), Some(b'+' | b'-')));
    let digits = behind.iter().skip(1 + sign).take_while(|byte| byte.is_ascii_digit()).count();
    if matches!(behind.first(), Some(b'e' | b'E')) && digits > 0 { 1 + sign + digits } else { 0 }
}

/// `12,345,678` and `1,000.50`: groups of three behind a first group of one to three. One group alone is no
/// number: the comma of `48,137` may as well be a decimal one.
fn grouped_length(bytes: &[u8], separator: u8) -> Option<usize> {
    let digits_from = |from: usize| bytes.iter().skip(from).take_while(|byte| byte.is_ascii_digit()).count();
    let mut length = digits_from(0);
    if !(1..=3).contains(&length) || bytes.first() == Some(&b'0') {
        return None;
    }
    let mut groups = 0;
    while bytes.get(length) == Some(&separator) && digits_from(length + 1) == 3 {
        length += 4;
        groups += 1;
    }
    let fraction = if bytes.get(length) == Some(&b'.') { digits_from(length + 1) } else { 0 };
    if fraction > 0 {
        length += 1 + fraction;
    }
    (groups > 1 || (groups == 1 && fraction > 0)).then_some(length)
}

/// `82_461_110`: digits with single underscores between them.
fn underscored_length(bytes: &[u8]) -> Option<usize> {
    let length = bytes.iter().take_while(|byte| byte.is_ascii_digit() || **byte == b'_').count();
    let written = bytes.get(..length)?;
    let tidy = written.contains(&b'_')
        && matches!(written.first(), Some(b'1'..=b'9'))
        && written.last() != Some(&b'_')
        && !written.windows(2).any(|pair| pair == b"__");
    tidy.then_some(length)
}
