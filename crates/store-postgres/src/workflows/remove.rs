//! Workflow runs are removed.

use accord_domain::id::WorkflowRunId;
use accord_store::StoreError;
use sqlx::PgConnection;

use super::rows::locked;
use crate::error::DbError;
use crate::runs::documents;
use crate::store::{PostgresStore, conclude};

/// Whether the run of another workflow has not taken its end into account.
const AWAITED: &str = "SELECT EXISTS (SELECT 1 FROM workflow_hands WHERE child_id = $1)";

const DEFINITION: &str = "SELECT definition FROM workflow_documents WHERE workflow_run_id = $1";

/// Everything of a workflow run, in one statement, but for what it may share with others: its definition.
const REMOVE: &str = "
WITH no_events AS (DELETE FROM events WHERE workflow_run_id = $1),
no_hands AS (DELETE FROM workflow_hands WHERE workflow_run_id = $1),
no_nodes AS (DELETE FROM workflow_nodes WHERE workflow_run_id = $1),
no_inputs AS (DELETE FROM workflow_inputs WHERE workflow_run_id = $1),
no_documents AS (DELETE FROM workflow_documents WHERE workflow_run_id = $1),
no_mark AS (DELETE FROM underway WHERE kind = 'workflow_step' AND id = $1)
DELETE FROM workflow_runs WHERE id = $1";

impl PostgresStore {
    pub(super) async fn delete_workflow_run(&self, id: &WorkflowRunId) -> Result<(), DbError> {
        let mut transaction = self.begin().await?;
        let removed = remove(&mut transaction, id).await;
        conclude(transaction, removed).await
    }
}

async fn remove(connection: &mut PgConnection, id: &WorkflowRunId) -> Result<(), DbError> {
    let (run, _) = locked(connection, id).await?;
    let awaited: bool = sqlx::query_scalar(AWAITED).bind(id.as_str()).fetch_one(&mut *connection).await?;
    if awaited || !run.status.is_over() {
        return Err(StoreError::AtWork(run.id).into());
    }
    let definition = sqlx::query_scalar(DEFINITION).bind(id.as_str()).fetch_all(&mut *connection).await?;
    sqlx::query(REMOVE).bind(id.as_str()).execute(&mut *connection).await?;
    documents::collect(connection, definition).await
}
