//! The documents of runs.

use accord_domain::id::{RunId, SessionId};
use accord_domain::run::Assignment;
use accord_store::StoreError;
use sqlx::{PgConnection, PgExecutor};

use crate::error::DbError;
use crate::rows::{self, assignment_columns, assignment_documents};

const DOCUMENTS: &str = concat!(
    "SELECT ",
    assignment_columns!(),
    " FROM assignments a ",
    assignment_documents!(),
    " WHERE a.run_id = $1"
);

/// The assignment of a run.
pub(super) async fn of_run(executor: impl PgExecutor<'_>, run_id: &RunId) -> Result<Assignment, DbError> {
    let row = sqlx::query(DOCUMENTS).bind(run_id.as_str()).fetch_optional(executor).await?;
    rows::assignment(&row.ok_or_else(|| StoreError::NoRun(run_id.clone()))?)
}

/// Takes the advisory lock of the documents: shared by transactions that refer to documents, exclusive for those that remove
/// them. Everybody locks the session or the workflow run first.
macro_rules! shared_lock {
    () => {
        "pg_advisory_xact_lock_shared(110429572787557)"
    };
}
pub(crate) use shared_lock;

const REMOVE: &str = "SELECT pg_advisory_xact_lock(110429572787557)";

/// Keeps documents from being removed until the transaction ends.
pub(crate) async fn refer(connection: &mut PgConnection) -> Result<(), DbError> {
    sqlx::query(concat!("SELECT ", shared_lock!())).execute(connection).await?;
    Ok(())
}

const OF_SESSION: &str = "
SELECT a.blueprint AS hash FROM assignments a JOIN runs r ON r.id = a.run_id WHERE r.session_id = $1
UNION
SELECT a.contract FROM assignments a JOIN runs r ON r.id = a.run_id
WHERE r.session_id = $1 AND a.contract IS NOT NULL";

/// The documents that the runs of a session refer to.
pub(crate) async fn of_session(
    connection: &mut PgConnection,
    session_id: &SessionId,
) -> Result<Vec<Vec<u8>>, DbError> {
    Ok(sqlx::query_scalar(OF_SESSION).bind(session_id.as_str()).fetch_all(connection).await?)
}

const COLLECT: &str = "
DELETE FROM documents d WHERE d.hash = ANY($1)
    AND NOT EXISTS (SELECT 1 FROM assignments a WHERE a.blueprint = d.hash)
    AND NOT EXISTS (SELECT 1 FROM assignments a WHERE a.contract = d.hash)
    AND NOT EXISTS (SELECT 1 FROM workflow_documents w WHERE w.definition = d.hash)";

/// Removes those of these documents that have no references left, after transactions that may add references.
pub(crate) async fn collect(connection: &mut PgConnection, hashes: Vec<Vec<u8>>) -> Result<(), DbError> {
    sqlx::query(REMOVE).execute(&mut *connection).await?;
    sqlx::query(COLLECT).bind(hashes).execute(connection).await?;
    Ok(())
}
