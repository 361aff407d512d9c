//! API keys.

use accord_domain::id::KeyId;
use accord_domain::key::Role;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// A key to be made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateKey {
    /// What it allows.
    pub role: Role,
    /// What people call it.
    #[serde(default)]
    pub name: String,
    /// When it stops to be accepted; never, where nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    pub expires_at: Option<Timestamp>,
}

/// A key that was made. The secret is shown this once.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct CreatedKey {
    /// Its id.
    pub key_id: KeyId,
    /// What people call it.
    pub name: String,
    /// What it allows.
    pub role: Role,
    /// What to send as `Authorization: Bearer`. It is not stored and cannot be shown again.
    pub key: String,
    /// When it was made.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    /// When it stops to be accepted; null where it does not.
    #[serde(default)]
    #[schema(value_type = Option<String>, format = DateTime)]
    pub expires_at: Option<Timestamp>,
}

/// A key, without its secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct KeyView {
    /// Its id.
    pub key_id: KeyId,
    /// What people call it.
    pub name: String,
    /// What it allows.
    pub role: Role,
    /// When it was made.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    /// When it stops to be accepted; null where it does not.
    #[serde(default)]
    #[schema(value_type = Option<String>, format = DateTime)]
    pub expires_at: Option<Timestamp>,
    /// When it was last used; null where it was not.
    #[serde(default)]
    #[schema(value_type = Option<String>, format = DateTime)]
    pub last_used_at: Option<Timestamp>,
}
