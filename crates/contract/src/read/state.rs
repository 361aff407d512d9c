//! The parts of a reading: frames (open containers), events (what was read) and states.
//!
//! States share their history. Frames and events are in arenas and point back, so a branch costs
//! one state and not a copy of everything read so far.

use crate::account::SpanKind;
use crate::lex::{Quote, Word};

/// The kinds of container. Round brackets are Python's way to write a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Container {
    Object,
    Array,
    Round,
}

impl Container {
    pub(super) fn closer(self) -> u8 {
        match self {
            Self::Object => b'}',
            Self::Array => b']',
            Self::Round => b')',
        }
    }
}

/// An open container and the one around it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame {
    pub(super) container: Container,
    pub(super) parent: u32,
    pub(super) depth: u32,
}

/// The index for "none": no frame is open, no event came before.
pub(super) const NONE: u32 = u32::MAX;

/// How a key or scalar is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// Between quotes, one of which may be missing.
    Quoted(Quote),
    Bare(Word),
}

/// A key or scalar: its content and the quotes around it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Token {
    /// Where the opening quote begins; `start` if there is none.
    pub(super) open: u32,
    pub(super) start: u32,
    pub(super) end: u32,
    /// Where the closing quote ends; `end` if there is none.
    pub(super) close: u32,
    pub(super) form: Form,
    /// How many unescaped quotes are in the content.
    pub(super) inner: u32,
}

/// The content of an event, with the bytes that it consumes.
#[derive(Debug, Clone, Copy)]
pub(super) enum EventKind {
    Open(Container, u32),
    /// A closing bracket; one that is missing or of another kind is a repair.
    Close {
        start: u32,
        end: u32,
        repair: bool,
    },
    /// A closing bracket that is missing at the end of the text.
    Cut(u32),
    /// A separator, or what a repair consumes or adds.
    Mark {
        start: u32,
        end: u32,
        kind: SpanKind,
    },
    Key(Token),
    Scalar(Token),
    /// More of the string before, after a `+` at a byte.
    Append(Token, u32),
}

/// An event and the one before it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Event {
    pub(super) before: u32,
    pub(super) kind: EventKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// A value; `first` when a list has just been opened and may close.
    Value {
        first: bool,
    },
    /// A key; `first` when the object has just been opened and may close.
    Key {
        first: bool,
    },
    Colon,
    /// A comma or the end of the container.
    After,
    /// Inside a string.
    Text(Text),
    /// The root value is complete.
    Done,
}

/// A string that is being read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Text {
    pub(super) role: Role,
    pub(super) quote: Quote,
    pub(super) open: u32,
    pub(super) content: u32,
    /// How many quotes have been taken as content so far.
    pub(super) inner: u32,
    /// Whether the last of them opened a quotation.
    pub(super) in_quotation: bool,
    /// Whether the first of them is at an edge of the content or next to a comma. Alone, it may be the quote of another
    /// string, or one too many.
    pub(super) doubtful: bool,
    /// How many brackets of the content are open.
    pub(super) depth: i32,
    /// A quote where the string could have ended was taken as content because a bracket was open. Then the content must
    /// close it.
    pub(super) enclosed: bool,
}

/// The role of a string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Key,
    Value,
    /// It continues the string before the `+` at this byte.
    Append(u32),
}

/// What the last value in the innermost container was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Previous {
    Nothing,
    /// A string in quotes.
    Text,
    /// A string with quotes inside. In a cut text, the last of them may not belong to the string.
    Quotation,
    /// A number or a word without quotes, which may be half of one at the end of a text.
    Bare,
    Literal,
    Container,
}

/// One point of the search.
#[derive(Debug, Clone, Copy)]
pub(super) struct State {
    pub(super) cost: u32,
    pub(super) at: usize,
    pub(super) mode: Mode,
    pub(super) frame: u32,
    pub(super) event: u32,
    pub(super) previous: Previous,
}

/// What assumptions cost. Only their order and distances matter.
pub(super) mod cost {
    /// A separator in another guise, or left out where a line ends. Words without quotes.
    pub(in crate::read) const SLIGHT: u32 = 1;
    /// A quote inside a string where the string cannot end.
    pub(in crate::read) const INNER_QUOTE: u32 = 1;
    /// A separator left out on one line.
    pub(in crate::read) const SEPARATOR: u32 = 2;
    /// Closing brackets that are missing at the end of the text.
    pub(in crate::read) const CUT: u32 = 2;
    /// A closing bracket that is missing before another, or of the wrong kind.
    pub(in crate::read) const BRACKET: u32 = 3;
    /// A string with an odd number of quotes in it: they come in pairs, most of the time.
    pub(in crate::read) const ODD_QUOTES: u32 = 4;
    /// A quote inside a string where the string could end.
    pub(in crate::read) const INNER_END: u32 = 5;
    /// A quote that is missing at one end of a string.
    pub(in crate::read) const MISSING_QUOTE: u32 = 7;
    /// A quote inside a string where the next member seems to follow.
    pub(in crate::read) const INNER_MEMBER: u32 = 8;
}
