//! Workflow runs are read.

use accord_domain::id::{RunId, WorkflowRunId};
use accord_domain::quarantine::{Item, Kind};
use accord_domain::workflow::WorkflowRun;
use accord_store::{
    Count, DueWorkflowRun, NodeRecord, Page, PageRequest, Summaries, TaskRun, WorkflowDocuments,
    WorkflowRunFilter,
};
use rusqlite::{Connection, OptionalExtension};

use super::rows::{columns, find, read};
use crate::error::DbResult;
use crate::page::{self, ColumnFilter, List, bound, newest_first};
use crate::quarantine;
use crate::value::{counted, micros};

pub(super) fn whole(connection: &Connection, id: &WorkflowRunId) -> DbResult<WorkflowDocuments> {
    // One transaction, so that the parts are of one version. A store in memory reads where it writes, in one already.
    let _reading = connection.is_autocommit().then(|| connection.unchecked_transaction()).transpose()?;
    let found = find(connection, id)?;
    let sql = "SELECT d.body, w.head FROM workflow_documents w JOIN documents d ON d.id = w.definition \
               WHERE w.workflow_run = ?1";
    let (definition, head) =
        connection.prepare_cached(sql)?.query_row([found.seq], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let mut nodes = Vec::new();
    let sql = "SELECT node, body FROM workflow_nodes WHERE workflow_run = ?1 ORDER BY node";
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query([found.seq])?;
    while let Some(row) = rows.next()? {
        nodes.push(NodeRecord { node: row.get(0)?, body: row.get(1)? });
    }
    let deaths = quarantine::deaths(connection, &Item::new(Kind::WorkflowStep, id))?;
    Ok(WorkflowDocuments { run: found.run, definition, head, nodes, asked: found.asked, deaths })
}

const SEARCHED: &str = "(SELECT i.searched FROM workflow_inputs i WHERE i.workflow_run = w.seq)";

/// Does something with the list that a filter asks for.
fn listed<T>(filter: &WorkflowRunFilter, with: impl FnOnce(&List<'_>) -> DbResult<T>) -> DbResult<T> {
    let status = filter.status.map(|status| status.as_str());
    let (since, until) = (filter.since.map(micros), filter.until.map(micros));
    let conditions: [ColumnFilter<'_>; 4] = [
        ("w.status =", bound(&status)),
        ("w.workflow_name =", bound(&filter.workflow_name)),
        ("w.created_at >=", bound(&since)),
        ("w.created_at <", bound(&until)),
    ];
    let (columns, source, search) = (columns!(), "workflow_runs w", filter.search.as_ref());
    with(&List { columns, source, alias: "w", conditions: &conditions, searched: SEARCHED, search })
}

pub(super) fn list(
    connection: &Connection,
    filter: &WorkflowRunFilter,
    page: &PageRequest,
) -> DbResult<Page<WorkflowRun>> {
    listed(filter, |list| newest_first(connection, list, page, |row| Ok(read(row)?.run)))
}

pub(super) fn count(connection: &Connection, filter: &WorkflowRunFilter, most: u32) -> DbResult<Count> {
    listed(filter, |list| page::counted(connection, list, most))
}

pub(super) fn previews(
    connection: &Connection,
    runs: &[WorkflowRunId],
) -> DbResult<Summaries<WorkflowRunId, String>> {
    let sql = "SELECT i.preview FROM workflow_runs w JOIN workflow_inputs i ON i.workflow_run = w.seq WHERE w.id = ?1";
    let mut statement = connection.prepare_cached(sql)?;
    let mut found = Summaries::with_capacity(runs.len());
    for id in runs {
        if let Some(preview) = statement.query_row([id.as_str()], |row| row.get(0)).optional()? {
            found.insert(id.clone(), preview);
        }
    }
    Ok(found)
}

/// Whether a task run has finished or is gone.
macro_rules! done {
    () => {
        "(h.run_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.id = h.run_id \
          AND r.status NOT IN ('completed', 'failed', 'stopped'))) \
         OR (h.child_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM workflow_runs c WHERE c.id = h.child_id \
          AND c.finished_at IS NULL))"
    };
}

pub(super) fn due(connection: &Connection, limit: u32) -> DbResult<Vec<DueWorkflowRun>> {
    let sql = concat!(
        "SELECT w.id, coalesce(u.deaths, 0) FROM workflow_runs w \
         LEFT JOIN underway u ON u.kind = 'workflow_step' AND u.id = w.id WHERE w.finished_at IS NULL AND (w.asked IS NOT NULL \
         OR w.status = 'stopping' OR EXISTS (SELECT 1 FROM workflow_hands h WHERE h.workflow_run = w.seq AND (",
        done!(),
        "))) ORDER BY w.seq LIMIT ?1"
    );
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query([limit])?;
    let mut due = Vec::new();
    while let Some(row) = rows.next()? {
        let id = WorkflowRunId::try_from(row.get::<_, String>(0)?)?;
        due.push(DueWorkflowRun { id, deaths: counted(row.get(1)?)? });
    }
    Ok(due)
}

pub(super) fn done(connection: &Connection, id: &WorkflowRunId) -> DbResult<Vec<TaskRun>> {
    let sql = concat!(
        "SELECT h.run_id, h.child_id FROM workflow_hands h JOIN workflow_runs w ON w.seq = h.workflow_run \
         WHERE w.id = ?1 AND (",
        done!(),
        ") ORDER BY h.seq"
    );
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query([id.as_str()])?;
    let mut done = Vec::new();
    while let Some(row) = rows.next()? {
        let (run, child): (Option<String>, Option<String>) = (row.get(0)?, row.get(1)?);
        if let Some(run) = run {
            done.push(TaskRun::Run(RunId::try_from(run)?));
        }
        if let Some(child) = child {
            done.push(TaskRun::Workflow(WorkflowRunId::try_from(child)?));
        }
    }
    Ok(done)
}

pub(super) fn is_task_run(connection: &Connection, run_id: &RunId) -> DbResult<bool> {
    let sql = "SELECT 1 FROM workflow_hands WHERE run_id = ?1";
    Ok(connection.prepare_cached(sql)?.exists([run_id.as_str()])?)
}
