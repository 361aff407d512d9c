//! Documents by name that may be changed: agents and workflows.

use accord_store::{Condition, Defined, DefinitionStore, DocumentRecord, Idempotency, StoreError};
use async_trait::async_trait;
use sqlx::postgres::PgRow;
use sqlx::{AssertSqlSafe, PgConnection, PgPool, Row};

use crate::convert::{micros, time};
use crate::error::{DbError, retrying};
use crate::idempotency;
use crate::store::{PostgresStore, conclude};
use crate::text::{escape, unescape};

#[async_trait]
impl DefinitionStore for PostgresStore {
    async fn put_definition(
        &self,
        defined: Defined,
        record: DocumentRecord,
        condition: Condition,
        idempotency: Option<Idempotency>,
    ) -> Result<Option<String>, StoreError> {
        retrying(|| Table(defined).put(self, &record, &condition, idempotency.as_ref())).await
    }

    async fn definition(&self, defined: Defined, name: &str) -> Result<Option<DocumentRecord>, StoreError> {
        retrying(|| Table(defined).find(&self.pool, name)).await
    }

    async fn definitions(&self, defined: Defined) -> Result<Vec<DocumentRecord>, StoreError> {
        retrying(|| Table(defined).all(&self.pool)).await
    }

    async fn remove_definition(
        &self,
        defined: Defined,
        name: &str,
        condition: Condition,
    ) -> Result<(), StoreError> {
        retrying(|| Table(defined).remove(self, name, &condition)).await
    }
}

#[derive(Debug, Clone, Copy)]
struct Table(Defined);

impl Table {
    fn name(self) -> &'static str {
        match self.0 {
            Defined::Agent => "agents",
            Defined::Workflow => "workflows",
        }
    }

    /// A statement with the name of this table for `TABLE`.
    fn statement(self, text: &str) -> AssertSqlSafe<String> {
        AssertSqlSafe(text.replace("TABLE", self.name()))
    }

    async fn find(self, pool: &PgPool, name: &str) -> Result<Option<DocumentRecord>, DbError> {
        let query = sqlx::query(self.statement("SELECT * FROM TABLE WHERE name = $1"))
            .bind(escape(name).into_owned());
        query.fetch_optional(pool).await?.as_ref().map(read).transpose()
    }

    async fn all(self, pool: &PgPool) -> Result<Vec<DocumentRecord>, DbError> {
        let rows = sqlx::query(self.statement("SELECT * FROM TABLE ORDER BY name")).fetch_all(pool).await?;
        rows.iter().map(read).collect()
    }

    async fn put(
        self,
        store: &PostgresStore,
        record: &DocumentRecord,
        condition: &Condition,
        idempotency: Option<&Idempotency>,
    ) -> Result<Option<String>, DbError> {
        let mut transaction = store.begin().await?;
        let written = self.write(&mut transaction, record, condition, idempotency).await;
        conclude(transaction, written).await
    }

    async fn remove(self, store: &PostgresStore, name: &str, condition: &Condition) -> Result<(), DbError> {
        let mut transaction = store.begin().await?;
        let removed = self.delete(&mut transaction, name, condition).await;
        conclude(transaction, removed).await
    }

    async fn write(
        self,
        connection: &mut PgConnection,
        record: &DocumentRecord,
        condition: &Condition,
        idempotency: Option<&Idempotency>,
    ) -> Result<Option<String>, DbError> {
        if let Some(answer) = idempotency::take(connection, idempotency, record.modified_at).await? {
            return Ok(Some(answer));
        }
        self.check(connection, &record.name, condition).await?;
        let statement = if *condition == Condition::Absent { ADD } else { PUT };
        let written = sqlx::query(self.statement(statement))
            .bind(escape(&record.name).into_owned())
            .bind(record.document.clone())
            .bind(record.hash.clone())
            .bind(micros(record.created_at))
            .bind(micros(record.modified_at))
            .execute(connection)
            .await?;
        if written.rows_affected() == 0 {
            return Err(StoreError::Exists { kind: self.0.as_str(), name: record.name.clone() }.into());
        }
        Ok(None)
    }

    async fn delete(
        self,
        connection: &mut PgConnection,
        name: &str,
        condition: &Condition,
    ) -> Result<(), DbError> {
        self.check(connection, name, condition).await?;
        let query =
            sqlx::query(self.statement("DELETE FROM TABLE WHERE name = $1")).bind(escape(name).into_owned());
        if query.execute(connection).await?.rows_affected() == 0 {
            return Err(StoreError::NoSuch { kind: self.0.as_str(), name: name.to_owned() }.into());
        }
        Ok(())
    }

    /// Whether the condition holds. An existing row is locked until the transaction ends.
    async fn check(
        self,
        connection: &mut PgConnection,
        name: &str,
        condition: &Condition,
    ) -> Result<(), DbError> {
        let statement = self.statement("SELECT hash FROM TABLE WHERE name = $1 FOR UPDATE");
        let query = sqlx::query_scalar(statement).bind(escape(name).into_owned());
        let hash: Option<String> = query.fetch_optional(connection).await?;
        Ok(condition.check(self.0.as_str(), name, hash.as_deref())?)
    }
}

/// One that exists is replaced, but for when it was made.
const PUT: &str = "
INSERT INTO TABLE (name, document, hash, created_at, modified_at) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (name) DO UPDATE
SET document = excluded.document, hash = excluded.hash, modified_at = excluded.modified_at";

/// If it must not exist yet, only one of two concurrent writes succeeds.
const ADD: &str = "
INSERT INTO TABLE (name, document, hash, created_at, modified_at) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT DO NOTHING";

fn read(row: &PgRow) -> Result<DocumentRecord, DbError> {
    Ok(DocumentRecord {
        name: unescape(row.try_get("name")?),
        document: row.try_get("document")?,
        hash: row.try_get("hash")?,
        created_at: time(row.try_get("created_at")?)?,
        modified_at: time(row.try_get("modified_at")?)?,
    })
}
