//! The strict parser: RFC 8259, one value at one position of a text.
//!
//! It differs from `serde_json` where a contract needs it: a key given twice with different values is an
//! error, a reserved key too, numbers stay as written, and an error has a position,
//! so that the search for a value in prose can continue after it and stays linear.

use accord_json::reserved::PREFIX as RESERVED_KEYS;
use serde_json::{Map, Value};

use crate::limits::MAX_DEPTH;
use crate::number;

/// Why a text could not be parsed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ParseError {
    pub(crate) kind: ParseErrorKind,
    /// The byte at which reading stopped.
    pub(crate) at: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ParseErrorKind {
    /// Something else was expected here.
    Expected(&'static str),
    /// The text ended inside the value.
    CutOff,
    /// A duplicate key with different values.
    DuplicateKey(String),
    /// A key that would turn its object into another value.
    ReservedKey(String),
    /// A number has more digits than are kept.
    NumberTooLong,
    /// Nested deeper than the limit.
    TooDeep,
    /// A `\u` escape that is half of a pair, so no text at all.
    LoneSurrogate,
}

impl ParseError {
    pub(crate) fn message(&self) -> String {
        match &self.kind {
            ParseErrorKind::Expected(what) => format!("expected {what}"),
            ParseErrorKind::CutOff => "unexpected end of text".to_owned(),
            ParseErrorKind::DuplicateKey(name) => {
                format!("duplicate key {} with different values", Value::from(name.as_str()))
            }
            ParseErrorKind::ReservedKey(name) => {
                format!("the key {} is reserved; use another name", Value::from(name.as_str()))
            }
            ParseErrorKind::NumberTooLong => {
                "the number has too many digits to be represented exactly".to_owned()
            }
            ParseErrorKind::TooDeep => format!("nested deeper than {MAX_DEPTH} levels"),
            ParseErrorKind::LoneSurrogate => "lone surrogate in a \\u escape".to_owned(),
        }
    }
}

/// Reads one value that begins exactly at `start`; gives back the byte after it.
pub(crate) fn value_at(text: &str, start: usize) -> Result<(Value, usize), ParseError> {
    let mut parser = Parser { text, bytes: text.as_bytes(), at: start };
    let value = parser.value(0)?;
    Ok((value, parser.at))
}

/// Reads a text that is one value and nothing else but white space.
pub(crate) fn whole(text: &str) -> Result<Value, ParseError> {
    let mut parser = Parser { text, bytes: text.as_bytes(), at: 0 };
    parser.skip_blank();
    let value = parser.value(0)?;
    parser.skip_blank();
    match parser.at == text.len() {
        true => Ok(value),
        false => Err(parser.expected("nothing after the value")),
    }
}

struct Parser<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn error(&self, kind: ParseErrorKind) -> ParseError {
        ParseError { kind, at: self.at }
    }

    fn expected(&self, what: &'static str) -> ParseError {
        self.error(if self.at >= self.bytes.len() {
            ParseErrorKind::CutOff
        } else {
            ParseErrorKind::Expected(what)
        })
    }

    fn skip_blank(&mut self) {
        while let Some(b' ' | b'\n' | b'\t' | b'\r') = self.peek() {
            self.at += 1;
        }
    }

    fn value(&mut self, depth: usize) -> Result<Value, ParseError> {
        match self.peek() {
            Some(b'"') => self.string().map(Value::String),
            Some(b'{') => self.object(depth + 1),
            Some(b'[') => self.array(depth + 1),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => self.literal("true", Value::Bool(true)),
            Some(b'f') => self.literal("false", Value::Bool(false)),
            Some(b'n') => self.literal("null", Value::Null),
            _ => Err(self.expected("a value")),
        }
    }

    fn literal(&mut self, word: &'static str, value: Value) -> Result<Value, ParseError> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        if rest.starts_with(word.as_bytes()) {
            self.at += word.len();
            return Ok(value);
        }
        if word.as_bytes().starts_with(rest) {
            self.at = self.bytes.len();
        }
        Err(self.expected("a value"))
    }

    fn object(&mut self, depth: usize) -> Result<Value, ParseError> {
        if depth > MAX_DEPTH {
            return Err(self.error(ParseErrorKind::TooDeep));
        }
        self.at += 1;
        let mut members = Map::new();
        self.skip_blank();
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(Value::Object(members));
        }
        loop {
            if self.peek() != Some(b'"') {
                return Err(self.expected("a key in double quotes"));
            }
            let key_at = self.at;
            let name = self.string()?;
            self.skip_blank();
            if self.peek() != Some(b':') {
                return Err(self.expected("':'"));
            }
            self.at += 1;
            self.skip_blank();
            let value = self.value(depth)?;
            insert(&mut members, name, value).map_err(|kind| ParseError { kind, at: key_at })?;
            self.skip_blank();
            match self.peek() {
                Some(b',') => {
                    self.at += 1;
                    self.skip_blank();
                }
                Some(b'}') => {
                    self.at += 1;
                    return Ok(Value::Object(members));
                }
                _ => return Err(self.expected("',' or '}'")),
            }
        }
    }

    fn array(&mut self, depth: usize) -> Result<Value, ParseError> {
        if depth > MAX_DEPTH {
            return Err(self.error(ParseErrorKind::TooDeep));
        }
        self.at += 1;
        let mut items = Vec::new();
        self.skip_blank();
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(Value::Array(items));
        }
        loop {
            items.push(self.value(depth)?);
            self.skip_blank();
            match self.peek() {
                Some(b',') => {
                    self.at += 1;
                    self.skip_blank();
                }
                Some(b']') => {
                    self.at += 1;
                    return Ok(Value::Array(items));
                }
                _ => return Err(self.expected("',' or ']'")),
            }
        }
    }

    fn number(&mut self) -> Result<Value, ParseError> {
        let start = self.at;
        let end = start + number_length(self.bytes.get(start..).unwrap_or_default());
        if end == start {
            return Err(self.expected("a number"));
        }
        self.at = end;
        let literal = self.text.get(start..end).unwrap_or_default();
        if !number::is_kept(literal) {
            self.at = start;
            return Err(self.error(ParseErrorKind::NumberTooLong));
        }
        // `01` and `1.` are two tokens at best; what follows a number decides.
        match self.peek() {
            Some(b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-') => {
                Err(self.expected("the end of the number"))
            }
            _ => Ok(Value::Number(number::exact(literal))),
        }
    }

    fn string(&mut self) -> Result<String, ParseError> {
        self.at += 1;
        let mut decoded = String::new();
        let mut run_start = self.at;
        loop {
            let Some(byte) = self.peek() else { return Err(self.error(ParseErrorKind::CutOff)) };
            match byte {
                b'"' => {
                    let run = self.text.get(run_start..self.at).unwrap_or_default();
                    self.at += 1;
                    if decoded.is_empty() {
                        return Ok(run.to_owned());
                    }
                    decoded.push_str(run);
                    return Ok(decoded);
                }
                b'\\' => {
                    decoded.push_str(self.text.get(run_start..self.at).unwrap_or_default());
                    self.at += 1;
                    let character = self.escape()?;
                    decoded.push(character);
                    run_start = self.at;
                }
                0..=0x1f => return Err(self.expected("no unescaped control character in a string")),
                _ => self.at += 1,
            }
        }
    }

    fn escape(&mut self) -> Result<char, ParseError> {
        let Some(byte) = self.peek() else { return Err(self.error(ParseErrorKind::CutOff)) };
        self.at += 1;
        Ok(match byte {
            b'"' => '"',
            b'\\' => '\\',
            b'/' => '/',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => return self.unicode(),
            _ => {
                self.at -= 1;
                return Err(self.expected("a valid JSON escape"));
            }
        })
    }

    fn unicode(&mut self) -> Result<char, ParseError> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let digits = rest.iter().take(4).take_while(|byte| byte.is_ascii_hexdigit()).count();
        let Some((character, length)) = unicode_escape(rest) else {
            return Err(match digits {
                4 => self.error(ParseErrorKind::LoneSurrogate),
                _ if digits == rest.len() => self.error(ParseErrorKind::CutOff),
                _ => self.expected("four hexadecimal digits after \\u"),
            });
        };
        self.at += length;
        Ok(character)
    }
}

/// Adds a member. The same key again is harmless with the same value, and an error with another. A reserved key is always
/// one.
pub(crate) fn insert(
    members: &mut Map<String, Value>,
    name: String,
    value: Value,
) -> Result<(), ParseErrorKind> {
    if name.starts_with(RESERVED_KEYS) {
        return Err(ParseErrorKind::ReservedKey(name));
    }
    if let Some(first) = members.get(&name) {
        return match number::same(first, &value) {
            true => Ok(()),
            false => Err(ParseErrorKind::DuplicateKey(name)),
        };
    }
    members.insert(name, value);
    Ok(())
}

/// Whether a text is a JSON number.
pub(crate) fn is_number(text: &str) -> bool {
    !text.is_empty() && number_length(text.as_bytes()) == text.len()
}

/// The length of the JSON number at the beginning of some bytes; zero if there is none.
pub(crate) fn number_length(bytes: &[u8]) -> usize {
    let digits_from = |from: usize| {
        bytes.get(from..).unwrap_or_default().iter().take_while(|byte| byte.is_ascii_digit()).count()
    };
    let mut length = usize::from(bytes.first() == Some(&b'-'));
    match bytes.get(length) {
        Some(b'0') => length += 1,
        Some(b'1'..=b'9') => length += digits_from(length),
        _ => return 0,
    }
    if bytes.get(length) == Some(&b'.') && digits_from(length + 1) > 0 {
        length += 1 + digits_from(length + 1);
    }
    if let Some(b'e' | b'E') = bytes.get(length) {
        let sign = usize::from(matches!(bytes.get(length + 1), Some(b'+' | b'-')));
        if digits_from(length + 1 + sign) > 0 {
            length += 1 + sign + digits_from(length + 1 + sign);
        }
    }
    length
}

/// The character after `\u`, and how many bytes wrote it; a pair counts as one character.
pub(crate) fn unicode_escape(bytes: &[u8]) -> Option<(char, usize)> {
    let unit = |from: usize| -> Option<u32> {
        let digits = bytes.get(from..from + 4)?;
        digits.iter().all(u8::is_ascii_hexdigit).then_some(())?;
        u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
    };
    let first = unit(0)?;
    if !(0xd800..0xdc00).contains(&first) {
        return Some((char::from_u32(first)?, 4));
    }
    bytes.get(4..6).filter(|mark| *mark == b"\\u")?;
    let second = unit(6).filter(|second| (0xdc00..0xe000).contains(second))?;
    Some((char::from_u32(0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00))?, 10))
}
