//! The known misbehaviours and their names.

use std::fmt;

use crate::model::request::RecordedRequest;

macro_rules! misbehaviours {
    ($($(#[doc = $doc:literal])+ $name:ident,)+) => {
        /// One way in which a model or its service misbehaves.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Misbehaviour {
            $($(#[doc = $doc])+ $name,)+
        }

        impl Misbehaviour {
            /// Every misbehaviour.
            pub const ALL: &'static [Self] = &[$(Self::$name),+];

            /// The name, for test messages.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$name => stringify!($name),)+
                }
            }
        }
    };
}

misbehaviours! {
    /// The answer ends at the token limit, and the service reports it.
    Truncated,
    /// The answer ends in the middle, and the service reports it as complete.
    SilentlyTruncated,
    /// The model declines.
    Refused,
    /// Prose without a value.
    Prose,
    /// A successful response without content.
    Empty,
    /// The schema instead of an answer.
    SchemaEcho,
    /// A good answer in a fence, with a fence inside one of its strings.
    FenceInString,
    /// A good answer in a fence.
    Fenced,
    /// A list, or the whole answer, as a string that holds JSON.
    StringifiedList,
    /// An object with a duplicate key.
    DuplicateKeys,
    /// Two different answers in one text.
    TwoAnswers,
    /// The same wrong answer whenever this is chosen.
    SameWrongAnswer,
    /// A value that is not in its enumeration.
    WrongEnum,
    /// A required property is missing.
    MissingField,
    /// A property has the wrong type.
    WrongType,
    /// An unexpected property.
    ExtraField,
    /// A good answer between sentences.
    SurroundingText,
    /// The answer is only inside a reasoning wrapper.
    ThinkOnly,
    /// NUL, escaped in a string or bare in the text.
    NulBytes,
    /// A good answer with characters beyond the basic plane, in it and around it.
    Emoji,
    /// Half of a surrogate pair as an escape.
    LoneSurrogate,
    /// One mebibyte of opening braces.
    ManyBraces,
    /// A good answer as text where it should have been submitted.
    ProseInsteadOfSubmit,
    /// Words that claim the result was submitted, when it was not.
    ClaimsToHaveSubmitted,
    /// Arguments of the submit tool that do not conform.
    SubmitInvalid,
    /// The submit tool called twice in one turn with different values.
    SubmitTwice,
    /// A call of a tool that was not offered.
    UnknownTool,
    /// Arguments of the submit tool that are not JSON.
    ArgumentsNotJson,
    /// The service rejects the schema.
    SchemaRejected,
    /// A 400 about something else.
    BadRequest,
    /// A 401.
    Unauthorized,
    /// A 429.
    RateLimited,
    /// A 429 with a `retry-after` of zero seconds.
    RateLimitedWithRetryAfter,
    /// A 500.
    ServerError,
    /// A 503.
    Unavailable,
    /// A 529, or the closest equivalent of the provider.
    Overloaded,
    /// The service fails after the answer has begun.
    FailsMidway,
    /// The connection is closed before any response.
    DroppedBeforeHeaders,
    /// The connection is closed in the middle of the answer.
    DroppedMidBody,
    /// A status of 200 with a body that does not follow the protocol.
    GarbageBody,
    /// An answer that does not end.
    EndlessStream,
}

impl Misbehaviour {
    /// Whether it is possible with this request at all.
    pub(super) fn fits(self, request: &RecordedRequest) -> bool {
        match self {
            Self::SchemaRejected => request.schema().is_some() || !request.tools().is_empty(),
            Self::ProseInsteadOfSubmit
            | Self::ClaimsToHaveSubmitted
            | Self::SubmitInvalid
            | Self::SubmitTwice
            | Self::ArgumentsNotJson => request.offers_submit(),
            _ => true,
        }
    }
}

impl fmt::Display for Misbehaviour {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}
