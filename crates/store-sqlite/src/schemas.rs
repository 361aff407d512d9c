//! The registry of output schemas.

use accord_store::{Idempotency, MOST_PAGE_BYTES, Page, PageRequest, SchemaRecord, SchemaStore, StoreError};
use async_trait::async_trait;
use jiff::Timestamp;
use rusqlite::{Connection, Row, params};

use crate::error::DbResult;
use crate::page;
use crate::rows::idempotency;
use crate::store::SqliteStore;
use crate::value::{count, json, micros, time};

#[async_trait]
impl SchemaStore for SqliteStore {
    async fn add_schema(
        &self,
        schema: SchemaRecord,
        idempotency: Option<Idempotency>,
    ) -> Result<SchemaRecord, StoreError> {
        self.write(move |write| add(write.connection(), schema, idempotency.as_ref())).await
    }

    async fn schema(&self, name: &str) -> Result<Option<SchemaRecord>, StoreError> {
        let name = name.to_owned();
        self.read_by_key(move |connection| find(connection, &name)).await
    }

    async fn schemas(&self, page: &PageRequest) -> Result<Page<SchemaRecord>, StoreError> {
        let page = page.clone();
        self.read(move |connection| list(connection, &page)).await
    }

    async fn remove_schema(&self, name: &str) -> Result<(), StoreError> {
        let name = name.to_owned();
        self.write(move |write| {
            let mut statement = write.connection().prepare_cached("DELETE FROM schemas WHERE name = ?1")?;
            if statement.execute([&name])? == 0 { Err(absent(&name).into()) } else { Ok(()) }
        })
        .await
    }
}

fn absent(name: &str) -> StoreError {
    StoreError::NoSuch { kind: "schema", name: name.to_owned() }
}

fn record(row: &Row<'_>) -> DbResult<SchemaRecord> {
    Ok(SchemaRecord {
        name: row.get(0)?,
        description: row.get(1)?,
        document: row.get(2)?,
        hash: row.get(3)?,
        created_at: time(row.get(4)?)?,
        modified_at: time(row.get(5)?)?,
    })
}

fn find(connection: &Connection, name: &str) -> DbResult<Option<SchemaRecord>> {
    let sql =
        "SELECT name, description, document, hash, created_at, modified_at FROM schemas WHERE name = ?1";
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query([name])?;
    rows.next()?.map(record).transpose()
}

fn add(
    connection: &Connection,
    schema: SchemaRecord,
    promise: Option<&Idempotency>,
) -> DbResult<SchemaRecord> {
    let first = idempotency::replay(connection, promise)?;
    let known = find(connection, &schema.name)?;
    if let Some(first) = first {
        // A key from before the record was kept with it has an empty answer.
        return match (serde_json::from_str(&first), known) {
            (Ok(record), _) | (Err(_), Some(record)) => Ok(record),
            (Err(_), None) => Ok(schema),
        };
    }
    let now = schema.modified_at;
    let kept = match known {
        None => insert(connection, schema)?,
        Some(known) if known.hash != schema.hash => {
            return Err(StoreError::Exists { kind: "schema", name: schema.name }.into());
        }
        Some(known) if known.description == schema.description => known,
        Some(known) => describe(connection, known, schema.description, schema.modified_at)?,
    };
    let promise = match promise {
        Some(promise) => Some(Idempotency { response: json(&kept)?, ..promise.clone() }),
        None => None,
    };
    idempotency::keep(connection, promise.as_ref(), now)?;
    Ok(kept)
}

fn insert(connection: &Connection, schema: SchemaRecord) -> DbResult<SchemaRecord> {
    let sql = "INSERT INTO schemas (name, description, document, hash, created_at, modified_at) \
               VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    connection.prepare_cached(sql)?.execute(params![
        schema.name,
        schema.description,
        schema.document,
        schema.hash,
        micros(schema.created_at),
        micros(schema.modified_at),
    ])?;
    Ok(schema)
}

fn describe(
    connection: &Connection,
    known: SchemaRecord,
    description: String,
    modified_at: Timestamp,
) -> DbResult<SchemaRecord> {
    let sql = "UPDATE schemas SET description = ?2, modified_at = ?3 WHERE name = ?1";
    let mut statement = connection.prepare_cached(sql)?;
    statement.execute(params![known.name, description, micros(modified_at)])?;
    Ok(SchemaRecord { description, modified_at, ..known })
}

/// A cursor is the last name after this letter, so that made-up cursors are recognised.
const MARK: &str = "n";

fn list(connection: &Connection, page: &PageRequest) -> DbResult<Page<SchemaRecord>> {
    let after = match &page.cursor {
        None => "",
        Some(cursor) => cursor.strip_prefix(MARK).ok_or_else(|| page::broken(cursor))?,
    };
    let size = page::size(page);
    let sql = "SELECT name, description, document, hash, created_at, modified_at FROM schemas WHERE name > ?1 \
               ORDER BY name LIMIT ?2";
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(params![after, count(size).saturating_add(1)])?;
    let (mut items, mut held) = (Vec::<SchemaRecord>::new(), 0);
    while let Some(row) = rows.next()? {
        if items.len() == size || held >= MOST_PAGE_BYTES {
            let next = items.last().map(|schema| format!("{MARK}{}", schema.name));
            return Ok(Page { items, next });
        }
        held += page::bytes(row)?;
        items.push(record(row)?);
    }
    Ok(Page { items, next: None })
}
