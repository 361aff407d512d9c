//! Files of callers.

use accord_domain::file::FileRef;
use accord_domain::id::FileId;
use accord_store::{FileRecord, FileStore, FileTotals, StoreError};
use async_trait::async_trait;
use jiff::Timestamp;
use sqlx::Row;
use sqlx::postgres::PgRow;

use crate::convert::{count, counted, id, micros, time};
use crate::error::{DbError, retrying};
use crate::store::PostgresStore;
use crate::text::{escape, unescape};

#[async_trait]
impl FileStore for PostgresStore {
    async fn keep_file(&self, record: FileRecord, content: Vec<u8>) -> Result<FileRecord, StoreError> {
        retrying(|| self.write_file(&record, &content)).await
    }

    async fn file(&self, owner: &str, id: &FileId) -> Result<Option<FileRecord>, StoreError> {
        retrying(|| self.read_file(owner, id)).await
    }

    async fn file_content(&self, id: &FileId) -> Result<Option<Vec<u8>>, StoreError> {
        retrying(|| self.read_content(id)).await
    }

    async fn file_totals(&self, owner: &str) -> Result<FileTotals, StoreError> {
        retrying(|| self.count_files(owner)).await
    }

    async fn extend_files(&self, ids: &[FileId], expires_at: Timestamp) -> Result<Vec<FileId>, StoreError> {
        retrying(|| self.write_expiry(ids, expires_at)).await
    }

    async fn remove_file(&self, owner: &str, id: &FileId) -> Result<(), StoreError> {
        retrying(|| self.delete_file(owner, id)).await
    }

    async fn forget_files(&self, before: Timestamp) -> Result<(), StoreError> {
        retrying(|| self.delete_expired(before)).await
    }
}

const FIND: &str = "
SELECT id, owner, name, media_type, bytes, created_at, expires_at FROM files WHERE id = $1 AND owner = $2";

const KEEP: &str = "
INSERT INTO files AS f (id, owner, name, media_type, bytes, created_at, expires_at, content)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
ON CONFLICT (id, owner) DO UPDATE SET expires_at = greatest(f.expires_at, excluded.expires_at)
RETURNING id, owner, name, media_type, bytes, created_at, expires_at";

/// In one order everywhere, so that two writers never wait for each other crosswise.
const EXTEND: &str = "
WITH locked AS MATERIALIZED (SELECT id, owner FROM files WHERE id = ANY($1) ORDER BY id, owner FOR UPDATE)
UPDATE files f SET expires_at = greatest(f.expires_at, $2) FROM locked
WHERE f.id = locked.id AND f.owner = locked.owner
RETURNING f.id";

impl PostgresStore {
    async fn write_file(&self, record: &FileRecord, content: &[u8]) -> Result<FileRecord, DbError> {
        let FileRecord { owner, file, created_at, expires_at } = record;
        let row = sqlx::query(KEEP)
            .bind(file.id.as_str())
            .bind(owner)
            .bind(escape(&file.name))
            .bind(&file.media_type)
            .bind(count(file.bytes))
            .bind(micros(*created_at))
            .bind(micros(*expires_at))
            .bind(content)
            .fetch_one(&self.pool)
            .await?;
        stored(&row)
    }

    async fn read_file(&self, owner: &str, id: &FileId) -> Result<Option<FileRecord>, DbError> {
        let query = sqlx::query(FIND).bind(id.as_str()).bind(owner);
        query.fetch_optional(&self.pool).await?.as_ref().map(stored).transpose()
    }

    async fn read_content(&self, id: &FileId) -> Result<Option<Vec<u8>>, DbError> {
        let query = sqlx::query("SELECT content FROM files WHERE id = $1 LIMIT 1").bind(id.as_str());
        let row = query.fetch_optional(&self.pool).await?;
        Ok(row.map(|row| row.try_get("content")).transpose()?)
    }

    async fn count_files(&self, owner: &str) -> Result<FileTotals, DbError> {
        let sql =
            "SELECT count(*) AS files, coalesce(sum(bytes), 0)::bigint AS bytes FROM files WHERE owner = $1";
        let row = sqlx::query(sql).bind(owner).fetch_one(&self.pool).await?;
        Ok(FileTotals { count: counted(row.try_get("files")?)?, bytes: counted(row.try_get("bytes")?)? })
    }

    async fn write_expiry(&self, ids: &[FileId], expires_at: Timestamp) -> Result<Vec<FileId>, DbError> {
        let texts: Vec<&str> = ids.iter().map(FileId::as_str).collect();
        let rows = sqlx::query(EXTEND).bind(texts).bind(micros(expires_at)).fetch_all(&self.pool).await?;
        let found = rows.iter().map(|row| row.try_get("id")).collect::<Result<Vec<String>, _>>()?;
        Ok(ids.iter().filter(|id| !found.iter().any(|found| found == id.as_str())).cloned().collect())
    }

    async fn delete_file(&self, owner: &str, id: &FileId) -> Result<(), DbError> {
        let query =
            sqlx::query("DELETE FROM files WHERE id = $1 AND owner = $2").bind(id.as_str()).bind(owner);
        match query.execute(&self.pool).await?.rows_affected() {
            0 => Err(StoreError::NoSuch { kind: "file", name: id.to_string() }.into()),
            _ => Ok(()),
        }
    }

    async fn delete_expired(&self, before: Timestamp) -> Result<(), DbError> {
        sqlx::query("DELETE FROM files WHERE expires_at < $1")
            .bind(micros(before))
            .execute(&self.pool)
            .await?;
        Ok(())
    }
}

fn stored(row: &PgRow) -> Result<FileRecord, DbError> {
    let file = FileRef {
        id: id(row.try_get("id")?)?,
        name: unescape(row.try_get("name")?),
        media_type: row.try_get("media_type")?,
        bytes: counted(row.try_get("bytes")?)?,
    };
    Ok(FileRecord {
        owner: row.try_get("owner")?,
        file,
        created_at: time(row.try_get("created_at")?)?,
        expires_at: time(row.try_get("expires_at")?)?,
    })
}
