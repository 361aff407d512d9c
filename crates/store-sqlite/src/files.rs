//! Files of callers.

use accord_domain::file::FileRef;
use accord_domain::id::FileId;
use accord_store::{FileRecord, FileStore, FileTotals, StoreError};
use async_trait::async_trait;
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension as _, Row, params};

use crate::error::DbResult;
use crate::store::SqliteStore;
use crate::value::{count, counted, micros, time};

const KEEP: &str = "INSERT INTO files (id, owner, name, media_type, bytes, created_at, expires_at, content) \
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) \
     ON CONFLICT (id, owner) DO UPDATE SET expires_at = max(expires_at, excluded.expires_at)";

const FIND: &str = "SELECT id, owner, name, media_type, bytes, created_at, expires_at FROM files \
     WHERE id = ?1 AND owner = ?2";

#[async_trait]
impl FileStore for SqliteStore {
    async fn keep_file(&self, record: FileRecord, content: Vec<u8>) -> Result<FileRecord, StoreError> {
        self.write(move |write| {
            let FileRecord { owner, file, created_at, expires_at } = &record;
            let (bytes, created_at, expires_at) =
                (count(file.bytes), micros(*created_at), micros(*expires_at));
            write.connection().prepare_cached(KEEP)?.execute(params![
                file.id.as_str(),
                owner,
                file.name,
                file.media_type,
                bytes,
                created_at,
                expires_at,
                content,
            ])?;
            Ok(find(write.connection(), owner, &file.id)?.unwrap_or(record))
        })
        .await
    }

    async fn file(&self, owner: &str, id: &FileId) -> Result<Option<FileRecord>, StoreError> {
        let (owner, id) = (owner.to_owned(), id.clone());
        self.read_by_key(move |connection| find(connection, &owner, &id)).await
    }

    async fn file_content(&self, id: &FileId) -> Result<Option<Vec<u8>>, StoreError> {
        let id = id.clone();
        self.read_by_key(move |connection| {
            let mut statement =
                connection.prepare_cached("SELECT content FROM files WHERE id = ?1 LIMIT 1")?;
            Ok(statement.query_row([id.as_str()], |row| row.get(0)).optional()?)
        })
        .await
    }

    async fn file_totals(&self, owner: &str) -> Result<FileTotals, StoreError> {
        let owner = owner.to_owned();
        self.read_by_key(move |connection| {
            let sql = "SELECT count(*), coalesce(sum(bytes), 0) FROM files WHERE owner = ?1";
            let mut statement = connection.prepare_cached(sql)?;
            let (files, bytes) = statement.query_row([owner], |row| Ok((row.get(0)?, row.get(1)?)))?;
            Ok(FileTotals { count: counted(files)?, bytes: counted(bytes)? })
        })
        .await
    }

    async fn extend_files(&self, ids: &[FileId], expires_at: Timestamp) -> Result<Vec<FileId>, StoreError> {
        let ids = ids.to_vec();
        self.write(move |write| {
            let sql = "UPDATE files SET expires_at = max(expires_at, ?2) WHERE id = ?1";
            let mut statement = write.connection().prepare_cached(sql)?;
            let mut missing = Vec::new();
            for id in ids {
                if statement.execute(params![id.as_str(), micros(expires_at)])? == 0 {
                    missing.push(id);
                }
            }
            Ok(missing)
        })
        .await
    }

    async fn remove_file(&self, owner: &str, id: &FileId) -> Result<(), StoreError> {
        let (owner, id) = (owner.to_owned(), id.clone());
        self.write(move |write| {
            let mut statement =
                write.connection().prepare_cached("DELETE FROM files WHERE id = ?1 AND owner = ?2")?;
            match statement.execute([id.as_str(), owner.as_str()])? {
                0 => Err(StoreError::NoSuch { kind: "file", name: id.to_string() }.into()),
                _ => Ok(()),
            }
        })
        .await
    }

    async fn forget_files(&self, before: Timestamp) -> Result<(), StoreError> {
        self.write(move |write| {
            let mut statement =
                write.connection().prepare_cached("DELETE FROM files WHERE expires_at < ?1")?;
            statement.execute([micros(before)])?;
            Ok(())
        })
        .await
    }
}

fn find(connection: &Connection, owner: &str, id: &FileId) -> DbResult<Option<FileRecord>> {
    let mut statement = connection.prepare_cached(FIND)?;
    let mut rows = statement.query([id.as_str(), owner])?;
    rows.next()?.map(record).transpose()
}

fn record(row: &Row<'_>) -> DbResult<FileRecord> {
    let file = FileRef {
        id: FileId::try_from(row.get::<_, String>(0)?)?,
        name: row.get(2)?,
        media_type: row.get(3)?,
        bytes: counted(row.get(4)?)?,
    };
    Ok(FileRecord {
        owner: row.get(1)?,
        file,
        created_at: time(row.get(5)?)?,
        expires_at: time(row.get(6)?)?,
    })
}
