//! What the runs of past hours come to, kept for statistics.
//!
//! Keeping is safe beside transactions that finish runs. First the hour up to which they mark hours is set (`next`). Then every
//! transaction that was open at that time is waited for: one that had not seen it has ended. Only then hours are counted,
//! and what was counted is kept only where the hour was not marked meanwhile.

use accord_store::{HourFigures, Kept, StatsQuery, StoreError, Tally, hour_of, spans_of};
use jiff::Timestamp;
use sqlx::{PgConnection, Row};
use tokio::time::{Instant, sleep};

use crate::convert::{from_json, json, time};
use crate::error::DbError;
use crate::events::{SETTLE_LIMIT, SETTLE_PAUSE};
use crate::sql::{hour, mark_hours};
use crate::store::PostgresStore;

/// Hours that are counted at once.
const BATCH: i64 = 500;

/// Of the hour in which the newest run was made and the one before it, more runs will finish.
const OPEN_HOURS: i64 = 1;

const STATE: &str = "
SELECT hour, next, (SELECT max(created_at) FROM runs) AS newest,
    EXISTS (SELECT 1 FROM kept_hours WHERE body IS NULL) AS some_marked FROM kept_until";

const ANNOUNCE: &str = "UPDATE kept_until SET next = $1 WHERE next < $1";

/// All transactions that are open now are over when the oldest open one is not older than this.
const NEWEST_TRANSACTION: &str = "SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint";
const OLDEST_TRANSACTION: &str = "SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint";

/// Hours without runs need not be counted.
const ADVANCE: &str = concat!(
    "WITH new AS (
    INSERT INTO kept_hours (hour) SELECT DISTINCT ",
    hour!("r.created_at"),
    " FROM runs r WHERE r.created_at >= (SELECT hour FROM kept_until) * 3600000000
        AND r.created_at < (SELECT next FROM kept_until) * 3600000000
    ON CONFLICT DO NOTHING
)
UPDATE kept_until SET hour = next"
);

const MARKED: &str = "SELECT hour, mark FROM kept_hours WHERE body IS NULL ORDER BY hour LIMIT $1";

const KEEP: &str = "
UPDATE kept_hours k SET body = t.body FROM unnest($1::bigint[], $2::bigint[], $3::text[]) AS t(hour, mark, body)
WHERE k.hour = t.hour AND k.mark = t.mark AND k.body IS NULL";

const READ: &str = "
SELECT u.hour AS until, k.hour, k.body FROM kept_until u LEFT JOIN kept_hours k ON k.hour >= $1 AND k.hour < u.hour
ORDER BY k.hour";

impl PostgresStore {
    /// Counts the hours that have passed since the last time, and those that were marked.
    pub(crate) async fn keep_hours(&self) -> Result<(), DbError> {
        let row = sqlx::query(STATE).fetch_one(&self.pool).await?;
        let newest: Option<Timestamp> = row.try_get::<Option<i64>, _>("newest")?.map(time).transpose()?;
        let Some(newest) = newest else { return Ok(()) };
        let (hour, next): (i64, i64) = (row.try_get("hour")?, row.try_get("next")?);
        let wanted = hour_of(newest) - OPEN_HOURS;
        if hour < wanted {
            if next < wanted {
                sqlx::query(ANNOUNCE).bind(wanted).execute(&self.pool).await?;
            }
            if !self.others_have_ended().await? {
                return Ok(());
            }
            sqlx::query(ADVANCE).execute(&self.pool).await?;
        } else if !row.try_get("some_marked")? {
            return Ok(());
        }
        loop {
            let marked: Vec<(i64, i64)> = sqlx::query_as(MARKED).bind(BATCH).fetch_all(&self.pool).await?;
            let (hours, marks): (Vec<i64>, Vec<i64>) = marked.into_iter().unzip();
            // Some may be marked again at once, by runs that finish: they are counted the next time.
            let is_last = hours.len() < usize::try_from(BATCH).unwrap_or_default();
            if !hours.is_empty() {
                self.keep(&hours, marks).await?;
            }
            if is_last {
                return Ok(());
            }
        }
    }

    /// Waits for all transactions that are open now; not for long ones.
    async fn others_have_ended(&self) -> Result<bool, DbError> {
        let newest: i64 = sqlx::query_scalar(NEWEST_TRANSACTION).fetch_one(&self.pool).await?;
        let deadline = Instant::now() + SETTLE_LIMIT;
        while sqlx::query_scalar::<_, i64>(OLDEST_TRANSACTION).fetch_one(&self.pool).await? < newest {
            if Instant::now() >= deadline {
                return Ok(false);
            }
            sleep(SETTLE_PAUSE).await;
        }
        Ok(true)
    }

    async fn keep(&self, hours: &[i64], marks: Vec<i64>) -> Result<(), DbError> {
        let spans = spans_of(hours);
        let mut figures = self.tally(Tally::of_hours(), &spans, None).await?.hours();
        let each = |at, agent_name: String, error| {
            figures.entry(hour_of(at)).or_default().add_error(&agent_name, error);
        };
        self.errors(&spans, None, each).await?;
        let bodies = hours.iter().map(|hour| json(&figures.remove(hour).unwrap_or_default()));
        let bodies: Vec<String> = bodies.collect::<Result<_, StoreError>>()?;
        sqlx::query(KEEP).bind(hours).bind(marks).bind(bodies).execute(&self.pool).await?;
        Ok(())
    }

    /// What is kept of the hours that are asked for.
    pub(crate) async fn kept(&self, asked: &StatsQuery) -> Result<Kept<HourFigures>, DbError> {
        let query = sqlx::query(READ).bind(Kept::<HourFigures>::first(asked));
        let rows = query.fetch_all(&self.pool).await?;
        let mut kept = Kept::default();
        for row in &rows {
            kept.until = row.try_get("until")?;
            if let Some(hour) = row.try_get("hour")? {
                let body: Option<&str> = row.try_get("body")?;
                kept.hours.push((hour, body.map(from_json).transpose()?));
            }
        }
        Ok(kept)
    }
}

/// Runs of a session that is being removed count no longer.
pub(crate) async fn mark_session(connection: &mut PgConnection, session_id: &str) -> Result<(), DbError> {
    const MARK: &str = mark_hours!("runs r WHERE r.session_id = $1");
    sqlx::query(MARK).bind(session_id).execute(connection).await?;
    Ok(())
}
