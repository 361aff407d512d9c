//! Documents by name that may be changed: agents and workflows.

use accord_store::{Condition, Idempotency, StoreError};
use jiff::Timestamp;
use sqlx::postgres::PgRow;
use sqlx::{AssertSqlSafe, PgConnection, PgPool, Row};

use crate::convert::{micros, time};
use crate::fault::Fault;
use crate::idempotency;
use crate::text::{escape, unescape};

/// Which table, and what is in it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Table {
    pub(crate) name: &'static str,
    pub(crate) kind: &'static str,
}

/// One document.
#[derive(Debug, Clone)]
pub(crate) struct Named {
    pub(crate) name: String,
    pub(crate) document: String,
    pub(crate) hash: String,
    pub(crate) created_at: Timestamp,
    pub(crate) modified_at: Timestamp,
}

impl Table {
    /// A statement on this table, whose name stands for `TABLE`.
    fn statement(self, text: &str) -> AssertSqlSafe<String> {
        AssertSqlSafe(text.replace("TABLE", self.name))
    }

    pub(crate) async fn find(self, pool: &PgPool, name: &str) -> Result<Option<Named>, Fault> {
        let query = sqlx::query(self.statement("SELECT * FROM TABLE WHERE name = $1"))
            .bind(escape(name).into_owned());
        query.fetch_optional(pool).await?.as_ref().map(read).transpose()
    }

    pub(crate) async fn all(self, pool: &PgPool) -> Result<Vec<Named>, Fault> {
        let rows = sqlx::query(self.statement("SELECT * FROM TABLE ORDER BY name")).fetch_all(pool).await?;
        rows.iter().map(read).collect()
    }

    pub(crate) async fn put(
        self,
        connection: &mut PgConnection,
        named: &Named,
        condition: &Condition,
        idempotency: Option<&Idempotency>,
    ) -> Result<Option<String>, Fault> {
        if let Some(answer) = idempotency::take(connection, idempotency, named.modified_at).await? {
            return Ok(Some(answer));
        }
        self.check(connection, &named.name, condition).await?;
        let statement = if *condition == Condition::Absent { ADD } else { PUT };
        let written = sqlx::query(self.statement(statement))
            .bind(escape(&named.name).into_owned())
            .bind(named.document.clone())
            .bind(named.hash.clone())
            .bind(micros(named.created_at))
            .bind(micros(named.modified_at))
            .execute(connection)
            .await?;
        if written.rows_affected() == 0 {
            return Err(StoreError::Exists { kind: self.kind, name: named.name.clone() }.into());
        }
        Ok(None)
    }

    pub(crate) async fn remove(
        self,
        connection: &mut PgConnection,
        name: &str,
        condition: &Condition,
    ) -> Result<(), Fault> {
        self.check(connection, name, condition).await?;
        let query =
            sqlx::query(self.statement("DELETE FROM TABLE WHERE name = $1")).bind(escape(name).into_owned());
        if query.execute(connection).await?.rows_affected() == 0 {
            return Err(StoreError::NoSuch { kind: self.kind, name: name.to_owned() }.into());
        }
        Ok(())
    }

    /// Whether the condition holds. What is there is locked until the transaction ends.
    async fn check(
        self,
        connection: &mut PgConnection,
        name: &str,
        condition: &Condition,
    ) -> Result<(), Fault> {
        let statement = self.statement("SELECT hash FROM TABLE WHERE name = $1 FOR UPDATE");
        let query = sqlx::query_scalar(statement).bind(escape(name).into_owned());
        let hash: Option<String> = query.fetch_optional(connection).await?;
        let (kind, name) = (self.kind, name.to_owned());
        match (condition, hash) {
            (Condition::Absent, Some(_)) => Err(StoreError::Exists { kind, name }.into()),
            (Condition::Unchanged(_) | Condition::Present, None) => {
                Err(StoreError::NoSuch { kind, name }.into())
            }
            (Condition::Unchanged(wanted), Some(hash)) if *wanted != hash => {
                Err(StoreError::Changed { kind, name }.into())
            }
            _ => Ok(()),
        }
    }
}

/// One that exists is replaced, but for when it was made.
const PUT: &str = "
INSERT INTO TABLE (name, document, hash, created_at, modified_at) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (name) DO UPDATE
SET document = excluded.document, hash = excluded.hash, modified_at = excluded.modified_at";

/// Where there must be none, of two at the same time only one succeeds.
const ADD: &str = "
INSERT INTO TABLE (name, document, hash, created_at, modified_at) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT DO NOTHING";

fn read(row: &PgRow) -> Result<Named, Fault> {
    Ok(Named {
        name: unescape(row.try_get("name")?),
        document: row.try_get("document")?,
        hash: row.try_get("hash")?,
        created_at: time(row.try_get("created_at")?)?,
        modified_at: time(row.try_get("modified_at")?)?,
    })
}
