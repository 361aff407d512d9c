//! API keys.

use accord_domain::id::KeyId;
use accord_domain::key::Key;
use accord_store::{KeyStore, StoreError};
use async_trait::async_trait;
use jiff::Timestamp;
use rusqlite::params;

use crate::error::is_taken;
use crate::store::SqliteStore;
use crate::value::{micros, named, time, time_if};

#[async_trait]
impl KeyStore for SqliteStore {
    async fn add_key(&self, key: Key) -> Result<(), StoreError> {
        self.write(move |write| {
            let sql = "INSERT INTO keys (id, name, role, hash, created_at, expires_at, last_used_at) \
                       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
            let role = key.role.to_string();
            let mut statement = write.connection().prepare_cached(sql)?;
            match statement.execute(params![
                key.id.as_str(),
                key.name,
                role,
                key.hash,
                micros(key.created_at),
                key.expires_at.map(micros),
                key.last_used_at.map(micros),
            ]) {
                Err(error) if is_taken(&error) => {
                    Err(StoreError::Exists { kind: "key", name: key.id.to_string() }.into())
                }
                added => Ok(added.map(|_| ())?),
            }
        })
        .await
    }

    async fn keys(&self) -> Result<Vec<Key>, StoreError> {
        self.read_by_key(|connection| {
            let sql = "SELECT id, name, role, hash, created_at, expires_at, last_used_at FROM keys \
                       ORDER BY created_at, seq";
            let mut statement = connection.prepare_cached(sql)?;
            let mut rows = statement.query([])?;
            let mut keys = Vec::new();
            while let Some(row) = rows.next()? {
                keys.push(Key {
                    id: KeyId::try_from(row.get::<_, String>(0)?)?,
                    name: row.get(1)?,
                    role: named(row.get_ref(2)?.as_str().map_err(rusqlite::Error::from)?)?,
                    hash: row.get(3)?,
                    created_at: time(row.get(4)?)?,
                    expires_at: time_if(row.get(5)?)?,
                    last_used_at: time_if(row.get(6)?)?,
                });
            }
            Ok(keys)
        })
        .await
    }

    async fn remove_key(&self, key_id: &KeyId) -> Result<(), StoreError> {
        let key_id = key_id.clone();
        self.write(move |write| {
            let mut statement = write.connection().prepare_cached("DELETE FROM keys WHERE id = ?1")?;
            if statement.execute([key_id.as_str()])? == 0 {
                return Err(StoreError::NoSuch { kind: "key", name: key_id.to_string() }.into());
            }
            Ok(())
        })
        .await
    }

    async fn mark_keys_used(&self, used: &[(KeyId, Timestamp)]) -> Result<(), StoreError> {
        let used = used.to_vec();
        self.write(move |write| {
            let sql =
                "UPDATE keys SET last_used_at = ?2 WHERE id = ?1 AND coalesce(last_used_at, ?2 - 1) < ?2";
            let mut statement = write.connection().prepare_cached(sql)?;
            for (id, at) in &used {
                statement.execute(params![id.as_str(), micros(*at)])?;
            }
            Ok(())
        })
        .await
    }
}
