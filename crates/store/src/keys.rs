//! API keys.

use accord_domain::id::KeyId;
use accord_domain::key::Key;
use async_trait::async_trait;
use jiff::Timestamp;

use crate::error::StoreError;

#[async_trait]
pub trait KeyStore: Send + Sync {
    async fn add_key(&self, key: Key) -> Result<(), StoreError>;

    /// All keys, oldest first. They are few.
    async fn keys(&self) -> Result<Vec<Key>, StoreError>;

    async fn remove_key(&self, key_id: &KeyId) -> Result<(), StoreError>;

    /// Notes when keys were last used. An earlier time than the noted one, and a key that is gone, are ignored.
    async fn mark_keys_used(&self, used: &[(KeyId, Timestamp)]) -> Result<(), StoreError>;
}
