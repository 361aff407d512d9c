//! The tables, brought up to date in one transaction under one lock: of several processes that start at once, one works
//! and the others find it done.

use accord_store::{PoisonedCount, StoreError};
use sqlx::{Executor, PgConnection, PgPool};

use crate::error::DbError;
use crate::quarantine;
use crate::sql::PLACE_BITS;

/// Every version and how to get there from the one before.
const MIGRATIONS: &[(i32, &str)] = &[
    (1, include_str!("../migrations/0001_first.sql")),
    (2, include_str!("../migrations/0002_workflows.sql")),
    (3, include_str!("../migrations/0003_held_callbacks.sql")),
    (4, include_str!("../migrations/0004_inputs.sql")),
    (5, include_str!("../migrations/0005_definitions.sql")),
    (6, include_str!("../migrations/0006_unsuccessful.sql")),
    (7, include_str!("../migrations/0007_underway.sql")),
    (8, include_str!("../migrations/0008_audit.sql")),
    (9, include_str!("../migrations/0009_sources.sql")),
    (10, include_str!("../migrations/0010_evidence.sql")),
    (11, include_str!("../migrations/0011_attempt_usage.sql")),
    (12, include_str!("../migrations/0012_lists.sql")),
    (13, include_str!("../migrations/0013_steps.sql")),
    (14, include_str!("../migrations/0014_inputs.sql")),
    (15, include_str!("../migrations/0015_traceparent.sql")),
    (16, include_str!("../migrations/0016_contracts.sql")),
    (17, include_str!("../migrations/0017_busy_children.sql")),
    (18, include_str!("../migrations/0018_front.sql")),
    (19, include_str!("../migrations/0019_openings.sql")),
    (20, include_str!("../migrations/0020_files.sql")),
    (21, include_str!("../migrations/0021_kept_hours.sql")),
];

/// An arbitrary number that says "Accord's tables" to everybody on the same database.
const LOCK: i64 = 0x6163_636f_7264;

/// A large table takes its time, and so does waiting for another migration.
const PREPARE: &str = "
SET LOCAL statement_timeout = 0;
SET LOCAL lock_timeout = 0;
";

/// Brings the tables up to date.
pub(crate) async fn run(pool: &PgPool) -> Result<(), DbError> {
    let mut transaction = pool.begin().await?;
    transaction.execute(sqlx::raw_sql(PREPARE)).await?;
    bring_up(&mut transaction).await.map_err(explained)?;
    transaction.commit().await?;
    Ok(())
}

async fn bring_up(connection: &mut PgConnection) -> Result<(), DbError> {
    sqlx::query("SELECT pg_advisory_xact_lock($1)").bind(LOCK).execute(&mut *connection).await?;
    let current = version(connection).await?;
    refuse_newer(current)?;
    for (version, sql) in MIGRATIONS.iter().filter(|(version, _)| *version > current) {
        connection.execute(sqlx::raw_sql(*sql)).await?;
        sqlx::query("INSERT INTO accord_migrations (version) VALUES ($1)")
            .bind(version)
            .execute(&mut *connection)
            .await?;
    }
    number_events_onwards(connection).await
}

/// Checks whether [`run`] would work. Without tables it is tried and rolled back. Existing tables
/// may be large and in use, so only their version and the permissions are checked.
pub(crate) async fn examine(pool: &PgPool) -> Result<PoisonedCount, DbError> {
    let mut transaction = pool.begin().await?;
    let examined = look(&mut transaction).await.map_err(explained);
    transaction.rollback().await.ok();
    examined
}

async fn look(connection: &mut PgConnection) -> Result<PoisonedCount, DbError> {
    let read_only = sqlx::query_scalar("SELECT current_setting('transaction_read_only')::boolean");
    if read_only.fetch_one(&mut *connection).await? {
        return Err(StoreError::Unavailable(READ_ONLY.to_owned()).into());
    }
    let there = sqlx::query_scalar("SELECT to_regclass('accord_migrations') IS NOT NULL");
    if !there.fetch_one(&mut *connection).await? {
        bring_up(connection).await?;
        return Ok(PoisonedCount::default());
    }
    let version = sqlx::query_scalar("SELECT coalesce(max(version), 0) FROM accord_migrations");
    let version = version.fetch_one(&mut *connection).await?;
    refuse_newer(version)?;
    let allowed = sqlx::query_scalar(
        "SELECT has_schema_privilege(current_schema(), 'CREATE') AND has_table_privilege('runs', 'INSERT, UPDATE')",
    );
    let allowed: Option<bool> = allowed.fetch_one(&mut *connection).await?;
    if allowed != Some(true) {
        return Err(StoreError::Unavailable(NO_RIGHTS.to_owned()).into());
    }
    // Tables of an older version know nothing of it.
    match MIGRATIONS.last().is_some_and(|(newest, _)| *newest == version) {
        true => quarantine::how_many(connection).await,
        false => Ok(PoisonedCount::default()),
    }
}

const READ_ONLY: &str = "PostgreSQL is read-only (transaction_read_only is on); use a writable server";

const NO_RIGHTS: &str = "the user cannot create and alter Accord's tables; make it the owner of the database, or GRANT CREATE, USAGE ON SCHEMA public";

/// Why our tables cannot be created, with what to do about it.
fn explained(error: DbError) -> DbError {
    let DbError::Database(sqlx::Error::Database(cause)) = &error else { return error };
    let text = match cause.code().unwrap_or_default().as_ref() {
        // Insufficient privilege.
        "42501" => format!("{}: {NO_RIGHTS}", cause.message()),
        // A table or another object of that name exists.
        "42P07" | "42710" => {
            format!(
                "{}, and it does not belong to Accord: use a separate database for Accord",
                cause.message()
            )
        }
        // Read-only transaction.
        "25006" => READ_ONLY.to_owned(),
        _ => return error,
    };
    StoreError::Unavailable(text).into()
}

fn refuse_newer(current: i32) -> Result<(), StoreError> {
    let newest = MIGRATIONS.last().map_or(0, |(version, _)| *version);
    if current <= newest {
        return Ok(());
    }
    let text = format!(
        "the database has schema version {current}, but this program supports {newest}; use a newer version of Accord"
    );
    Err(StoreError::Unavailable(text))
}

async fn version(connection: &mut PgConnection) -> Result<i32, DbError> {
    sqlx::query("CREATE TABLE IF NOT EXISTS accord_migrations (version integer PRIMARY KEY)")
        .execute(&mut *connection)
        .await?;
    let version = sqlx::query_scalar("SELECT coalesce(max(version), 0) FROM accord_migrations");
    Ok(version.fetch_one(connection).await?)
}

/// Raises the offset if there are events of transactions that this cluster has not reached yet:
/// they came with a dump. All events written by this cluster are below the end of the statement's
/// snapshot, so the offset does not change under running coordinators.
const OFFSET: &str = "
UPDATE event_numbering SET transaction_offset = newest.number + 1 - here.number
FROM (SELECT coalesce(max(id) >> $1, -1) AS number FROM events) AS newest,
     (SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint AS number) AS here
WHERE newest.number + 1 - here.number > transaction_offset";

async fn number_events_onwards(connection: &mut PgConnection) -> Result<(), DbError> {
    sqlx::query(OFFSET).bind(PLACE_BITS).execute(connection).await?;
    Ok(())
}
