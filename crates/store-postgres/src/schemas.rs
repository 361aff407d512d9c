//! The registry of output schemas.

use accord_store::{Idempotency, Page, PageRequest, SchemaRecord, SchemaStore, StoreError};
use async_trait::async_trait;
use sqlx::postgres::PgRow;
use sqlx::{PgConnection, PgExecutor, Row};

use crate::convert::{json, micros, time};
use crate::error::{DbError, retrying};
use crate::store::{PostgresStore, conclude};
use crate::text::{escape, unescape};
use crate::{idempotency, page};

#[async_trait]
impl SchemaStore for PostgresStore {
    async fn add_schema(
        &self,
        schema: SchemaRecord,
        idempotency: Option<Idempotency>,
    ) -> Result<SchemaRecord, StoreError> {
        retrying(|| self.write_schema(&schema, idempotency.as_ref())).await
    }

    async fn schema(&self, name: &str) -> Result<Option<SchemaRecord>, StoreError> {
        retrying(|| read(&self.pool, name)).await
    }

    async fn schemas(&self, page: &PageRequest) -> Result<Page<SchemaRecord>, StoreError> {
        retrying(|| self.read_schemas(page)).await
    }

    async fn remove_schema(&self, name: &str) -> Result<(), StoreError> {
        retrying(|| self.delete_schema(name)).await
    }
}

/// Adding the same schema again sets the description; another schema under this name changes no
/// row. An equal description is not a change.
const ADD: &str = "
INSERT INTO output_schemas AS s (name, description, document, hash, created_at, modified_at)
VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (name) DO UPDATE SET description = excluded.description,
    modified_at = CASE WHEN s.description = excluded.description THEN s.modified_at ELSE excluded.modified_at END
WHERE s.hash = excluded.hash
RETURNING *";

/// A cursor is the last name after this sign, so that made-up cursors are recognised.
const CURSOR_MARK: char = '=';

impl PostgresStore {
    async fn write_schema(
        &self,
        schema: &SchemaRecord,
        idempotency: Option<&Idempotency>,
    ) -> Result<SchemaRecord, DbError> {
        let mut transaction = self.begin().await?;
        let written = write(&mut transaction, schema, idempotency).await;
        conclude(transaction, written).await
    }

    async fn read_schemas(&self, page: &PageRequest) -> Result<Page<SchemaRecord>, DbError> {
        let after = match &page.cursor {
            Some(cursor) => Some(cursor.strip_prefix(CURSOR_MARK).ok_or_else(|| page::broken(cursor))?),
            None => None,
        };
        let query = sqlx::query(
            "SELECT * FROM output_schemas WHERE $1::text IS NULL OR name > $1 ORDER BY name LIMIT $2",
        );
        let rows = query.bind(after.map(escape)).bind(page::rows_for(page)).fetch(&self.pool);
        page::filled(rows, page, record, |record| format!("{CURSOR_MARK}{}", record.name)).await
    }

    async fn delete_schema(&self, name: &str) -> Result<(), DbError> {
        let query = sqlx::query("DELETE FROM output_schemas WHERE name = $1").bind(escape(name));
        if query.execute(&self.pool).await?.rows_affected() == 0 {
            return Err(StoreError::NoSuch { kind: "schema", name: name.to_owned() }.into());
        }
        Ok(())
    }
}

async fn write(
    connection: &mut PgConnection,
    schema: &SchemaRecord,
    idempotency: Option<&Idempotency>,
) -> Result<SchemaRecord, DbError> {
    if let Some(first) = idempotency::take(connection, idempotency, schema.modified_at).await? {
        if let Ok(record) = serde_json::from_str(&first) {
            return Ok(record);
        }
        // A key from before the record was kept with it has an empty answer.
        let found = read(connection, &schema.name).await?;
        return Ok(found.unwrap_or_else(|| schema.clone()));
    }
    let row = sqlx::query(ADD)
        .bind(escape(&schema.name))
        .bind(escape(&schema.description))
        .bind(&schema.document)
        .bind(&schema.hash)
        .bind(micros(schema.created_at))
        .bind(micros(schema.modified_at))
        .fetch_optional(&mut *connection)
        .await?;
    let exists = || StoreError::Exists { kind: "schema", name: schema.name.clone() };
    let kept = record(&row.ok_or_else(exists)?)?;
    idempotency::answer(connection, idempotency, &json(&kept)?).await?;
    Ok(kept)
}

async fn read(executor: impl PgExecutor<'_>, name: &str) -> Result<Option<SchemaRecord>, DbError> {
    let query = sqlx::query("SELECT * FROM output_schemas WHERE name = $1").bind(escape(name));
    query.fetch_optional(executor).await?.as_ref().map(record).transpose()
}

fn record(row: &PgRow) -> Result<SchemaRecord, DbError> {
    Ok(SchemaRecord {
        name: unescape(row.try_get("name")?),
        description: unescape(row.try_get("description")?),
        document: row.try_get("document")?,
        hash: row.try_get("hash")?,
        created_at: time(row.try_get("created_at")?)?,
        modified_at: time(row.try_get("modified_at")?)?,
    })
}
