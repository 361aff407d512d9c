//! API keys.

use accord_domain::id::KeyId;
use accord_domain::key::Key;
use accord_store::{KeyStore, StoreError};
use async_trait::async_trait;
use jiff::Timestamp;
use sqlx::Row;
use sqlx::postgres::PgRow;

use crate::convert::{id, micros, named, time};
use crate::error::{DbError, retrying};
use crate::store::PostgresStore;
use crate::text::{escape, unescape};

#[async_trait]
impl KeyStore for PostgresStore {
    async fn add_key(&self, key: Key) -> Result<(), StoreError> {
        retrying(|| self.insert_key(&key)).await
    }

    async fn keys(&self) -> Result<Vec<Key>, StoreError> {
        retrying(|| self.read_keys()).await
    }

    async fn remove_key(&self, key_id: &KeyId) -> Result<(), StoreError> {
        retrying(|| self.delete_key(key_id)).await
    }

    async fn mark_keys_used(&self, used: &[(KeyId, Timestamp)]) -> Result<(), StoreError> {
        retrying(|| self.update_keys_used(used)).await
    }
}

const ADD: &str = "
INSERT INTO api_keys (id, name, role, hash, created_at, expires_at, last_used_at)
VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING";

const USED: &str = "
UPDATE api_keys k SET last_used_at = t.at FROM unnest($1::text[], $2::bigint[]) AS t(id, at)
WHERE k.id = t.id AND coalesce(k.last_used_at, t.at - 1) < t.at";

impl PostgresStore {
    async fn insert_key(&self, key: &Key) -> Result<(), DbError> {
        let query = sqlx::query(ADD)
            .bind(key.id.as_str())
            .bind(escape(&key.name))
            .bind(key.role.to_string())
            .bind(&key.hash)
            .bind(micros(key.created_at))
            .bind(key.expires_at.map(micros))
            .bind(key.last_used_at.map(micros));
        if query.execute(&self.pool).await?.rows_affected() == 0 {
            return Err(StoreError::Exists { kind: "key", name: key.id.to_string() }.into());
        }
        Ok(())
    }

    async fn read_keys(&self) -> Result<Vec<Key>, DbError> {
        let rows =
            sqlx::query("SELECT * FROM api_keys ORDER BY created_at, id").fetch_all(&self.pool).await?;
        rows.iter().map(key).collect()
    }

    async fn update_keys_used(&self, used: &[(KeyId, Timestamp)]) -> Result<(), DbError> {
        sqlx::query(USED)
            .bind(used.iter().map(|(id, _)| id.as_str()).collect::<Vec<_>>())
            .bind(used.iter().map(|(_, at)| micros(*at)).collect::<Vec<_>>())
            .execute(&self.pool)
            .await?;
        Ok(())
    }

    async fn delete_key(&self, key_id: &KeyId) -> Result<(), DbError> {
        let query = sqlx::query("DELETE FROM api_keys WHERE id = $1").bind(key_id.as_str());
        if query.execute(&self.pool).await?.rows_affected() == 0 {
            return Err(StoreError::NoSuch { kind: "key", name: key_id.to_string() }.into());
        }
        Ok(())
    }
}

fn key(row: &PgRow) -> Result<Key, DbError> {
    Ok(Key {
        id: id(row.try_get("id")?)?,
        name: unescape(row.try_get("name")?),
        role: named(row.try_get("role")?)?,
        hash: row.try_get("hash")?,
        created_at: time(row.try_get("created_at")?)?,
        expires_at: row.try_get::<Option<i64>, _>("expires_at")?.map(time).transpose()?,
        last_used_at: row.try_get::<Option<i64>, _>("last_used_at")?.map(time).transpose()?,
    })
}
