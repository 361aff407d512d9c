//! Agents that live in the store.

use accord_store::{AgentRecord, AgentStore, Condition, Idempotency, StoreError};
use async_trait::async_trait;
use sqlx::postgres::PgRow;
use sqlx::{PgConnection, Row};

use crate::convert::{micros, time};
use crate::fault::{Fault, retrying};
use crate::idempotency;
use crate::store::{PostgresStore, conclude};
use crate::text::{escape, unescape};

#[async_trait]
impl AgentStore for PostgresStore {
    async fn put_agent(
        &self,
        agent: AgentRecord,
        condition: Condition,
        idempotency: Option<Idempotency>,
    ) -> Result<Option<String>, StoreError> {
        retrying(|| self.write_agent(&agent, &condition, idempotency.as_ref())).await
    }

    async fn agent(&self, name: &str) -> Result<Option<AgentRecord>, StoreError> {
        retrying(|| self.read_agent(name)).await
    }

    async fn agents(&self) -> Result<Vec<AgentRecord>, StoreError> {
        retrying(|| self.read_agents()).await
    }

    async fn remove_agent(&self, name: &str, condition: Condition) -> Result<(), StoreError> {
        retrying(|| self.delete_agent(name, &condition)).await
    }
}

/// One that exists is replaced, but for when it was made.
const PUT: &str = "
INSERT INTO agents (name, document, hash, created_at, modified_at) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (name) DO UPDATE
SET document = excluded.document, hash = excluded.hash, modified_at = excluded.modified_at";

/// Where there must be none, of two at the same time only one succeeds.
const ADD: &str = "
INSERT INTO agents (name, document, hash, created_at, modified_at) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT DO NOTHING";

impl PostgresStore {
    async fn write_agent(
        &self,
        agent: &AgentRecord,
        condition: &Condition,
        idempotency: Option<&Idempotency>,
    ) -> Result<Option<String>, Fault> {
        let mut transaction = self.begin().await?;
        let written = write(&mut transaction, agent, condition, idempotency).await;
        conclude(transaction, written).await
    }

    async fn read_agent(&self, name: &str) -> Result<Option<AgentRecord>, Fault> {
        let query = sqlx::query("SELECT * FROM agents WHERE name = $1").bind(escape(name));
        query.fetch_optional(&self.pool).await?.as_ref().map(agent).transpose()
    }

    async fn read_agents(&self) -> Result<Vec<AgentRecord>, Fault> {
        let rows = sqlx::query("SELECT * FROM agents ORDER BY name").fetch_all(&self.pool).await?;
        rows.iter().map(agent).collect()
    }

    async fn delete_agent(&self, name: &str, condition: &Condition) -> Result<(), Fault> {
        let mut transaction = self.begin().await?;
        let removed = remove(&mut transaction, name, condition).await;
        conclude(transaction, removed).await
    }
}

async fn write(
    connection: &mut PgConnection,
    agent: &AgentRecord,
    condition: &Condition,
    idempotency: Option<&Idempotency>,
) -> Result<Option<String>, Fault> {
    if let Some(answer) = idempotency::take(connection, idempotency, agent.modified_at).await? {
        return Ok(Some(answer));
    }
    check(connection, &agent.name, condition).await?;
    let statement = if *condition == Condition::Absent { ADD } else { PUT };
    let written = sqlx::query(statement)
        .bind(escape(&agent.name))
        .bind(&agent.document)
        .bind(&agent.hash)
        .bind(micros(agent.created_at))
        .bind(micros(agent.modified_at))
        .execute(connection)
        .await?;
    if written.rows_affected() == 0 {
        return Err(StoreError::Exists { kind: "agent", name: agent.name.clone() }.into());
    }
    Ok(None)
}

async fn remove(connection: &mut PgConnection, name: &str, condition: &Condition) -> Result<(), Fault> {
    check(connection, name, condition).await?;
    let query = sqlx::query("DELETE FROM agents WHERE name = $1").bind(escape(name));
    if query.execute(connection).await?.rows_affected() == 0 {
        return Err(StoreError::NoSuch { kind: "agent", name: name.to_owned() }.into());
    }
    Ok(())
}

/// Whether the condition holds. What is there is locked until the transaction ends.
async fn check(connection: &mut PgConnection, name: &str, condition: &Condition) -> Result<(), Fault> {
    let query = sqlx::query_scalar("SELECT hash FROM agents WHERE name = $1 FOR UPDATE").bind(escape(name));
    let hash: Option<String> = query.fetch_optional(connection).await?;
    let (kind, name) = ("agent", name.to_owned());
    match (condition, hash) {
        (Condition::Absent, Some(_)) => Err(StoreError::Exists { kind, name }.into()),
        (Condition::Unchanged(_) | Condition::Present, None) => Err(StoreError::NoSuch { kind, name }.into()),
        (Condition::Unchanged(wanted), Some(hash)) if *wanted != hash => {
            Err(StoreError::Changed { kind, name }.into())
        }
        _ => Ok(()),
    }
}

fn agent(row: &PgRow) -> Result<AgentRecord, Fault> {
    Ok(AgentRecord {
        name: unescape(row.try_get("name")?),
        document: row.try_get("document")?,
        hash: row.try_get("hash")?,
        created_at: time(row.try_get("created_at")?)?,
        modified_at: time(row.try_get("modified_at")?)?,
    })
}
