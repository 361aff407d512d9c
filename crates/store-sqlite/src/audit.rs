//! The audit log.

use accord_domain::audit::{Actor, Entry};
use accord_store::{AuditFilter, AuditStore, Page, PageRequest, StoreError};
use async_trait::async_trait;
use jiff::Timestamp;
use rusqlite::{Connection, Row, params};

use crate::error::{DbResult, corrupt};
use crate::page;
use crate::store::SqliteStore;
use crate::value::{count, micros, time};

#[async_trait]
impl AuditStore for SqliteStore {
    async fn add_audit(&self, entry: Entry) -> Result<(), StoreError> {
        self.write(move |write| {
            let sql = "INSERT INTO audit (at, action, object, hash, actor_kind, actor_id, actor_name, address, \
                       forwarded_for) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
            write.connection().prepare_cached(sql)?.execute(params![
                micros(entry.at),
                entry.action,
                entry.object,
                entry.hash,
                entry.actor.kind(),
                entry.actor.id(),
                entry.actor.name(),
                entry.address,
                entry.forwarded_for,
            ])?;
            Ok(())
        })
        .await
    }

    async fn audit(&self, filter: &AuditFilter, page: &PageRequest) -> Result<Page<Entry>, StoreError> {
        let (filter, page) = (filter.clone(), page.clone());
        self.read(move |connection| list(connection, &filter, &page)).await
    }

    async fn forget_audit(&self, before: Timestamp) -> Result<(), StoreError> {
        self.write(move |write| {
            let mut statement = write.connection().prepare_cached("DELETE FROM audit WHERE at < ?1")?;
            statement.execute([micros(before)])?;
            Ok(())
        })
        .await
    }
}

const LIST: &str = "SELECT seq, at, action, object, hash, actor_kind, actor_id, actor_name, address, forwarded_for \
    FROM audit WHERE seq < ?1 AND at >= ?2 AND (?3 IS NULL OR ?3 IN (actor_id, actor_name, actor_kind)) \
    AND (?4 IS NULL OR action = ?4 OR substr(action, 1, length(?4) + 1) = ?4 || '.') ORDER BY seq DESC LIMIT ?5";

fn list(connection: &Connection, filter: &AuditFilter, page: &PageRequest) -> DbResult<Page<Entry>> {
    let before: i64 = match &page.cursor {
        None => i64::MAX,
        Some(cursor) => cursor.parse().map_err(|_| page::broken(cursor))?,
    };
    let since = filter.since.map_or(i64::MIN, micros);
    let size = page::size(page);
    let mut statement = connection.prepare_cached(LIST)?;
    let limit = count(size).saturating_add(1);
    let mut rows = statement.query(params![before, since, filter.actor, filter.action, limit])?;
    let mut items = Vec::new();
    while let Some(row) = rows.next()? {
        items.push((row.get::<_, i64>(0)?.to_string(), read(row)?));
    }
    Ok(page::cut(items, size))
}

fn read(row: &Row<'_>) -> DbResult<Entry> {
    let kind: String = row.get(5)?;
    let actor = Actor::from_columns(&kind, row.get(6)?, row.get(7)?);
    Ok(Entry {
        at: time(row.get(1)?)?,
        action: row.get(2)?,
        object: row.get(3)?,
        hash: row.get(4)?,
        actor: actor.ok_or_else(|| corrupt(format!("unknown actor '{kind}' in the audit log")))?,
        address: row.get(8)?,
        forwarded_for: row.get(9)?,
    })
}
