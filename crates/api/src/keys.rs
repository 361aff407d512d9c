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
}
