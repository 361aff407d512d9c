//! The table `workflow_runs` and the documents beside it.

use accord_domain::id::WorkflowRunId;
use accord_domain::input::InputSummary;
use accord_domain::workflow::WorkflowRun;
use accord_store::{NewWorkflowRun, StoreError, WorkflowRequest};
use rusqlite::{Connection, Row, params};

use crate::error::{DbResult, corrupt, is_taken};
use crate::rows::assignment::{Document, keep};
use crate::value::{count, counted, from_json, json, micros, named, text, time, time_if};

/// The columns that [`read`] reads, of `workflow_runs w`.
macro_rules! columns {
    () => {
        "w.seq, w.id, w.workflow_name, w.status, w.version, w.parent, w.depth, w.created_at, w.updated_at, \
         w.finished_at, w.asked, w.failure, w.requested_by"
    };
}
pub(super) use columns;

/// A workflow run from a row.
pub(super) struct WorkflowRow {
    pub(super) seq: i64,
    pub(super) run: WorkflowRun,
    pub(super) asked: Option<WorkflowRequest>,
}

pub(super) fn read(row: &Row<'_>) -> DbResult<WorkflowRow> {
    let parent: Option<String> = row.get("parent")?;
    let asked: Option<String> = row.get("asked")?;
    let failure: Option<String> = row.get("failure")?;
    let requested_by: Option<String> = row.get("requested_by")?;
    let run = WorkflowRun {
        id: WorkflowRunId::try_from(row.get::<_, String>("id")?)?,
        workflow_name: row.get("workflow_name")?,
        status: named(text(row, "status")?)?,
        version: counted(row.get("version")?)?,
        parent: parent.map(WorkflowRunId::try_from).transpose()?,
        depth: counted(row.get("depth")?)?,
        requested_by: requested_by.as_deref().map(from_json).transpose()?,
        created_at: time(row.get("created_at")?)?,
        updated_at: time(row.get("updated_at")?)?,
        finished_at: time_if(row.get("finished_at")?)?,
        failure: failure.as_deref().map(from_json).transpose()?,
    };
    Ok(WorkflowRow { seq: row.get("seq")?, run, asked: asked.as_deref().map(asked_by_name).transpose()? })
}

fn asked_by_name(name: &str) -> DbResult<WorkflowRequest> {
    WorkflowRequest::named(name).ok_or_else(|| corrupt(format!("unknown request {name:?} to a workflow run")))
}

pub(super) fn find(connection: &Connection, id: &WorkflowRunId) -> DbResult<WorkflowRow> {
    let sql = concat!("SELECT ", columns!(), " FROM workflow_runs w WHERE w.id = ?1");
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query([id.as_str()])?;
    match rows.next()? {
        Some(row) => read(row),
        None => Err(StoreError::NoSuch { kind: "workflow run", name: id.to_string() }.into()),
    }
}

/// A workflow run that is ready to be written.
pub(super) struct Prepared {
    pub(super) run: WorkflowRun,
    definition: Document,
    head: String,
    input: InputSummary,
}

impl From<NewWorkflowRun> for Prepared {
    fn from(new: NewWorkflowRun) -> Self {
        Self { run: new.run, definition: Document::new(new.definition), head: new.head, input: new.input }
    }
}

/// Writes a new workflow run, which is asked to begin.
pub(super) fn insert(connection: &Connection, new: &Prepared) -> DbResult<()> {
    let run = &new.run;
    let sql = "INSERT INTO workflow_runs (id, workflow_name, status, version, parent, depth, asked, created_at, \
               updated_at, finished_at, requested_by) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)";
    let inserted = connection.prepare_cached(sql)?.insert(params![
        run.id.as_str(),
        run.workflow_name,
        run.status.as_str(),
        count(run.version),
        run.parent.as_ref().map(WorkflowRunId::as_str),
        run.depth,
        WorkflowRequest::Begin.as_str(),
        micros(run.created_at),
        micros(run.updated_at),
        run.finished_at.map(micros),
        run.requested_by.as_ref().map(json).transpose()?,
    ]);
    let seq = match inserted {
        Err(error) if is_taken(&error) => {
            return Err(StoreError::Exists { kind: "workflow run", name: run.id.to_string() }.into());
        }
        inserted => inserted?,
    };
    let definition = keep(connection, &new.definition)?;
    let sql = "INSERT INTO workflow_documents (workflow_run, definition, head) VALUES (?1, ?2, ?3)";
    connection.prepare_cached(sql)?.execute(params![seq, definition, new.head])?;
    let sql = "INSERT INTO workflow_inputs (workflow_run, preview, searched) VALUES (?1, ?2, ?3)";
    connection.prepare_cached(sql)?.execute(params![seq, new.input.preview, new.input.searched])?;
    Ok(())
}
