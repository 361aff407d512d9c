//! API keys.

use accord_domain::id::KeyId;
use accord_domain::key::Role;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// Request to create an API key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateKey {
    /// Role.
    pub role: Role,
    /// Display name.
    #[serde(default)]
    pub name: String,
    /// Expiry time; never expires if omitted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    pub expires_at: Option<Timestamp>,
}

/// Who is asking.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct MeView {
    /// Role of the API key; `admin` if no key is required.
    pub role: Role,
    /// Whether requests need an API key. False if there are no keys.
    pub key_required: bool,
    /// Id of the API key; null if none is required.
    pub key_id: Option<KeyId>,
    /// Display name of the API key; null if none is required.
    pub name: Option<String>,
    /// Expiry time of the API key; null if it never expires.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub expires_at: Option<Timestamp>,
}

/// A created API key. The secret is shown only once.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct CreatedKey {
    /// Id.
    pub key_id: KeyId,
    /// Display name.
    pub name: String,
    /// Role.
    pub role: Role,
    /// The secret to send as `Authorization: Bearer`. It is not stored and cannot be shown again.
    pub key: String,
    /// Creation time.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    /// Expiry time; null if it never expires.
    #[serde(default)]
    #[schema(value_type = Option<String>, format = DateTime)]
    pub expires_at: Option<Timestamp>,
}

/// An API key, without its secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct KeyView {
    /// Id.
    pub key_id: KeyId,
    /// Display name.
    pub name: String,
    /// Role.
    pub role: Role,
    /// Creation time.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    /// Expiry time; null if it never expires.
    #[serde(default)]
    #[schema(value_type = Option<String>, format = DateTime)]
    pub expires_at: Option<Timestamp>,
    /// Time of the last use; null if never used.
    #[serde(default)]
    #[schema(value_type = Option<String>, format = DateTime)]
    pub last_used_at: Option<Timestamp>,
}
