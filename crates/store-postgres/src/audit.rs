//! The audit log.

use accord_domain::audit::{Actor, Entry};
use accord_store::{AuditFilter, AuditStore, Page, PageRequest, StoreError};
use async_trait::async_trait;
use jiff::Timestamp;
use sqlx::Row;
use sqlx::postgres::PgRow;

use crate::convert::{micros, time};
use crate::error::{DbError, retrying};
use crate::page;
use crate::store::PostgresStore;
use crate::text::{escape, escape_some, unescape};

#[async_trait]
impl AuditStore for PostgresStore {
    async fn add_audit(&self, entry: Entry) -> Result<(), StoreError> {
        retrying(|| self.insert_audit(&entry)).await
    }

    async fn audit(&self, filter: &AuditFilter, page: &PageRequest) -> Result<Page<Entry>, StoreError> {
        retrying(|| self.list_audit(filter, page)).await
    }

    async fn forget_audit(&self, before: Timestamp) -> Result<(), StoreError> {
        retrying(|| self.delete_audit(before)).await
    }
}

const ADD: &str = "
INSERT INTO audit (at, action, object, hash, actor_kind, actor_id, actor_name, address, forwarded_for)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";

const LIST: &str = "
SELECT * FROM audit
WHERE number < $1 AND at >= $2 AND ($3::text IS NULL OR $3 IN (actor_id, actor_name, actor_kind))
    AND ($4::text IS NULL OR action = $4 OR starts_with(action, $4 || '.'))
ORDER BY number DESC LIMIT $5";

impl PostgresStore {
    async fn insert_audit(&self, entry: &Entry) -> Result<(), DbError> {
        sqlx::query(ADD)
            .bind(micros(entry.at))
            .bind(escape(&entry.action))
            .bind(escape_some(entry.object.as_ref()))
            .bind(escape_some(entry.hash.as_ref()))
            .bind(entry.actor.kind())
            .bind(entry.actor.id())
            .bind(entry.actor.name().map(escape))
            .bind(escape_some(entry.address.as_ref()))
            .bind(escape_some(entry.forwarded_for.as_ref()))
            .execute(&self.pool)
            .await?;
        Ok(())
    }

    async fn list_audit(&self, filter: &AuditFilter, page: &PageRequest) -> Result<Page<Entry>, DbError> {
        let before: i64 = match &page.cursor {
            None => i64::MAX,
            Some(cursor) => cursor.parse().map_err(|_| page::broken(cursor))?,
        };
        let rows = sqlx::query(LIST)
            .bind(before)
            .bind(filter.since.map_or(i64::MIN, micros))
            .bind(escape_some(filter.actor.as_ref()))
            .bind(escape_some(filter.action.as_ref()))
            .bind(page::rows_for(page))
            .fetch_all(&self.pool)
            .await?;
        let entries = rows.iter().map(entry).collect::<Result<Vec<_>, _>>()?;
        let Page { items, next } = page::cut(entries, page, |(number, _)| number.to_string());
        Ok(Page { items: items.into_iter().map(|(_, entry)| entry).collect(), next })
    }

    async fn delete_audit(&self, before: Timestamp) -> Result<(), DbError> {
        sqlx::query("DELETE FROM audit WHERE at < $1").bind(micros(before)).execute(&self.pool).await?;
        Ok(())
    }
}

fn entry(row: &PgRow) -> Result<(i64, Entry), DbError> {
    let text = |column: &str| -> Result<Option<String>, DbError> {
        Ok(row.try_get::<Option<String>, _>(column)?.map(unescape))
    };
    let kind: &str = row.try_get("actor_kind")?;
    let actor = Actor::from_columns(kind, text("actor_id")?, text("actor_name")?);
    let unknown = || StoreError::Corrupt(format!("unknown actor '{kind}' in the audit log"));
    let entry = Entry {
        at: time(row.try_get("at")?)?,
        actor: actor.ok_or_else(unknown)?,
        action: unescape(row.try_get("action")?),
        object: text("object")?,
        hash: text("hash")?,
        address: text("address")?,
        forwarded_for: text("forwarded_for")?,
    };
    Ok((row.try_get("number")?, entry))
}
