//! The changes that are made to an answer: a closed list.

use serde::Serialize;

/// One change that was made to an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Repair {
    /// What kind of change.
    pub kind: RepairKind,
    /// The place in the accepted value, as people write it.
    pub path: String,
    /// The original text and its replacement.
    pub detail: String,
    /// The byte of the text that was repaired; `None` for a change of shape, which only has a path.
    #[serde(skip)]
    pub at: Option<usize>,
}

impl Repair {
    /// A change that concerns the whole value.
    pub(crate) fn of_whole(kind: RepairKind, detail: impl Into<String>) -> Self {
        Self { kind, path: "$".to_owned(), detail: detail.into(), at: None }
    }
}

/// The kinds of change that lose nothing and invent nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RepairKind {
    /// A comma too many was dropped.
    ExtraComma,
    /// A missing comma or colon was read as if it were there.
    MissingSeparator,
    /// A comment was skipped.
    Comment,
    /// Single, typographic, doubled or triple quotes were read as quotes.
    Quotes,
    /// A quote mark that was missing at one end of a string was read as if it were there.
    MissingQuote,
    /// A key or a string without quotes was read as one.
    Unquoted,
    /// `True`, `None` and other languages' literals were read as JSON's.
    Literal,
    /// A number in another notation (`+1`, `.5`, `1_000`) was read as JSON's.
    NumberForm,
    /// A raw control character inside a string was taken as it is.
    ControlCharacter,
    /// Quote marks inside a string were not escaped.
    InnerQuote,
    /// An escape that JSON does not have was read.
    Escape,
    /// A bracket was missing, doubled or of the wrong kind.
    Bracket,
    /// The text ended early, after a whole token.
    Truncated,
    /// A number, boolean or string was given as another scalar with the same text.
    Coerced,
    /// An object or array was given as a JSON string.
    Unstringified,
    /// `null` was given for an optional member that does not take it.
    DroppedNull,
    /// The value was wrapped in an object with one key.
    Unwrapped,
    /// A bare item was given where a list is asked.
    WrappedInList,
    /// Several values were given where a list of them is asked.
    JoinedValues,
    /// An enum value matched but for letter case.
    EnumCase,
}

impl RepairKind {
    /// What was found, in words.
    pub fn description(self) -> &'static str {
        match self {
            Self::ExtraComma => "extra comma",
            Self::MissingSeparator => "missing comma or colon",
            Self::Comment => "comment",
            Self::Quotes => "non-standard quotes",
            Self::MissingQuote => "missing quote",
            Self::Unquoted => "unquoted string",
            Self::Literal => "literal from another language",
            Self::NumberForm => "number in another notation",
            Self::ControlCharacter => "unescaped control character or unusual space",
            Self::InnerQuote => "unescaped quote in a string",
            Self::Escape => "invalid escape",
            Self::Bracket => "missing, extra or wrong bracket",
            Self::Truncated => "text ends early",
            Self::Coerced => "scalar of the wrong type",
            Self::Unstringified => "JSON inside a string",
            Self::DroppedNull => "null for an optional property",
            Self::Unwrapped => "value inside a wrapper",
            Self::WrappedInList => "single item instead of a list",
            Self::JoinedValues => "several values instead of a list",
            Self::EnumCase => "letter case of an enum value",
        }
    }
}
