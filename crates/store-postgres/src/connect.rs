//! The pool, and what a server must be like.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use accord_store::StoreError;
use sqlx::pool::PoolConnectionMetadata;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{Connection, Executor, PgConnection, PgPool, Row};
use tokio::time::timeout;
use tracing::subscriber::{self, NoSubscriber};

use crate::error::DbError;

/// The maximum number of connections. Transactions are short, and more of them than the server has
/// cores only wait for each other. A server allows 100 connections by default, so this leaves room
/// for a few coordinators and for people.
const MOST_CONNECTIONS: u32 = 20;

/// How long an operation waits for a connection: about as long as a restart of the server takes.
/// Callers would not wait longer anyway.
const ACQUIRE_LIMIT: Duration = Duration::from_secs(5);

/// A connection that was used just now is taken as it is, unless others broke since; one that has rested for longer is
/// tried first.
const FRESH: Duration = Duration::from_secs(1);

/// The timeout for a response of the server. Without it, a connection that was cut silently would only fail after the
/// operating system's timeout of about 15 minutes.
pub(crate) const SILENCE: Duration = Duration::from_secs(2);

/// How long a connection on which nothing can be written is kept. The server may be writable again for new ones: a failover, or
/// a setting of the database, need not reach those that are open.
const READ_ONLY: Duration = Duration::from_secs(2);

/// When a connection was last seen to break: others that have not been used since have probably broken with it. And when the
/// last one was made on which nothing can be written: so it is with those before it, probably.
#[derive(Debug, Default)]
pub(crate) struct Breaks {
    last: Mutex<Option<(Instant, Break)>>,
    read_only: Mutex<Option<Instant>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Break {
    /// The server closed it, so every other one reports that at once.
    Closed,
    /// No answer: trying the others would take as long for each.
    Silent,
}

impl Breaks {
    pub(crate) fn note(&self) {
        self.keep(Break::Closed);
    }

    fn note_silence(&self) {
        self.keep(Break::Silent);
    }

    fn keep(&self, how: Break) {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some((Instant::now(), how));
    }

    /// Whether a connection that was used this long ago has to be tried before it is used again.
    pub(crate) fn is_doubtful(&self, rested: Duration) -> bool {
        self.since(rested).is_some()
    }

    /// Whether the server was found to give no answers since then.
    pub(crate) fn is_silent_since(&self, elapsed: Duration) -> bool {
        self.since(elapsed) == Some(Break::Silent)
    }

    fn since(&self, rested: Duration) -> Option<Break> {
        let last = *self.last.lock().unwrap_or_else(PoisonError::into_inner);
        last.filter(|(at, _)| at.elapsed() <= rested).map(|(_, how)| how)
    }

    /// A connection was made on which nothing can be written.
    fn note_read_only(&self) {
        *self.read_only.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }

    /// Whether a connection of this age should be replaced, to see whether the database accepts
    /// writes again. That also applies to slightly younger ones.
    fn is_read_only(&self, age: Duration) -> bool {
        let last = *self.read_only.lock().unwrap_or_else(PoisonError::into_inner);
        age > READ_ONLY && last.is_some_and(|at| at.elapsed() <= age + READ_ONLY)
    }

    /// Whether a connection that was idle for this long can be used. A refused one is dropped without closing it.
    async fn try_out(
        &self,
        connection: &mut PgConnection,
        PoolConnectionMetadata { age, idle_for: rested, .. }: PoolConnectionMetadata,
    ) -> Result<bool, sqlx::Error> {
        match self.since(rested) {
            Some(Break::Silent) => Err(silent()),
            _ if self.is_read_only(age) => Ok(false),
            None if rested < FRESH => Ok(true),
            _ => self.ask(connection).await,
        }
    }

    /// Checks whether a connection is alive.
    async fn ask(&self, connection: &mut PgConnection) -> Result<bool, sqlx::Error> {
        match timeout(SILENCE, connection.ping()).await {
            Ok(answer) => answer.map(|()| true),
            Err(_) => {
                self.note_silence();
                Err(silent())
            }
        }
    }
}

fn silent() -> sqlx::Error {
    sqlx::Error::Io(io::Error::new(io::ErrorKind::TimedOut, "PostgreSQL does not respond"))
}

/// The parameters of an address that are understood.
const PARAMETERS: &[&str] = &[
    "application_name",
    "dbname",
    "host",
    "hostaddr",
    "options",
    "password",
    "port",
    "ssl-ca",
    "ssl-cert",
    "ssl-key",
    "ssl-mode",
    "ssl-root-cert",
    "sslcert",
    "sslkey",
    "sslmode",
    "sslrootcert",
    "statement-cache-capacity",
    "user",
];

/// The first version with `pg_current_xact_id`.
const OLDEST_SERVER: i32 = 130_000;

/// The settings of every connection. The limits end transactions that would otherwise block others,
/// and events, forever. A server that is configured to lose the newest commits in a crash is asked
/// not to. Its warnings are hidden: they are about statements of the library, such as a rollback
/// after a successful commit whose caller was gone.
const SETTINGS: &str = "
SET client_min_messages = 'error';
SET default_transaction_isolation = 'read committed';
SET statement_timeout = '60s';
SET lock_timeout = '10s';
SET idle_in_transaction_session_timeout = '10s';
SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off';
";

const IS_READ_ONLY: &str = "SELECT current_setting('transaction_read_only')::boolean";

/// Connects and checks the database.
pub(crate) async fn pool(url: &str, breaks: Arc<Breaks>) -> Result<PgPool, DbError> {
    let options = options(url)?;
    let (before, made, after) = (Arc::clone(&breaks), Arc::clone(&breaks), breaks);
    let pool = PgPoolOptions::new()
        .max_connections(MOST_CONNECTIONS)
        .acquire_timeout(ACQUIRE_LIMIT)
        .test_before_acquire(false)
        .before_acquire(move |connection, usage| {
            let breaks = Arc::clone(&before);
            Box::pin(async move { breaks.try_out(connection, usage).await })
        })
        // The pool itself would wait for an answer for as long as the system does, and keep the place meanwhile.
        .after_release(move |connection, _| {
            let breaks = Arc::clone(&after);
            Box::pin(async move { breaks.ask(connection).await })
        })
        .after_connect(move |connection, _| {
            let breaks = Arc::clone(&made);
            Box::pin(async move {
                connection.execute(sqlx::raw_sql(SETTINGS)).await?;
                if sqlx::query_scalar(IS_READ_ONLY).fetch_one(connection).await? {
                    breaks.note_read_only();
                }
                Ok(())
            })
        })
        .connect_with(options.clone())
        .await;
    let pool = match pool {
        Ok(pool) => pool,
        Err(error) => return Err(unreached(cause(error, &options).await, place(url, &options))),
    };
    check(&pool).await?;
    Ok(pool)
}

/// Why there is no connection. A pool waits for a server that is starting, and in the end only
/// reports that it has waited.
async fn cause(error: sqlx::Error, options: &PgConnectOptions) -> sqlx::Error {
    if !matches!(error, sqlx::Error::PoolTimedOut) {
        return error;
    }
    match timeout(SILENCE, PgConnection::connect_with(options)).await {
        Ok(Ok(_)) => error,
        Ok(Err(cause)) => cause,
        Err(_) => silent(),
    }
}

/// The address of the server; `None` if it may contain a part of a password that was not escaped.
fn place(url: &str, options: &PgConnectOptions) -> Option<String> {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    if rest.rfind('@').is_some_and(|at| at > authority) {
        return None;
    }
    let (host, port) = (options.get_host(), options.get_port());
    Some(match options.get_socket() {
        Some(socket) => socket.display().to_string(),
        None if host.starts_with('/') => host.to_owned(),
        None => format!("{host}:{port}"),
    })
}

/// The address is never shown, nor the values in it: it may hold a password. The library would show those of parameters that
/// it does not know.
fn options(url: &str) -> Result<PgConnectOptions, StoreError> {
    let parsed = subscriber::with_default(NoSubscriber::default(), || url.parse::<PgConnectOptions>());
    let options =
        parsed.map_err(|error| StoreError::Unavailable(format!("invalid database URL: {error}")))?;
    if has_unknown_parameters(url) {
        tracing::warn!("the database URL has unknown parameters, which are ignored");
    }
    Ok(options.application_name("accord"))
}

/// Whether the library leaves out something of what the address says.
fn has_unknown_parameters(url: &str) -> bool {
    let query = url.split_once('?').map_or("", |(_, query)| query);
    let query = query.split('#').next().unwrap_or_default();
    let names = query.split('&').filter(|pair| !pair.is_empty()).map(|pair| pair.split('=').next());
    names.flatten().any(|name| !PARAMETERS.contains(&name) && !name.starts_with("options["))
}

/// What to check if the server does not answer or refuses access.
fn unreached(error: sqlx::Error, place: Option<String>) -> DbError {
    let cause = StoreError::from(DbError::from(error));
    let cause = match &cause {
        StoreError::Unavailable(cause) | StoreError::Corrupt(cause) => cause,
        _ => return cause.into(),
    };
    let remedy = "is PostgreSQL running, and do user, password and database exist?";
    let place = place.map(|place| format!(" at {place}")).unwrap_or_default();
    StoreError::Unavailable(format!("{cause}{place}; {remedy}")).into()
}

async fn check(pool: &PgPool) -> Result<(), DbError> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_contains_no_part_of_a_password() {
        for (url, expected) in [
            ("postgres://bob:hush@db.test:5433/accord", Some("db.test:5433")),
            ("postgres://bob:hush@db.test/accord?sslmode=disable", Some("db.test:5432")),
            ("postgres://bob@%2Ftmp%2Fsockets/accord", Some("/tmp/sockets")),
            ("postgres://bob:12/34@db.test/accord", None),
            ("postgres://bob:12#34@db.test/accord", None),
        ] {
            let options = options(url).unwrap();
            assert_eq!(place(url, &options).as_deref(), expected, "{url}");
        }
    }
}
