//! The tables, version by version.
//!
//! `user_version` says how many of the migrations a file has. They run in one transaction, so that two processes that
//! open the same new file do not meet half-way.

use std::path::Path;

use accord_store::StoreError;
use rusqlite::{Connection, TransactionBehavior};

use crate::error::DbResult;

/// In order; a released one never changes.
const MIGRATIONS: &[&str] = &[
    include_str!("../migrations/0001_start.sql"),
    include_str!("../migrations/0002_workflows.sql"),
    include_str!("../migrations/0003_held_callbacks.sql"),
    include_str!("../migrations/0004_inputs.sql"),
    include_str!("../migrations/0005_events.sql"),
    include_str!("../migrations/0006_definitions.sql"),
    include_str!("../migrations/0007_unsuccessful.sql"),
    include_str!("../migrations/0008_underway.sql"),
    include_str!("../migrations/0009_audit.sql"),
    include_str!("../migrations/0010_sources.sql"),
    include_str!("../migrations/0011_evidence.sql"),
    include_str!("../migrations/0012_attempt_usage.sql"),
    include_str!("../migrations/0013_lists.sql"),
    include_str!("../migrations/0014_steps.sql"),
    include_str!("../migrations/0015_inputs.sql"),
    include_str!("../migrations/0016_traceparent.sql"),
    include_str!("../migrations/0017_contracts.sql"),
    include_str!("../migrations/0018_busy_children.sql"),
    include_str!("../migrations/0019_kept_hours.sql"),
];

/// What marks a file as ours, in SQLite's header: "Acrd".
const APPLICATION: i32 = 0x4163_7264;

/// Brings a database to the newest version.
pub(crate) fn migrate(connection: &mut Connection, path: &Path) -> DbResult<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let (version, known) = (recognise(&transaction, path)?, MIGRATIONS.len());
    if version < known {
        for migration in MIGRATIONS.iter().skip(version) {
            transaction.execute_batch(migration)?;
        }
        transaction.pragma_update(None, "application_id", APPLICATION)?;
        transaction.pragma_update(None, "user_version", i64::try_from(known).unwrap_or(i64::MAX))?;
    }
    transaction.commit()?;
    Ok(())
}

/// Whether a database has the tables of this program.
pub(crate) fn is_current(version: usize) -> bool {
    version == MIGRATIONS.len()
}

/// The version of a database that is ours or still empty.
pub(crate) fn recognise(connection: &Connection, path: &Path) -> DbResult<usize> {
    let version: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let application: i32 = connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
    let tables: i64 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    let path = path.display();
    if application != APPLICATION && (application, version, tables) != (0, 0, 0) {
        let message = format!("{path} is a database of another program; use another file");
        return Err(StoreError::Unavailable(message).into());
    }
    let known = MIGRATIONS.len();
    let version = usize::try_from(version).unwrap_or(usize::MAX);
    if version > known {
        let message = format!(
            "{path} was written by a newer version of Accord (schema version {version}, this one supports {known}); \
             use that version, or another file"
        );
        return Err(StoreError::Unavailable(message).into());
    }
    Ok(version)
}
