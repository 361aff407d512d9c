//! The same request gets the same response, even concurrently.

use accord_store::{Idempotency, StoreError};
use jiff::Timestamp;
use sqlx::{PgConnection, PgExecutor, Row};

use crate::convert::micros;
use crate::error::DbError;
use crate::text::{escape, unescape};

/// Waits for a transaction that holds the same key, if there is one.
const TAKE: &str = "
INSERT INTO idempotency_keys (scope, key, fingerprint, response, created_at) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT DO NOTHING";

const READ: &str = "SELECT fingerprint, response FROM idempotency_keys WHERE scope = $1 AND key = $2";

/// Takes the key for this transaction. Some text: it was used before, and this was the answer.
pub(crate) async fn take(
    connection: &mut PgConnection,
    idempotency: Option<&Idempotency>,
    now: Timestamp,
) -> Result<Option<String>, DbError> {
    let Some(wanted) = idempotency else { return Ok(None) };
    let (scope, key) = (escape(&wanted.scope), escape(&wanted.key));
    let taken = sqlx::query(TAKE)
        .bind(&*scope)
        .bind(&*key)
        .bind(escape(&wanted.fingerprint))
        .bind(escape(&wanted.response))
        .bind(micros(now))
        .execute(&mut *connection)
        .await?;
    if taken.rows_affected() == 1 {
        return Ok(None);
    }
    let row = sqlx::query(READ).bind(&*scope).bind(&*key).fetch_one(connection).await?;
    if unescape(row.try_get("fingerprint")?) != wanted.fingerprint {
        return Err(StoreError::IdempotencyConflict(wanted.key.clone()).into());
    }
    Ok(Some(unescape(row.try_get("response")?)))
}

/// Puts another answer in the place of the one that the key was taken with, in the same transaction.
pub(crate) async fn answer(
    connection: &mut PgConnection,
    idempotency: Option<&Idempotency>,
    response: &str,
) -> Result<(), DbError> {
    let Some(taken) = idempotency else { return Ok(()) };
    sqlx::query("UPDATE idempotency_keys SET response = $3 WHERE scope = $1 AND key = $2")
        .bind(escape(&taken.scope))
        .bind(escape(&taken.key))
        .bind(escape(response))
        .execute(connection)
        .await?;
    Ok(())
}

/// The answer that the key was given before.
pub(crate) async fn first(
    executor: impl PgExecutor<'_>,
    scope: &str,
    key: &str,
    fingerprint: &str,
) -> Result<Option<String>, DbError> {
    let query = sqlx::query(READ).bind(escape(scope)).bind(escape(key));
    let Some(row) = query.fetch_optional(executor).await? else { return Ok(None) };
    if unescape(row.try_get("fingerprint")?) != fingerprint {
        return Err(StoreError::IdempotencyConflict(key.to_owned()).into());
    }
    Ok(Some(unescape(row.try_get("response")?)))
}
