//! The same request has the same answer, whoever asks at the same time.

use accord_store::{Idempotency, StoreError};
use jiff::Timestamp;
use sqlx::{PgConnection, Row};

use crate::convert::micros;
use crate::fault::Fault;
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
) -> Result<Option<String>, Fault> {
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
