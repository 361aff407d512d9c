//! The pool, and what a server must be like.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use accord_store::StoreError;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{Connection, Executor, PgPool, Row};

use crate::fault::Fault;

/// Use cases are short, and more transactions at once than a server has cores only wait for each other; a server allows
/// 100 connections unless told otherwise, so this leaves room for a few coordinators and for people.
const MOST_CONNECTIONS: u32 = 20;

/// How long a use case waits for a connection: a restart of the server takes about as long, and a caller that hears
/// nothing for longer gives up anyway.
const ACQUIRE_LIMIT: Duration = Duration::from_secs(5);

/// A connection that was used just now is taken as it is, unless others broke since; one that has rested for longer is
/// tried first.
const FRESH: Duration = Duration::from_secs(1);

/// When a connection was last seen to break: others that have not been used since have probably broken with it.
#[derive(Debug, Default)]
pub(crate) struct Breaks {
    last: Mutex<Option<Instant>>,
}

impl Breaks {
    /// One broke now.
    pub(crate) fn note(&self) {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }

    fn since(&self, rested: Duration) -> bool {
        let last = *self.last.lock().unwrap_or_else(PoisonError::into_inner);
        last.is_some_and(|last| last.elapsed() <= rested)
    }
}

/// The first version with `pg_current_xact_id`.
const OLDEST_SERVER: i32 = 130_000;

/// What every connection is told. The limits end what would otherwise hold back others, and events, for ever; a server
/// that is set to lose the newest commits in a crash is asked not to.
const SETTINGS: &str = "
SET default_transaction_isolation = 'read committed';
SET statement_timeout = '60s';
SET lock_timeout = '10s';
SET idle_in_transaction_session_timeout = '60s';
SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off';
";

/// Connects, and checks what is there.
pub(crate) async fn pool(url: &str, breaks: Arc<Breaks>) -> Result<PgPool, Fault> {
    // The address is never shown: it may hold a password.
    let options: PgConnectOptions = url
        .parse()
        .map_err(|error| StoreError::Unavailable(format!("the database address cannot be read: {error}")))?;
    let pool = PgPoolOptions::new()
        .max_connections(MOST_CONNECTIONS)
        .acquire_timeout(ACQUIRE_LIMIT)
        .test_before_acquire(false)
        .before_acquire(move |connection, usage| {
            let doubtful = usage.idle_for >= FRESH || breaks.since(usage.idle_for);
            Box::pin(async move {
                if doubtful {
                    connection.ping().await?;
                }
                Ok(true)
            })
        })
        .after_connect(|connection, _| {
            Box::pin(async move {
                connection.execute(sqlx::raw_sql(SETTINGS)).await?;
                Ok(())
            })
        })
        .connect_with(options.application_name("accord"))
        .await?;
    check(&pool).await?;
    Ok(pool)
}

async fn check(pool: &PgPool) -> Result<(), Fault> {
    let row = sqlx::query(
        "SELECT current_setting('server_version_num')::integer AS version, \
         current_setting('server_version') AS version_text, current_setting('server_encoding') AS encoding",
    )
    .fetch_one(pool)
    .await?;
    if row.try_get::<i32, _>("version")? < OLDEST_SERVER {
        let version: &str = row.try_get("version_text")?;
        let text = format!("PostgreSQL {version} is too old; use 13 or newer");
        return Err(StoreError::Unavailable(text).into());
    }
    let encoding: &str = row.try_get("encoding")?;
    if encoding != "UTF8" {
        let text = format!("the database's encoding is {encoding}; create it with ENCODING 'UTF8'");
        return Err(StoreError::Unavailable(text).into());
    }
    Ok(())
}
