//! Requests whose callers wait for the answer.

use accord_store::{Arrival, FrontRequest, FrontStore, Standing, StoreError};
use async_trait::async_trait;
use jiff::Timestamp;
use sqlx::postgres::PgRow;
use sqlx::{PgConnection, Row as _};

use crate::convert::{micros, time};
use crate::error::{DbError, retrying};
use crate::store::{PostgresStore, conclude};

const BY_KEY: &str = "SELECT * FROM front_requests WHERE scope = $1 AND key = $2";

const EQUAL: &str = "
SELECT * FROM front_requests WHERE scope = $1 AND fingerprint = $2 AND NOT is_named ORDER BY begun_at DESC LIMIT 1";

const JOIN: &str = "
UPDATE front_requests SET waiting = $3, waited_until = greatest(waited_until, $4), closed_at = NULL
WHERE scope = $1 AND key = $2";

const ADD: &str = "
INSERT INTO front_requests
    (scope, key, fingerprint, work, is_named, is_reason, begun_at, waiting, waited_until)
VALUES ($1, $2, $3, $4, $5, $6, $7, 1, $8)";

const WAIT_ON: &str = "
UPDATE front_requests SET waited_until = greatest(waited_until, $3) WHERE scope = $1 AND key = $2";

const LEAVE: &str = "
UPDATE front_requests SET waiting = greatest(waiting - 1, 0), left_at = $3,
    closed_at = CASE WHEN $4 THEN $3 ELSE closed_at END
WHERE scope = $1 AND key = $2";

const LEFT_ALONE: &str = "
SELECT * FROM front_requests WHERE closed_at IS NULL AND is_reason
    AND (waited_until <= $1 OR waiting = 0 AND left_at <= $1)
ORDER BY begun_at LIMIT $2";

const FORGET_KEYS: &str = "
DELETE FROM idempotency_keys i USING front_requests f
WHERE i.scope = f.scope AND i.key = f.key AND NOT f.is_named AND f.begun_at < $1 AND f.waited_until < $1";

#[async_trait]
impl FrontStore for PostgresStore {
    async fn arrive(&self, arrival: Arrival) -> Result<FrontRequest, StoreError> {
        retrying(|| self.write_arrival(&arrival)).await
    }

    async fn wait_on(&self, scope: &str, key: &str, until: Timestamp) -> Result<(), StoreError> {
        retrying(|| async {
            let query = sqlx::query(WAIT_ON).bind(scope).bind(key).bind(micros(until));
            query.execute(&self.pool).await?;
            Ok(())
        })
        .await
    }

    async fn leave(
        &self,
        scope: &str,
        key: &str,
        is_answered: bool,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        retrying(|| async {
            let query = sqlx::query(LEAVE).bind(scope).bind(key).bind(micros(now)).bind(is_answered);
            query.execute(&self.pool).await?;
            Ok(())
        })
        .await
    }

    async fn left_alone(&self, since: Timestamp, limit: u32) -> Result<Vec<FrontRequest>, StoreError> {
        retrying(|| async {
            let query = sqlx::query(LEFT_ALONE).bind(micros(since)).bind(i64::from(limit));
            let rows = query.fetch_all(&self.pool).await?;
            rows.iter().map(|row| Ok(read(row)?.0)).collect()
        })
        .await
    }

    async fn forget_request(&self, scope: &str, key: &str) -> Result<(), StoreError> {
        retrying(|| async {
            let query = sqlx::query("DELETE FROM front_requests WHERE scope = $1 AND key = $2");
            query.bind(scope).bind(key).execute(&self.pool).await?;
            Ok(())
        })
        .await
    }

    async fn forget_requests(&self, before: Timestamp) -> Result<(), StoreError> {
        retrying(|| self.delete_old_requests(before)).await
    }
}

impl PostgresStore {
    async fn write_arrival(&self, arrival: &Arrival) -> Result<FrontRequest, DbError> {
        let mut transaction = self.begin().await?;
        let written = arrive(&mut transaction, arrival).await;
        conclude(transaction, written).await
    }

    async fn delete_old_requests(&self, before: Timestamp) -> Result<(), DbError> {
        let mut transaction = self.begin().await?;
        let written = async {
            sqlx::query(FORGET_KEYS).bind(micros(before)).execute(&mut *transaction).await?;
            let requests = "DELETE FROM front_requests WHERE begun_at < $1 AND waited_until < $1";
            sqlx::query(requests).bind(micros(before)).execute(&mut *transaction).await?;
            Ok(())
        };
        let written = written.await;
        conclude(transaction, written).await
    }
}

/// Equal requests come one after the other, so that two that arrive at once are one.
async fn arrive(connection: &mut PgConnection, arrival: &Arrival) -> Result<FrontRequest, DbError> {
    let FrontRequest { scope, key, fingerprint, work } = &arrival.request;
    let (sql, value) = if arrival.is_named { (BY_KEY, key) } else { (EQUAL, fingerprint) };
    let lock = "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))";
    sqlx::query(lock).bind(format!("{scope} {value}")).execute(&mut *connection).await?;
    if let Some(row) = sqlx::query(sql).bind(scope).bind(value).fetch_optional(&mut *connection).await? {
        let (known, standing) = read(&row)?;
        if arrival.is_named || standing.is_joined_by(arrival) {
            let query = sqlx::query(JOIN).bind(&known.scope).bind(&known.key);
            let query = query.bind(standing.waiting_at(arrival.now) + 1).bind(micros(arrival.until));
            query.execute(connection).await?;
            return Ok(known);
        }
    }
    let query = sqlx::query(ADD).bind(scope).bind(key).bind(fingerprint).bind(work.as_deref());
    let query = query.bind(arrival.is_named).bind(arrival.is_reason);
    query.bind(micros(arrival.now)).bind(micros(arrival.until)).execute(connection).await?;
    Ok(arrival.request.clone())
}

fn read(row: &PgRow) -> Result<(FrontRequest, Standing), DbError> {
    let at = |name: &str| -> Result<Option<Timestamp>, DbError> {
        Ok(row.try_get::<Option<i64>, _>(name)?.map(time).transpose()?)
    };
    let request = FrontRequest {
        scope: row.try_get("scope")?,
        key: row.try_get("key")?,
        fingerprint: row.try_get("fingerprint")?,
        work: row.try_get("work")?,
    };
    let standing = Standing {
        waiting: row.try_get("waiting")?,
        waited_until: time(row.try_get("waited_until")?)?,
        left_at: at("left_at")?,
        closed_at: at("closed_at")?,
    };
    Ok((request, standing))
}
