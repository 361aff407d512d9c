//! What reconcilers do. Several coordinators do it at once: each skips what another has locked.

use std::time::Duration;

use accord_domain::demands::Demands;
use accord_domain::run::Run;
use accord_domain::run::change::{self, Change};
use accord_domain::runner::Profile;
use accord_domain::session::Session;
use accord_store::{QueueDepth, StoreError, Unmatched, Upkeep};
use async_trait::async_trait;
use jiff::Timestamp;
use sqlx::postgres::PgRow;
use sqlx::{PgConnection, Row};

use crate::convert::{counted, from_json, micros, time, whole};
use crate::error::{DbError, retrying, within};
use crate::load::{Pair, Step};
use crate::rows::{run_columns, session_columns};
use crate::runs::attempts;
use crate::store::PostgresStore;
use crate::write;

#[async_trait]
impl Upkeep for PostgresStore {
    async fn shorten_leases(&self, to: Timestamp, beyond: Timestamp) -> Result<(), StoreError> {
        retrying(|| self.shorten(to, beyond)).await
    }

    async fn reap(&self, now: Timestamp, max_deliveries: u32, limit: u32) -> Result<Vec<Run>, StoreError> {
        retrying(|| self.take_back(whole(now), max_deliveries, limit)).await
    }

    async fn fail_unmatched(
        &self,
        unmatched: &Unmatched,
        now: Timestamp,
        limit: u32,
    ) -> Result<Vec<Run>, StoreError> {
        retrying(|| self.fail_waiting(unmatched, whole(now), limit)).await
    }

    async fn forget(&self, before: Timestamp) -> Result<(), StoreError> {
        retrying(|| self.delete_old(before)).await
    }

    async fn forget_idempotency_keys(&self, before: Timestamp) -> Result<(), StoreError> {
        retrying(|| self.delete_old_keys(before)).await
    }

    async fn next_expiry(&self) -> Result<Option<Timestamp>, StoreError> {
        retrying(|| self.read_expiry()).await
    }

    async fn queue_depth(&self) -> Result<QueueDepth, StoreError> {
        retrying(|| self.count_queue()).await
    }

    async fn ping(&self) -> Result<(), StoreError> {
        retrying(|| within(ANSWER_LIMIT, self.answer())).await
    }
}

const SHORTEN: &str = "UPDATE runs SET lease_expires_at = $1 WHERE lease_expires_at > $2";

const EXPIRED: &str = concat!(
    "SELECT ",
    run_columns!(),
    ", ",
    session_columns!(),
    " FROM runs r JOIN sessions s ON s.id = r.session_id WHERE r.lease_expires_at <= $1 \
     ORDER BY r.lease_expires_at, r.id LIMIT $2 FOR NO KEY UPDATE OF s, r SKIP LOCKED"
);

const WAITING: &str = "
SELECT r.id, r.demands, r.queued_at FROM runs r
WHERE r.status = 'pending' AND r.queued_at < $1 AND (r.queued_at, r.id) > ($2, $3)
ORDER BY r.queued_at, r.id LIMIT $4";

const STILL_WAITING: &str = concat!(
    "SELECT ",
    run_columns!(),
    ", ",
    session_columns!(),
    " FROM runs r JOIN sessions s ON s.id = r.session_id \
     WHERE r.id = ANY($1) AND r.status = 'pending' AND r.queued_at < $2 \
     ORDER BY r.queued_at, r.id FOR NO KEY UPDATE OF s, r SKIP LOCKED"
);

/// Runs that are looked at in one statement; an entry is some hundred bytes.
const PAGE: i64 = 1000;

/// A child that ends while its parent is being removed may leave a callback without a parent: it is removed here.
const FORGET: &str = "
WITH no_facts_of_schemas AS (DELETE FROM endpoint_facts WHERE at < $1 AND position('#' IN feature) > 0),
no_debts AS (
    DELETE FROM callbacks c
    WHERE c.created_at < $1 AND NOT EXISTS (SELECT 1 FROM sessions p WHERE p.id = c.parent_session_id)
)
DELETE FROM runners WHERE seen_at < $1";

const DEPTH: &str = "
SELECT (SELECT count(*) FROM runs WHERE status = 'pending') AS pending,
    (SELECT count(*) FROM runs WHERE lease_expires_at IS NOT NULL) AS held";

/// Whether the database can be worked with: a server that became a standby reads, and writes nothing.
const USABLE: &str = "
SELECT current_setting('transaction_read_only')::boolean AS read_only, to_regclass('runs') IS NULL AS gone";

/// A committed write without a visible effect: no request has this scope, and a row this old is
/// removed like any other.
const PROBE: &str = "
INSERT INTO idempotency_keys (scope, key, fingerprint, response, created_at) VALUES ('probe', '', '', '', 0)
ON CONFLICT (scope, key) DO UPDATE SET response = EXCLUDED.response";

/// A health check has to answer quickly.
const ANSWER_LIMIT: Duration = Duration::from_secs(5);

impl PostgresStore {
    async fn shorten(&self, to: Timestamp, beyond: Timestamp) -> Result<(), DbError> {
        sqlx::query(SHORTEN).bind(micros(to)).bind(micros(beyond)).execute(&self.pool).await?;
        Ok(())
    }

    async fn take_back(&self, now: Timestamp, max_deliveries: u32, limit: u32) -> Result<Vec<Run>, DbError> {
        let mut transaction = self.begin().await?;
        let lost = take_back(&mut transaction, now, max_deliveries, limit).await;
        self.conclude_all(transaction, lost).await
    }

    async fn fail_waiting(
        &self,
        unmatched: &Unmatched,
        now: Timestamp,
        limit: u32,
    ) -> Result<Vec<Run>, DbError> {
        let mut transaction = self.begin().await?;
        let failed = fail_waiting(&mut transaction, unmatched, now, limit).await;
        self.conclude_all(transaction, failed).await
    }

    async fn delete_old(&self, before: Timestamp) -> Result<(), DbError> {
        sqlx::query(FORGET).bind(micros(before)).execute(&self.pool).await?;
        Ok(())
    }

    async fn delete_old_keys(&self, before: Timestamp) -> Result<(), DbError> {
        let query = sqlx::query("DELETE FROM idempotency_keys WHERE created_at < $1");
        query.bind(micros(before)).execute(&self.pool).await?;
        Ok(())
    }

    async fn read_expiry(&self) -> Result<Option<Timestamp>, DbError> {
        let query =
            sqlx::query_scalar("SELECT min(lease_expires_at) FROM runs WHERE lease_expires_at IS NOT NULL");
        let expiry: Option<i64> = query.fetch_one(&self.pool).await?;
        Ok(expiry.map(time).transpose()?)
    }

    async fn count_queue(&self) -> Result<QueueDepth, DbError> {
        let row = sqlx::query(DEPTH).fetch_one(&self.pool).await?;
        Ok(QueueDepth { pending: counted(row.try_get("pending")?)?, held: counted(row.try_get("held")?)? })
    }

    async fn answer(&self) -> Result<(), DbError> {
        let row = sqlx::query(USABLE).fetch_one(&self.pool).await?;
        let refusal = if row.try_get("read_only")? {
            "PostgreSQL is read-only now (transaction_read_only is on)"
        } else if row.try_get("gone")? {
            "Accord's tables are missing from the database"
        } else {
            sqlx::query(PROBE).execute(&self.pool).await?;
            return Ok(());
        };
        Err(StoreError::Unavailable(refusal.to_owned()).into())
    }
}

async fn take_back(
    connection: &mut PgConnection,
    now: Timestamp,
    max_deliveries: u32,
    limit: u32,
) -> Result<Vec<Step>, DbError> {
    let query = sqlx::query(EXPIRED).bind(micros(now)).bind(i64::from(limit));
    let rows = query.fetch_all(&mut *connection).await?;
    write_all(connection, &rows, |run, session| change::lose(run, session, now, max_deliveries)).await
}

async fn fail_waiting(
    connection: &mut PgConnection,
    unmatched: &Unmatched,
    now: Timestamp,
    limit: u32,
) -> Result<Vec<Step>, DbError> {
    let ids = untaken(connection, unmatched, limit as usize).await?;
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let query = sqlx::query(STILL_WAITING).bind(ids).bind(micros(unmatched.queued_before));
    let rows = query.fetch_all(&mut *connection).await?;
    write_all(connection, &rows, |run, session| change::unmatched(run, session, now)).await
}

/// Writes the decisions that change something.
async fn write_all(
    connection: &mut PgConnection,
    rows: &[PgRow],
    decide: impl Fn(Run, Session) -> Change,
) -> Result<Vec<Step>, DbError> {
    let mut steps = Vec::with_capacity(rows.len());
    for row in rows {
        let step = Pair::of(row)?.decide(|run, session| Ok(decide(run, session)))?;
        if step.change.run != step.before.run {
            steps.push(attempts::counted(connection, step).await?);
        }
    }
    write::steps(connection, Vec::new(), &steps).await?;
    Ok(steps)
}

/// Runs that have waited too long and that no runner can take.
async fn untaken(
    connection: &mut PgConnection,
    unmatched: &Unmatched,
    limit: usize,
) -> Result<Vec<String>, DbError> {
    let query = sqlx::query_scalar("SELECT DISTINCT profile FROM runners WHERE seen_at > $1");
    let alive: Vec<String> = query.bind(micros(unmatched.alive_since)).fetch_all(&mut *connection).await?;
    let alive = alive.iter().map(|profile| from_json(profile)).collect::<Result<Vec<Profile>, _>>()?;
    let mut ids = Vec::new();
    let (mut queued_at, mut after) = (i64::MIN, String::new());
    loop {
        let query = sqlx::query(WAITING)
            .bind(micros(unmatched.queued_before))
            .bind(queued_at)
            .bind(&after)
            .bind(PAGE);
        let rows = query.fetch_all(&mut *connection).await?;
        for row in &rows {
            let demands: Demands = from_json(row.try_get("demands")?)?;
            if ids.len() < limit && unmatched.includes(&demands, &alive) {
                ids.push(row.try_get("id")?);
            }
        }
        match rows.last().filter(|_| rows.len() as i64 == PAGE && ids.len() < limit) {
            Some(row) => (queued_at, after) = (row.try_get("queued_at")?, row.try_get("id")?),
            None => return Ok(ids),
        }
    }
}
