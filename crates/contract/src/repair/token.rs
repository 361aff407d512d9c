//! What a reading is made of: frames (open containers), events (what was read) and states.
//!
//! States share their past. Frames and events live in arenas and point back, so that a branch costs one
//! state, not a copy of what was read so far.

use crate::verdict::RepairKind;

/// The kinds of container. Round brackets are another language's list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Container {
    Object,
    Array,
    Round,
}

impl Container {
    /// The bracket that closes it.
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

impl Frame {
    pub(super) fn is_object(self) -> bool {
        self.container == Container::Object
    }
}

/// The index that stands for "none": no frame is open, no event came before.
pub(super) const NONE: u32 = u32::MAX;

/// How the bytes of a token are to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// A string's content, between its quotes.
    Quoted,
    /// A string's content that ends in a backslash which escapes nothing.
    QuotedBackslash,
    /// Words without quotes.
    Bare,
    /// A JSON number.
    Number,
    /// A number in another notation.
    OtherNumber,
    True,
    False,
    Null,
}

/// A token: a range of the text and how to read it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Token {
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) form: Form,
}

/// Something that was read or assumed.
#[derive(Debug, Clone, Copy)]
pub(super) enum What {
    Open(Container),
    Close,
    Key(Token),
    Scalar(Token),
    /// More of the string before, after a `+`.
    Append(Token),
    /// The last key has no value: the text was cut behind it.
    DropKey,
    /// What was read may as well be meant otherwise: the reading cannot win, but no dearer one can either.
    Doubt,
    /// An assumption about damage, at a byte of the text.
    Repair(RepairKind, u32),
}

/// An event and the one before it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Event {
    pub(super) before: u32,
    pub(super) what: What,
}

/// What is expected next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// A value; `first` when the container has just been opened and may close.
    Value {
        first: bool,
    },
    /// A value after a comma.
    Item,
    /// A key or the end of the object; `first` as above.
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
    /// Its surroundings have been priced too.
    Complete,
}

/// A string that is being read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Text {
    pub(super) role: Role,
    pub(super) quote: Quote,
    /// The first byte of the content.
    pub(super) content: u32,
    /// How many quote marks have been taken as content so far.
    pub(super) inner: u32,
    /// The last of them opened a phrase that has not been closed.
    pub(super) open: bool,
    /// One of them closed a phrase that none had opened, so that perhaps the string ended there.
    pub(super) torn: bool,
    /// The byte behind the first mark with a backslash before it; 0 if there is none.
    pub(super) escaped: u32,
}

/// What a string is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Key,
    Value,
    Append,
}

/// The marks that people and models put around strings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quote {
    Double,
    Single,
    Backtick,
    SmartDouble,
    SmartSingle,
    TripleDouble,
    TripleSingle,
    TwiceDouble,
    TwiceSingle,
}

/// What the last value in the innermost container was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Previous {
    Nothing,
    /// A string in quotes: words behind it can be told from it.
    Text,
    /// A number, a literal or bare words.
    Bare,
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

impl State {
    /// Whether no container is open.
    pub(super) fn is_root(self) -> bool {
        self.frame == NONE
    }
}

/// What assumptions cost. Only their order and distances matter; each line says what it competes with.
pub(super) mod cost {
    /// What can be meant in one way only.
    pub(in crate::repair) const NOTHING: u32 = 0;
    /// A comma or colon in another guise, or left out where a line ends.
    pub(in crate::repair) const SLIGHT: u32 = 1;
    /// Words without quotes: dearer than a number or a literal with the same text.
    pub(in crate::repair) const BARE: u32 = 1;
    /// A separator left out on one line.
    pub(in crate::repair) const SEPARATOR: u32 = 2;
    /// A quote mark that could end a string and is taken as content.
    pub(in crate::repair) const INNER_QUOTE: u32 = 4;
    /// A string with an odd number of quote marks in it: they come in pairs, most of the time.
    pub(in crate::repair) const ODD_QUOTES: u32 = 2;
    /// The end of the text in the place of closing brackets.
    pub(in crate::repair) const CUT: u32 = 2;
    /// A bracket, a quote mark or a word too many or too few: dearer than a cut at the end.
    pub(in crate::repair) const DAMAGE: u32 = 3;
    /// The less likely of two ways to mend one bracket.
    pub(in crate::repair) const DAMAGE_UNLIKELY: u32 = 4;
    /// Reading on over what looks in every way like the next member, or past the end of a string.
    pub(in crate::repair) const UNLIKELY: u32 = 6;
}
