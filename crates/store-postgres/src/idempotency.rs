//! The same request gets the same response, even concurrently.

use std::collections::HashSet;

use accord_store::{Idempotency, StoreError};
use jiff::Timestamp;
use sqlx::{PgConnection, PgExecutor, Row};

use crate::convert::micros;
use crate::error::DbError;
use crate::rows::column;
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

const TAKE_ALL: &str = "
INSERT INTO idempotency_keys (scope, key, fingerprint, response, created_at)
SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[]) ORDER BY 1, 2
ON CONFLICT DO NOTHING RETURNING scope, key";

/// Takes keys for this transaction; for each, whether it was new. In one order everywhere, so that two transactions never wait for
/// each other crosswise.
pub(crate) async fn take_all(
    connection: &mut PgConnection,
    wanted: &[(&Idempotency, Timestamp)],
) -> Result<Vec<bool>, DbError> {
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    let (keys, times): (Vec<&Idempotency>, Vec<Timestamp>) = wanted.iter().copied().unzip();
    let rows = sqlx::query(TAKE_ALL)
        .bind(column(&keys, |each| escape(&each.scope)))
        .bind(column(&keys, |each| escape(&each.key)))
        .bind(column(&keys, |each| escape(&each.fingerprint)))
        .bind(column(&keys, |each| escape(&each.response)))
        .bind(times.into_iter().map(micros).collect::<Vec<_>>())
        .fetch_all(connection)
        .await?;
    let mut taken = HashSet::new();
    for row in rows {
        taken.insert((unescape(row.try_get("scope")?), unescape(row.try_get("key")?)));
    }
    Ok(keys.into_iter().map(|each| taken.contains(&(each.scope.clone(), each.key.clone()))).collect())
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
