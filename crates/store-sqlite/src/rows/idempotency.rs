//! The table `idempotency`.

use accord_store::{Idempotency, StoreError};
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, params};

use crate::error::DbResult;
use crate::value::micros;

/// The first answer, where the key was used before with the same body.
pub(crate) fn replay(connection: &Connection, promise: Option<&Idempotency>) -> DbResult<Option<String>> {
    let Some(promise) = promise else { return Ok(None) };
    let sql = "SELECT fingerprint, response FROM idempotency WHERE scope = ?1 AND key = ?2";
    let mut statement = connection.prepare_cached(sql)?;
    let found: Option<(String, String)> = statement
        .query_row([&promise.scope, &promise.key], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    match found {
        Some((fingerprint, response)) if fingerprint == promise.fingerprint => Ok(Some(response)),
        Some(_) => Err(StoreError::IdempotencyConflict(promise.key.clone()).into()),
        None => Ok(None),
    }
}

/// Keeps the answer for the next time.
pub(crate) fn keep(connection: &Connection, promise: Option<&Idempotency>, now: Timestamp) -> DbResult<()> {
    let Some(promise) = promise else { return Ok(()) };
    let sql =
        "INSERT INTO idempotency (scope, key, fingerprint, response, created_at) VALUES (?1, ?2, ?3, ?4, ?5)";
    connection.prepare_cached(sql)?.execute(params![
        promise.scope,
        promise.key,
        promise.fingerprint,
        promise.response,
        micros(now),
    ])?;
    Ok(())
}
