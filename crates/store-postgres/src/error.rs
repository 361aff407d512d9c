//! Errors of the database, and which of them are worth a retry.

use std::time::Duration;

use accord_domain::run::change::Refused;
use accord_store::StoreError;
use tokio::time::timeout;

/// A refusal of ours or an error of the database.
#[derive(Debug)]
pub(crate) enum DbError {
    /// A refusal, as callers see it.
    Store(StoreError),
    /// The database did not do it.
    Database(sqlx::Error),
}

/// Two transactions that met are tried again: one of them has won, so each round makes progress.
const TRIES: u32 = 5;

/// How long a use case may take: longer than the server lets a statement, so that this ends only what waits for a line that was
/// cut without a word.
pub(crate) const LONGEST_USE: Duration = Duration::from_secs(70);

/// SQLSTATE of a serialisation failure and of a deadlock.
const COLLISIONS: &[&str] = &["40001", "40P01"];

/// SQLSTATE classes that say that our statement or our data is wrong, not that the server is in trouble.
const OUR_MISTAKES: &[&str] = &["22", "23", "42"];

/// But a user that lacks a right is neither.
const NOT_ALLOWED: &str = "42501";

impl From<sqlx::Error> for DbError {
    fn from(error: sqlx::Error) -> Self {
        Self::Database(error)
    }
}

impl From<StoreError> for DbError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<Refused> for DbError {
    fn from(refused: Refused) -> Self {
        Self::Store(refused.into())
    }
}

impl From<DbError> for StoreError {
    fn from(fault: DbError) -> Self {
        let error = match fault {
            DbError::Store(error) => return error,
            DbError::Database(error) => error,
        };
        match &error {
            sqlx::Error::ColumnDecode { .. }
            | sqlx::Error::Decode(_)
            | sqlx::Error::ColumnNotFound(_)
            | sqlx::Error::RowNotFound => StoreError::Corrupt(error.to_string()),
            sqlx::Error::Database(cause) => {
                let code = cause.code().unwrap_or_default();
                let ours = OUR_MISTAKES.iter().any(|class| code.starts_with(class)) && code != NOT_ALLOWED;
                let text = format!("{} (SQLSTATE {code})", cause.message());
                if ours { StoreError::Corrupt(text) } else { StoreError::Unavailable(text) }
            }
            _ => StoreError::Unavailable(error.to_string()),
        }
    }
}

impl DbError {
    fn is_collision(&self) -> bool {
        let Self::Database(sqlx::Error::Database(cause)) = self else { return false };
        cause.code().is_some_and(|code| COLLISIONS.contains(&code.as_ref()))
    }

    /// The name of the unique constraint that was broken, if that is what happened.
    pub(crate) fn taken(&self) -> Option<&str> {
        let Self::Database(sqlx::Error::Database(cause)) = self else { return None };
        if cause.is_unique_violation() { cause.constraint() } else { None }
    }
}

/// Limits the time of an operation on the database.
pub(crate) async fn within<T>(
    limit: Duration,
    work: impl Future<Output = Result<T, DbError>>,
) -> Result<T, DbError> {
    timeout(limit, work).await.unwrap_or_else(|_| {
        let text = format!("PostgreSQL has not answered for {} seconds", limit.as_secs());
        Err(StoreError::Unavailable(text).into())
    })
}

/// Carries out a use case, again where it collided with another: nothing of a failed try was written.
pub(crate) async fn retrying<T, Work, Step>(work: Work) -> Result<T, StoreError>
where
    Work: Fn() -> Step,
    Step: Future<Output = Result<T, DbError>>,
{
    let mut tries = 1;
    loop {
        match within(LONGEST_USE, work()).await {
            Err(fault) if fault.is_collision() && tries < TRIES => tries += 1,
            result => return result.map_err(StoreError::from),
        }
    }
}
