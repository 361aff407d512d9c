//! API keys and what they allow.

use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::id::KeyId;

/// Role of an API key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Full access.
    Admin,
    /// Read access; can start and stop runs.
    Caller,
    /// Runner protocol only.
    Runner,
    /// Read access.
    Viewer,
}

impl fmt::Display for Role {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Admin => "admin",
            Self::Caller => "caller",
            Self::Runner => "runner",
            Self::Viewer => "viewer",
        })
    }
}

/// A key as it is stored: the secret itself is not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    /// Its id, which is also the first part of the secret.
    pub id: KeyId,
    pub name: String,
    pub role: Role,
    /// SHA-256 of the secret, in hex.
    pub hash: String,
    pub created_at: Timestamp,
    /// When it stops to be accepted, if ever.
    pub expires_at: Option<Timestamp>,
    /// When it was last used; written once a minute.
    pub last_used_at: Option<Timestamp>,
}
