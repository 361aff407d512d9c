//! How far events are settled: up to where no smaller id can appear any more.
//!
//! A writer of events holds a shared lock of this database from the beginning of the transaction, before it has a
//! number. New runs are written by one statement that is a transaction by itself: it takes the lock first too. The lock is never taken exclusively, so nothing waits for it: it only shows the writers. The cheap horizon
//! is the oldest open transaction of the whole cluster; while that holds events back, the expensive one looks
//! at the locks and leaves out the transactions of strangers.

use accord_domain::id::EventId;
use accord_store::StoreError;
use sqlx::{PgPool, Postgres, Transaction};

use crate::error::{DbError, LONGEST_USE, within};
use crate::sql::writers_lock;
use crate::store::PostgresStore;

/// After this many reads it is worth checking whether other programs hold events back.
pub(crate) const QUICK_LOOKS: u32 = 4;

/// The first id that any open or future transaction could still write.
macro_rules! event_horizon {
    () => {
        "(((SELECT transaction_offset FROM event_numbering) \
         + pg_snapshot_xmin(pg_current_snapshot())::text::bigint) << 20)"
    };
}

pub(crate) use event_horizon;

/// One round trip.
pub(crate) const BEGIN: &str = concat!("BEGIN; SELECT ", writers_lock!());

/// The first id that an open or future transaction of a writer could still write.
///
/// The snapshot is taken before the locks are read. An open transaction in the snapshot belongs to
/// another program if it holds its own number but not the writers' lock. One whose number is not
/// among the locks has ended or has just begun: it counts as a writer until that is clear. So every
/// id below the result is final for all later statements.
const PAST_STRANGERS: &str = "
WITH held AS MATERIALIZED (
    SELECT locktype, virtualtransaction, transactionid::text::bigint AS number, database, classid, objid, objsubid
    FROM pg_locks WHERE granted AND (locktype = 'advisory' OR locktype = 'transactionid' AND mode = 'ExclusiveLock')
), writers AS (
    SELECT virtualtransaction FROM held
    WHERE locktype = 'advisory' AND classid = 1633903471 AND objid = 1 AND objsubid = 2
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
), strangers AS (
    SELECT number FROM held
    WHERE locktype = 'transactionid' AND virtualtransaction NOT IN (SELECT virtualtransaction FROM writers)
)
SELECT (
    (SELECT transaction_offset FROM event_numbering) + least(
        pg_snapshot_xmax(pg_current_snapshot())::text::bigint,
        (
            SELECT min(open.number::text::bigint) FROM pg_snapshot_xip(pg_current_snapshot()) AS open(number)
            WHERE open.number::text::bigint & 4294967295 NOT IN (SELECT number FROM strangers)
        )
    )
) << 20";

/// The horizon without the transactions of strangers. Dear: it looks at every lock of the server.
pub(crate) async fn past_strangers(pool: &PgPool) -> Result<EventId, DbError> {
    Ok(EventId(sqlx::query_scalar(PAST_STRANGERS).fetch_one(pool).await?))
}

impl PostgresStore {
    /// A transaction that may write events. Every transaction of a use case begins so.
    ///
    /// It begins in a separate task, because a caller that hangs up cancels its operation, perhaps
    /// before the server has answered. A cancelled `BEGIN` would return the connection to the pool
    /// with an open transaction, in which others would write without a commit. A transaction that
    /// nobody receives is rolled back.
    pub(crate) async fn begin(&self) -> Result<Transaction<'static, Postgres>, DbError> {
        begin_with(&self.pool, BEGIN).await
    }
}

/// A transaction that begins with these statements, [`BEGIN`] first.
pub(crate) async fn begin_with(
    pool: &PgPool,
    statements: &'static str,
) -> Result<Transaction<'static, Postgres>, DbError> {
    let pool = pool.clone();
    let beginning =
        async move { within(LONGEST_USE, async { Ok(pool.begin_with(statements).await?) }).await };
    let begun = tokio::spawn(beginning).await;
    begun.map_err(|error| StoreError::Unavailable(format!("no transaction could begin: {error}")))?
}
