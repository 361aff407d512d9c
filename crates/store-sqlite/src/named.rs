//! Documents by name that may be changed: agents and workflows.

use accord_store::{Condition, DocumentRecord, Idempotency, StoreError};
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::fault::Done;
use crate::rows::idempotency;
use crate::value::{micros, time};

/// Which table, and what is in it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Table {
    pub(crate) name: &'static str,
    pub(crate) kind: &'static str,
}

impl Table {
    pub(crate) fn find(self, connection: &Connection, name: &str) -> Done<Option<DocumentRecord>> {
        let sql = format!(
            "SELECT name, document, hash, created_at, modified_at FROM {} WHERE name = ?1",
            self.name
        );
        let mut statement = connection.prepare_cached(&sql)?;
        let mut rows = statement.query([name])?;
        rows.next()?.map(read).transpose()
    }

    pub(crate) fn all(self, connection: &Connection) -> Done<Vec<DocumentRecord>> {
        let sql =
            format!("SELECT name, document, hash, created_at, modified_at FROM {} ORDER BY name", self.name);
        let mut statement = connection.prepare_cached(&sql)?;
        let mut rows = statement.query([])?;
        let mut all = Vec::new();
        while let Some(row) = rows.next()? {
            all.push(read(row)?);
        }
        Ok(all)
    }

    pub(crate) fn put(
        self,
        connection: &Connection,
        record: &DocumentRecord,
        condition: &Condition,
        promise: Option<&Idempotency>,
    ) -> Done<Option<String>> {
        if let Some(response) = idempotency::replay(connection, promise)? {
            return Ok(Some(response));
        }
        self.check(connection, &record.name, condition)?;
        let sql = format!(
            "INSERT INTO {} (name, document, hash, created_at, modified_at) VALUES (?1, ?2, ?3, ?4, ?5) \
             ON CONFLICT (name) DO UPDATE SET document = excluded.document, hash = excluded.hash, \
             modified_at = excluded.modified_at",
            self.name
        );
        let (created, modified) = (micros(record.created_at), micros(record.modified_at));
        let mut statement = connection.prepare_cached(&sql)?;
        statement.execute(params![record.name, record.document, record.hash, created, modified])?;
        idempotency::keep(connection, promise, record.modified_at)?;
        Ok(None)
    }

    pub(crate) fn remove(self, connection: &Connection, name: &str, condition: &Condition) -> Done<()> {
        self.check(connection, name, condition)?;
        let sql = format!("DELETE FROM {} WHERE name = ?1", self.name);
        let removed = connection.prepare_cached(&sql)?.execute([name])?;
        if removed == 0 {
            return Err(StoreError::NoSuch { kind: self.kind, name: name.to_owned() }.into());
        }
        Ok(())
    }

    fn check(self, connection: &Connection, name: &str, condition: &Condition) -> Done<()> {
        let mut statement =
            connection.prepare_cached(&format!("SELECT hash FROM {} WHERE name = ?1", self.name))?;
        let hash: Option<String> = statement.query_row([name], |row| row.get(0)).optional()?;
        Ok(condition.check(self.kind, name, hash.as_deref())?)
    }
}

fn read(row: &Row<'_>) -> Done<DocumentRecord> {
    Ok(DocumentRecord {
        name: row.get(0)?,
        document: row.get(1)?,
        hash: row.get(2)?,
        created_at: time(row.get(3)?)?,
        modified_at: time(row.get(4)?)?,
    })
}
