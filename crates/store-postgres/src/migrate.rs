//! The tables, brought up to date in one transaction under one lock: of several processes that start at once, one works
//! and the others find it done.

use accord_store::StoreError;
use sqlx::{Executor, PgConnection, PgPool};

use crate::fault::Fault;
use crate::horizon::PLACE_BITS;

/// Every version and how to get there from the one before.
const MIGRATIONS: &[(i32, &str)] = &[
    (1, include_str!("../migrations/0001_first.sql")),
    (2, include_str!("../migrations/0002_workflows.sql")),
];

/// An arbitrary number that says "Accord's tables" to everybody on the same database.
const LOCK: i64 = 0x6163_636f_7264;

/// A large table takes its time, and so does waiting for whoever migrates it.
const PREPARE: &str = "
SET LOCAL statement_timeout = 0;
SET LOCAL lock_timeout = 0;
";

/// Brings the tables up to date.
pub(crate) async fn run(pool: &PgPool) -> Result<(), Fault> {
    let mut transaction = pool.begin().await?;
    transaction.execute(sqlx::raw_sql(PREPARE)).await?;
    sqlx::query("SELECT pg_advisory_xact_lock($1)").bind(LOCK).execute(&mut *transaction).await?;
    let current = version(&mut transaction).await?;
    refuse_newer(current)?;
    for (version, sql) in MIGRATIONS.iter().filter(|(version, _)| *version > current) {
        transaction.execute(sqlx::raw_sql(*sql)).await?;
        sqlx::query("INSERT INTO accord_migrations (version) VALUES ($1)")
            .bind(version)
            .execute(&mut *transaction)
            .await?;
    }
    number_events_onwards(&mut transaction).await?;
    transaction.commit().await?;
    Ok(())
}

/// Looks whether the tables, where there are some, are ones that we know.
pub(crate) async fn examine(pool: &PgPool) -> Result<(), Fault> {
    let there = sqlx::query_scalar("SELECT to_regclass('accord_migrations') IS NOT NULL");
    if there.fetch_one(pool).await? {
        let version = sqlx::query_scalar("SELECT coalesce(max(version), 0) FROM accord_migrations");
        refuse_newer(version.fetch_one(pool).await?)?;
    }
    Ok(())
}

fn refuse_newer(current: i32) -> Result<(), StoreError> {
    let newest = MIGRATIONS.last().map_or(0, |(version, _)| *version);
    if current <= newest {
        return Ok(());
    }
    let text =
        format!("the database is at version {current} and this program knows {newest}; use a newer program");
    Err(StoreError::Unavailable(text))
}

async fn version(connection: &mut PgConnection) -> Result<i32, Fault> {
    sqlx::query("CREATE TABLE IF NOT EXISTS accord_migrations (version integer PRIMARY KEY)")
        .execute(&mut *connection)
        .await?;
    let version = sqlx::query_scalar("SELECT coalesce(max(version), 0) FROM accord_migrations");
    Ok(version.fetch_one(connection).await?)
}

/// Raises the offset where there are events from transactions that this cluster has not seen yet: they came with a dump.
/// Everything that this cluster has written lies in front of the end of the statement's own snapshot, so that the offset
/// does not move under coordinators that are at work.
const OFFSET: &str = "
UPDATE event_numbering SET transaction_offset = newest.number + 1 - here.number
FROM (SELECT coalesce(max(id) >> $1, -1) AS number FROM events) AS newest,
     (SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint AS number) AS here
WHERE newest.number + 1 - here.number > transaction_offset";

async fn number_events_onwards(connection: &mut PgConnection) -> Result<(), Fault> {
    sqlx::query(OFFSET).bind(PLACE_BITS).execute(connection).await?;
    Ok(())
}
