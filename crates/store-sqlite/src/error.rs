//! Errors of use cases.

use accord_domain::id::IdError;
use accord_domain::run::change::Refused;
use accord_store::StoreError;
use rusqlite::ErrorCode;

/// An error inside a use case, for `?`. It leaves the crate as a [`StoreError`].
#[derive(Debug)]
pub(crate) enum DbError {
    Answer(StoreError),
    Database(rusqlite::Error),
}

/// Why a transaction was not committed, for all callers of its use cases and for the log.
#[derive(Debug)]
pub(crate) struct CommitError(pub(crate) String);

pub(crate) type DbResult<T> = Result<T, DbError>;

impl From<StoreError> for DbError {
    fn from(error: StoreError) -> Self {
        Self::Answer(error)
    }
}

impl From<Refused> for DbError {
    fn from(error: Refused) -> Self {
        Self::Answer(error.into())
    }
}

impl From<rusqlite::Error> for DbError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Database(error)
    }
}

impl From<serde_json::Error> for DbError {
    fn from(error: serde_json::Error) -> Self {
        corrupt(error)
    }
}

impl From<serde::de::value::Error> for DbError {
    fn from(error: serde::de::value::Error) -> Self {
        corrupt(error)
    }
}

impl From<IdError> for DbError {
    fn from(error: IdError) -> Self {
        corrupt(error)
    }
}

impl From<jiff::Error> for DbError {
    fn from(error: jiff::Error) -> Self {
        corrupt(error)
    }
}

/// The database holds something that we did not write.
pub(crate) fn corrupt(what: impl std::fmt::Display) -> DbError {
    DbError::Answer(StoreError::Corrupt(what.to_string()))
}

impl From<DbError> for StoreError {
    fn from(fault: DbError) -> Self {
        match fault {
            DbError::Answer(error) => error,
            DbError::Database(error) => of_database(&error),
        }
    }
}

/// By what the caller does next: damage needs a person, everything else may pass.
pub(crate) fn of_database(error: &rusqlite::Error) -> StoreError {
    use rusqlite::Error;
    let damaged = matches!(
        error,
        Error::FromSqlConversionFailure(..)
            | Error::IntegralValueOutOfRange(..)
            | Error::InvalidColumnType(..)
            | Error::Utf8Error(..)
    );
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => StoreError::Corrupt(error.to_string()),
        _ if damaged => StoreError::Corrupt(error.to_string()),
        _ => StoreError::Unavailable(error.to_string()),
    }
}

/// Whether a row with this key was there already.
pub(crate) fn is_taken(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(ErrorCode::ConstraintViolation)
}
