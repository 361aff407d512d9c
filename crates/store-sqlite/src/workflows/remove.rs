//! Workflow runs are removed.

use accord_domain::id::WorkflowRunId;
use accord_domain::quarantine::Kind;
use accord_store::StoreError;
use rusqlite::Connection;

use super::rows::find;
use crate::error::DbResult;
use crate::quarantine;
use crate::rows::assignment;

/// What belongs to a workflow run.
const REMOVALS: &[&str] = &[
    // The id of the last event is never given again: readers of events remember it.
    "UPDATE events SET workflow_run = NULL, kind = '', body = '{}' \
     WHERE id = (SELECT max(id) FROM events) AND workflow_run = ?1",
    "DELETE FROM events WHERE workflow_run = ?1",
    "DELETE FROM workflow_hands WHERE workflow_run = ?1",
    "DELETE FROM workflow_nodes WHERE workflow_run = ?1",
    "DELETE FROM workflow_inputs WHERE workflow_run = ?1",
    "DELETE FROM workflow_documents WHERE workflow_run = ?1",
    "DELETE FROM workflow_runs WHERE seq = ?1",
];

pub(super) fn remove(connection: &Connection, id: &WorkflowRunId) -> DbResult<()> {
    let found = find(connection, id)?;
    let sql = "SELECT 1 FROM workflow_hands WHERE child_id = ?1";
    let awaited = connection.prepare_cached(sql)?.exists([id.as_str()])?;
    if awaited || !found.run.status.is_over() {
        return Err(StoreError::AtWork(found.run.id).into());
    }
    let sql = "SELECT definition FROM workflow_documents WHERE workflow_run = ?1";
    let definition = connection.prepare_cached(sql)?.query_row([found.seq], |row| row.get(0))?;
    for sql in REMOVALS {
        connection.prepare_cached(sql)?.execute([found.seq])?;
    }
    quarantine::clear(connection, Kind::WorkflowStep, id.as_str())?;
    assignment::collect(connection, &[definition])
}
