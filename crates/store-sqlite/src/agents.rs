//! Agents that live in the store.

use accord_store::{AgentRecord, AgentStore, Condition, Idempotency, StoreError};
use async_trait::async_trait;
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::fault::Done;
use crate::rows::idempotency;
use crate::store::SqliteStore;
use crate::value::{micros, time};

#[async_trait]
impl AgentStore for SqliteStore {
    async fn put_agent(
        &self,
        agent: AgentRecord,
        condition: Condition,
        idempotency: Option<Idempotency>,
    ) -> Result<Option<String>, StoreError> {
        self.write(move |write| put(write.connection(), &agent, &condition, idempotency.as_ref())).await
    }

    async fn agent(&self, name: &str) -> Result<Option<AgentRecord>, StoreError> {
        let name = name.to_owned();
        self.look(move |connection| {
            let sql = "SELECT name, document, hash, created_at, modified_at FROM agents WHERE name = ?1";
            let mut statement = connection.prepare_cached(sql)?;
            let mut rows = statement.query([name])?;
            rows.next()?.map(record).transpose()
        })
        .await
    }

    async fn agents(&self) -> Result<Vec<AgentRecord>, StoreError> {
        self.read(|connection| {
            let sql = "SELECT name, document, hash, created_at, modified_at FROM agents ORDER BY name";
            let mut statement = connection.prepare_cached(sql)?;
            let mut rows = statement.query([])?;
            let mut agents = Vec::new();
            while let Some(row) = rows.next()? {
                agents.push(record(row)?);
            }
            Ok(agents)
        })
        .await
    }

    async fn remove_agent(&self, name: &str, condition: Condition) -> Result<(), StoreError> {
        let name = name.to_owned();
        self.write(move |write| {
            let connection = write.connection();
            check(connection, &name, &condition)?;
            let removed =
                connection.prepare_cached("DELETE FROM agents WHERE name = ?1")?.execute([&name])?;
            if removed == 0 { Err(absent(&name).into()) } else { Ok(()) }
        })
        .await
    }
}

fn record(row: &Row<'_>) -> Done<AgentRecord> {
    Ok(AgentRecord {
        name: row.get(0)?,
        document: row.get(1)?,
        hash: row.get(2)?,
        created_at: time(row.get(3)?)?,
        modified_at: time(row.get(4)?)?,
    })
}

fn put(
    connection: &Connection,
    agent: &AgentRecord,
    condition: &Condition,
    promise: Option<&Idempotency>,
) -> Done<Option<String>> {
    if let Some(response) = idempotency::replay(connection, promise)? {
        return Ok(Some(response));
    }
    check(connection, &agent.name, condition)?;
    let sql = "INSERT INTO agents (name, document, hash, created_at, modified_at) VALUES (?1, ?2, ?3, ?4, ?5) \
               ON CONFLICT (name) DO UPDATE SET document = excluded.document, hash = excluded.hash, \
               modified_at = excluded.modified_at";
    let (created, modified) = (micros(agent.created_at), micros(agent.modified_at));
    let mut statement = connection.prepare_cached(sql)?;
    statement.execute(params![agent.name, agent.document, agent.hash, created, modified])?;
    idempotency::keep(connection, promise, agent.modified_at)?;
    Ok(None)
}

fn check(connection: &Connection, name: &str, condition: &Condition) -> Done<()> {
    let mut statement = connection.prepare_cached("SELECT hash FROM agents WHERE name = ?1")?;
    let hash: Option<String> = statement.query_row([name], |row| row.get(0)).optional()?;
    let error = match (condition, hash) {
        (Condition::Any, _) | (Condition::Absent, None) | (Condition::Present, Some(_)) => return Ok(()),
        (Condition::Unchanged(wanted), Some(hash)) if *wanted == hash => return Ok(()),
        (Condition::Absent, Some(_)) => StoreError::Exists { kind: "agent", name: name.to_owned() },
        (Condition::Unchanged(_), Some(_)) => StoreError::Changed { kind: "agent", name: name.to_owned() },
        (Condition::Unchanged(_) | Condition::Present, None) => absent(name),
    };
    Err(error.into())
}

fn absent(name: &str) -> StoreError {
    StoreError::NoSuch { kind: "agent", name: name.to_owned() }
}
