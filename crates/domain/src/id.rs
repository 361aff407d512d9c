//! Ids. Each kind has its prefix, so that ids of different kinds cannot be confused.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Why a text is not an id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid id '{text}'; expected {prefix} followed by letters or digits")]
pub struct IdError {
    prefix: &'static str,
    text: String,
}

/// An id is at most this long: what we make has 36 characters, or 69 with a SHA-256, and others' are not accepted.
const LONGEST: usize = 72;

fn check(text: &str, prefix: &'static str) -> Result<(), IdError> {
    let rest = text.strip_prefix(prefix).unwrap_or_default();
    let plain = rest.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_');
    if rest.is_empty() || text.len() > LONGEST || !plain {
        let text = text.chars().take(LONGEST).collect();
        return Err(IdError { prefix, text });
    }
    Ok(())
}

macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, utoipa::ToSchema)]
        #[serde(try_from = "String", into = "String")]
        #[schema(value_type = String)]
        pub struct $name(String);

        impl $name {
            /// What every id of this kind begins with.
            pub const PREFIX: &'static str = $prefix;

            /// The id with this unique part.
            pub fn new(unique: impl fmt::Display) -> Self {
                Self(format!("{}{unique}", Self::PREFIX))
            }

            /// The id as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str(&self.0)
            }
        }

        impl FromStr for $name {
            type Err = IdError;

            fn from_str(text: &str) -> Result<Self, IdError> {
                check(text, Self::PREFIX).map(|()| Self(text.to_owned()))
            }
        }

        impl TryFrom<String> for $name {
            type Error = IdError;

            fn try_from(text: String) -> Result<Self, IdError> {
                check(&text, Self::PREFIX).map(|()| Self(text))
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> Self {
                id.0
            }
        }
    };
}

id!(
    /// A session's id.
    SessionId, "ses_"
);
id!(
    /// A run's id.
    RunId, "run_"
);
id!(
    /// A runner's id.
    RunnerId, "rnr_"
);
id!(
    /// The id of one lease on one run.
    LeaseId, "lse_"
);
id!(
    /// The id of an API key.
    KeyId, "key_"
);
id!(
    /// The id of a request for a person's input.
    InputId, "inp_"
);
id!(
    /// The id of one run of a workflow.
    WorkflowRunId, "wfr_"
);
id!(
    /// The id of a file: the SHA-256 of its content, in hexadecimal digits.
    FileId, "file_"
);

/// An event's id: it grows in the order in which events become visible, across all sessions.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Default,
    Serialize,
    Deserialize,
    utoipa::ToSchema,
)]
#[serde(try_from = "String", into = "String")]
#[schema(value_type = String)]
pub struct EventId(pub i64);

impl EventId {
    const PREFIX: &'static str = "evt_";
}

impl fmt::Display for EventId {
    /// Digits enough for every number, so that ids sort as texts too.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}{:019}", Self::PREFIX, self.0)
    }
}

impl FromStr for EventId {
    type Err = IdError;

    /// With or without its prefix: browsers and scripts count from a plain 0.
    fn from_str(text: &str) -> Result<Self, IdError> {
        let digits = text.strip_prefix(Self::PREFIX).unwrap_or(text);
        let number = digits.parse().ok().filter(|number| *number >= 0);
        number
            .map(Self)
            .ok_or_else(|| IdError { prefix: Self::PREFIX, text: text.chars().take(LONGEST).collect() })
    }
}

impl TryFrom<String> for EventId {
    type Error = IdError;

    fn try_from(text: String) -> Result<Self, IdError> {
        text.parse()
    }
}

impl From<EventId> for String {
    fn from(id: EventId) -> Self {
        id.to_string()
    }
}

/// The id of work: of a run, or of a workflow run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum WorkId {
    /// A run.
    Run(RunId),
    /// A workflow run.
    Workflow(WorkflowRunId),
}

impl fmt::Display for WorkId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Run(id) => id.fmt(formatter),
            Self::Workflow(id) => id.fmt(formatter),
        }
    }
}

impl FromStr for WorkId {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, IdError> {
        match text.starts_with(WorkflowRunId::PREFIX) {
            true => text.parse().map(Self::Workflow),
            false => text.parse().map(Self::Run),
        }
    }
}

impl TryFrom<String> for WorkId {
    type Error = IdError;

    fn try_from(text: String) -> Result<Self, IdError> {
        text.parse()
    }
}

impl From<WorkId> for String {
    fn from(id: WorkId) -> Self {
        id.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_round_trips() {
        let id = RunId::new("0190");
        assert_eq!(id.to_string().parse(), Ok(id));
        assert_eq!(EventId(42).to_string(), "evt_0000000000000000042");
        assert_eq!("evt_0000000000000000042".parse(), Ok(EventId(42)));
        assert_eq!("42".parse(), Ok(EventId(42)));
    }

    #[test]
    fn an_id_of_another_kind_is_rejected() {
        for text in ["ses_1", "run_", "run_a b", "run_\0", "", "run_../x"] {
            assert!(text.parse::<RunId>().is_err(), "{text:?}");
        }
        let long = format!("run_{}", "x".repeat(100));
        assert!(long.parse::<RunId>().is_err());
        for text in ["evt_-1", "-1", "evt_", "x"] {
            assert!(text.parse::<EventId>().is_err(), "{text:?}");
        }
    }
}
