//! Counting the values of a JSON text before any of them is made.
//!
//! A text is small, but its values need not be: `[` takes one byte, and the list it opens takes hundreds. So whatever comes from
//! outside is scanned first, while it arrives if it comes in pieces, and the readers of this crate take nothing but a [`Checked`]
//! text, which only scanning makes. A scan allocates nothing and does not check syntax: every value after the first needs
//! a bracket or a comma outside of strings, so counting those is enough for valid and for broken texts.

use serde::de::Error as _;

use crate::meter::{Exceeded, Limits};

/// Readers of several kinds of input report both in the same way.
impl From<Exceeded> for serde_json::Error {
    fn from(exceeded: Exceeded) -> Self {
        Self::custom(exceeded)
    }
}

/// A text whose values and nesting are within limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Checked<B>(B);

impl<B: AsRef<[u8]>> Checked<B> {
    /// Scans a whole text.
    pub fn new(text: B, limits: Limits) -> Result<Self, Exceeded> {
        Scan::new(limits).push(text.as_ref()).map(|()| Self(text))
    }

    pub fn bytes(&self) -> &[u8] {
        self.0.as_ref()
    }

    pub fn into_inner(self) -> B {
        self.0
    }

    /// The same text, held in another way.
    pub fn hold<C: From<B>>(self) -> Checked<C> {
        Checked(self.0.into())
    }
}

/// What some editors and servers write before a text in UTF-8. It is no part of the text.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// A text that comes in pieces, each of which is scanned before it is kept.
#[derive(Debug)]
pub struct Pieces {
    scan: Scan,
    text: Vec<u8>,
}

impl Pieces {
    pub fn new(limits: Limits) -> Self {
        Self { scan: Scan::new(limits), text: Vec::new() }
    }

    /// Takes a piece, and says how many values it adds.
    pub fn push(&mut self, piece: &[u8]) -> Result<u64, Exceeded> {
        let before = if self.text.is_empty() { 0 } else { self.scan.values };
        self.scan.push(piece)?;
        self.text.extend_from_slice(piece);
        Ok(if self.text.is_empty() { 0 } else { self.scan.values - before })
    }

    pub fn len(&self) -> usize {
        self.text.len()
    }

    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// The whole text, without a byte-order mark.
    pub fn finish(mut self) -> Checked<Vec<u8>> {
        if self.text.starts_with(BYTE_ORDER_MARK) {
            self.text.drain(..BYTE_ORDER_MARK.len());
        }
        Checked(self.text)
    }
}

#[derive(Debug)]
struct Scan {
    limits: Limits,
    values: u64,
    depth: usize,
    state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Outside,
    InString,
    /// After a backslash in a string.
    Escaped,
}

impl Scan {
    fn new(limits: Limits) -> Self {
        Self { limits, values: 1, depth: 0, state: State::Outside }
    }

    fn push(&mut self, mut piece: &[u8]) -> Result<(), Exceeded> {
        loop {
            piece = match self.state {
                State::Outside => self.skip_to_string(piece)?,
                State::InString => self.skip_string(piece),
                State::Escaped => {
                    self.state = State::InString;
                    piece.get(1..).unwrap_or_default()
                }
            };
            if piece.is_empty() {
                return Ok(());
            }
        }
    }

    /// Counts up to the next string, and returns what follows its quote.
    fn skip_to_string<'a>(&mut self, piece: &'a [u8]) -> Result<&'a [u8], Exceeded> {
        let (mut values, mut depth) = (self.values, self.depth);
        let mut rest = piece.iter();
        for byte in rest.by_ref() {
            match byte {
                b'[' | b'{' => {
                    values += 1;
                    depth += 1;
                    if depth > self.limits.depth {
                        return Err(Exceeded::Depth(self.limits.depth));
                    }
                }
                b',' => values += 1,
                b']' | b'}' => depth = depth.saturating_sub(1),
                b'"' => {
                    self.state = State::InString;
                    break;
                }
                _ => continue,
            }
            if values > self.limits.values {
                return Err(Exceeded::Values(self.limits.values));
            }
        }
        (self.values, self.depth) = (values, depth);
        Ok(rest.as_slice())
    }

    /// What follows the next quote or backslash in a string.
    fn skip_string<'a>(&mut self, piece: &'a [u8]) -> &'a [u8] {
        let Some(at) = piece.iter().position(|byte| matches!(byte, b'"' | b'\\')) else { return &[] };
        self.state = if piece.get(at) == Some(&b'"') { State::Outside } else { State::Escaped };
        piece.get(at + 1..).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    const FEW: Limits = Limits { depth: 4, values: 6, ..Limits::WHOLE };

    fn count(value: &Value) -> u64 {
        1 + match value {
            Value::Array(items) => items.iter().map(count).sum(),
            Value::Object(members) => members.values().map(count).sum::<u64>(),
            _ => 0,
        }
    }

    #[test]
    fn never_fewer_values_are_counted_than_there_are() {
        for text in [
            "0",
            "[]",
            "[1, 2, 3]",
            r#"{"a": 1, "b": [true, null], "c": {}}"#,
            r#"[[[[]]], "[,{\"[", {"[[": "\\"}, ","]"#,
            r#"{"a\\": [1], "\u0022": {"b": [[], []]}}"#,
        ] {
            let value: Value = serde_json::from_str(text).unwrap();
            let mut scan = Scan::new(Limits::WHOLE);
            scan.push(text.as_bytes()).unwrap();
            let empty = text.matches("[]").count() + text.matches("{}").count();
            assert_eq!(scan.values, count(&value) + empty as u64, "{text}");
            assert_eq!((scan.depth, scan.state), (0, State::Outside), "{text}");
        }
    }

    #[test]
    fn the_count_does_not_depend_on_where_a_text_is_cut() {
        let text = r#"{"a\"[": [1, "\\", {"b,": [2, "x\u0022,"]}], "c": "[[[["}"#.as_bytes();
        let limits = Limits { depth: 4, values: 10, ..Limits::WHOLE };
        let whole = Checked::new(text, limits).map(|checked| checked.bytes().to_vec());
        for cut in 0..text.len() {
            let mut pieces = Pieces::new(limits);
            let (left, right) = text.split_at(cut);
            let added = pieces.push(left).and_then(|some| Ok(some + pieces.push(right)?));
            assert_eq!(added, Ok(9), "{cut}");
            assert_eq!(Ok(pieces.finish().into_inner()), whole, "{cut}");
        }
        assert!(whole.is_ok());
        let fewer = Limits { values: 6, ..limits };
        assert_eq!(Checked::new(text, fewer), Err(Exceeded::Values(6)));
    }

    #[test]
    fn a_piece_over_the_limit_is_refused_before_the_rest_comes() {
        let mut pieces = Pieces::new(FEW);
        assert_eq!(pieces.push(b"[1, 2, 3"), Ok(4));
        assert_eq!(pieces.push(b", 4, 5, 6"), Err(Exceeded::Values(6)));
        assert_eq!(pieces.len(), 8);
        assert_eq!(Checked::new("[[[[[", FEW), Err(Exceeded::Depth(4)));
        assert!(Checked::new(r#"["[[[[[,,,,,,,,,"]"#, FEW).is_ok());
    }
}
