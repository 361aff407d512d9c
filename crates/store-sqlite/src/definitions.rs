//! Documents by name that may be changed: agents and workflows.

use accord_store::{Condition, Defined, DefinitionStore, DocumentRecord, Idempotency, StoreError};
use async_trait::async_trait;
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::error::DbResult;
use crate::rows::idempotency;
use crate::store::SqliteStore;
use crate::value::{micros, time};

#[async_trait]
impl DefinitionStore for SqliteStore {
    async fn put_definition(
        &self,
        defined: Defined,
        record: DocumentRecord,
        condition: Condition,
        idempotency: Option<Idempotency>,
    ) -> Result<Option<String>, StoreError> {
        let table = Table(defined);
        self.write(move |write| table.put(write.connection(), &record, &condition, idempotency.as_ref()))
            .await
    }

    async fn definition(&self, defined: Defined, name: &str) -> Result<Option<DocumentRecord>, StoreError> {
        let name = name.to_owned();
        self.read_by_key(move |connection| Table(defined).find(connection, &name)).await
    }

    async fn definitions(&self, defined: Defined) -> Result<Vec<DocumentRecord>, StoreError> {
        self.read(move |connection| Table(defined).all(connection)).await
    }

    async fn remove_definition(
        &self,
        defined: Defined,
        name: &str,
        condition: Condition,
    ) -> Result<(), StoreError> {
        let name = name.to_owned();
        self.write(move |write| Table(defined).remove(write.connection(), &name, &condition)).await
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

    fn find(self, connection: &Connection, name: &str) -> DbResult<Option<DocumentRecord>> {
        let sql = format!(
            "SELECT name, document, hash, created_at, modified_at FROM {} WHERE name = ?1",
            self.name()
        );
        let mut statement = connection.prepare_cached(&sql)?;
        let mut rows = statement.query([name])?;
        rows.next()?.map(read).transpose()
    }

    fn all(self, connection: &Connection) -> DbResult<Vec<DocumentRecord>> {
        let sql = format!(
            "SELECT name, document, hash, created_at, modified_at FROM {} ORDER BY name",
            self.name()
        );
        let mut statement = connection.prepare_cached(&sql)?;
        let mut rows = statement.query([])?;
        let mut all = Vec::new();
        while let Some(row) = rows.next()? {
            all.push(read(row)?);
        }
        Ok(all)
    }

    fn put(
        self,
        connection: &Connection,
        record: &DocumentRecord,
        condition: &Condition,
        promise: Option<&Idempotency>,
    ) -> DbResult<Option<String>> {
        if let Some(response) = idempotency::replay(connection, promise)? {
            return Ok(Some(response));
        }
        self.check(connection, &record.name, condition)?;
        let sql = format!(
            "INSERT INTO {} (name, document, hash, created_at, modified_at) VALUES (?1, ?2, ?3, ?4, ?5) \
             ON CONFLICT (name) DO UPDATE SET document = excluded.document, hash = excluded.hash, \
             modified_at = excluded.modified_at",
            self.name()
        );
        let (created, modified) = (micros(record.created_at), micros(record.modified_at));
        let mut statement = connection.prepare_cached(&sql)?;
        statement.execute(params![record.name, record.document, record.hash, created, modified])?;
        idempotency::keep(connection, promise, record.modified_at)?;
        Ok(None)
    }

    fn remove(self, connection: &Connection, name: &str, condition: &Condition) -> DbResult<()> {
        self.check(connection, name, condition)?;
        let sql = format!("DELETE FROM {} WHERE name = ?1", self.name());
        let removed = connection.prepare_cached(&sql)?.execute([name])?;
        if removed == 0 {
            return Err(StoreError::NoSuch { kind: self.0.as_str(), name: name.to_owned() }.into());
        }
        Ok(())
    }

    fn check(self, connection: &Connection, name: &str, condition: &Condition) -> DbResult<()> {
        let mut statement =
            connection.prepare_cached(&format!("SELECT hash FROM {} WHERE name = ?1", self.name()))?;
        let hash: Option<String> = statement.query_row([name], |row| row.get(0)).optional()?;
        Ok(condition.check(self.0.as_str(), name, hash.as_deref())?)
    }
}

fn read(row: &Row<'_>) -> DbResult<DocumentRecord> {
    Ok(DocumentRecord {
        name: row.get(0)?,
        document: row.get(1)?,
        hash: row.get(2)?,
        created_at: time(row.get(3)?)?,
        modified_at: time(row.get(4)?)?,
    })
}
