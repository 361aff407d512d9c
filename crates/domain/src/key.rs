//! API keys and what they allow.

use jiff::Timestamp;

use crate::id::KeyId;
use crate::named::named;

named! {
    /// Role of an API key.
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
