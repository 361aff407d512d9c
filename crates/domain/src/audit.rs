//! Who asked for work, and who changed what.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::id::{KeyId, RunId};

/// Who created a run. Unknown if no API key was required.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RequestedBy {
    /// The API key. For work started by a run or a workflow run: the key that created that one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_id: Option<KeyId>,
    /// The name of the key at that time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_name: Option<String>,
    /// The run that used its run token.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_id: Option<RunId>,
    /// The `metadata` of the request, where the route takes some.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub metadata: BTreeMap<String, String>,
}

/// Actor of a change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
#[schema(as = AuditActor)]
pub enum Actor {
    /// An API key.
    Key {
        /// The key.
        key_id: KeyId,
        /// The name of the key at that time.
        name: String,
    },
    /// A run, with its run token.
    Run {
        /// The run.
        run_id: RunId,
    },
    /// A one-time link.
    Link,
    /// A request without an API key, when none was required.
    Open,
    /// A command that used the database without a running coordinator.
    CommandLine,
    /// A file in the project was edited outside of Accord.
    FileSystem,
}

impl Actor {
    /// Its kind, as on the wire.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Key { .. } => "key",
            Self::Run { .. } => "run",
            Self::Link => "link",
            Self::Open => "open",
            Self::CommandLine => "command_line",
            Self::FileSystem => "file_system",
        }
    }

    /// The id of the key or of the run.
    #[must_use]
    pub fn id(&self) -> Option<&str> {
        match self {
            Self::Key { key_id, .. } => Some(key_id.as_str()),
            Self::Run { run_id } => Some(run_id.as_str()),
            Self::Link | Self::Open | Self::CommandLine | Self::FileSystem => None,
        }
    }

    /// The name of the key.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Key { name, .. } => Some(name),
            Self::Run { .. } | Self::Link | Self::Open | Self::CommandLine | Self::FileSystem => None,
        }
    }

    /// The actor of these columns; `None` if they do not fit together.
    #[must_use]
    pub fn from_columns(kind: &str, id: Option<String>, name: Option<String>) -> Option<Self> {
        Some(match (kind, id) {
            ("key", Some(id)) => Self::Key { key_id: id.parse().ok()?, name: name? },
            ("run", Some(id)) => Self::Run { run_id: id.parse().ok()? },
            ("link", None) => Self::Link,
            ("open", None) => Self::Open,
            ("command_line", None) => Self::CommandLine,
            ("file_system", None) => Self::FileSystem,
            _ => return None,
        })
    }
}

/// One entry of the audit log. It holds names, ids and hashes: never a secret, never a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub at: Timestamp,
    pub actor: Actor,
    /// The action, such as `key.created`.
    pub action: String,
    /// Id or name of the changed object.
    pub object: Option<String>,
    /// The hash of the definition after the change, where it has one.
    pub hash: Option<String>,
    /// Client address of the request.
    pub address: Option<String>,
    /// The addresses that the request has come by according to its header `X-Forwarded-For`. A client can make them up.
    pub forwarded_for: Option<String>,
}
