//! A workflow run is made, advanced, and asked to stop.

use accord_domain::id::WorkflowRunId;
use accord_domain::quarantine::Kind;
use accord_domain::workflow::WorkflowRun;
use accord_store::{
    Idempotency, NodeRecord, Notice, StoreError, Submission, Submitted, TaskRun, WorkflowAdvance,
    WorkflowRequest,
};
use jiff::Timestamp;
use rusqlite::{Connection, params};

use super::rows::{self, find};
use crate::error::DbResult;
use crate::quarantine;
use crate::rows::{event, idempotency};
use crate::runs::submit;
use crate::value::{count, micros};
use crate::writer::Write;

pub(super) fn submit(
    write: &mut Write<'_>,
    new: &rows::Prepared,
    promise: Option<&Idempotency>,
) -> DbResult<Option<String>> {
    let connection = write.connection();
    if let Some(response) = idempotency::replay(connection, promise)? {
        return Ok(Some(response));
    }
    rows::insert(connection, new)?;
    idempotency::keep(connection, promise, new.run.created_at)?;
    write.notify(Notice::WorkflowChanged { workflow_run_id: new.run.id.clone() });
    Ok(None)
}

/// An advance whose documents are hashed and whose events are written out.
pub(super) struct Prepared {
    run: WorkflowRun,
    head: String,
    nodes: Vec<NodeRecord>,
    events: Vec<event::Prepared>,
    starts: Vec<submit::Prepared>,
    started: Vec<TaskRun>,
    children: Vec<rows::Prepared>,
    taken: Vec<TaskRun>,
}

impl Prepared {
    pub(super) fn new(advance: WorkflowAdvance) -> DbResult<Self> {
        let runs = advance.starts.iter().map(|start| TaskRun::Run(start.run.id.clone()));
        let children = advance.children.iter().map(|child| TaskRun::Workflow(child.run.id.clone()));
        Ok(Self {
            started: runs.chain(children).collect(),
            run: advance.run,
            head: advance.head,
            nodes: advance.nodes,
            events: advance.events.iter().map(event::Prepared::new).collect::<DbResult<_>>()?,
            starts: advance.starts.into_iter().map(|start: Submission| start.into()).collect(),
            children: advance.children.into_iter().map(rows::Prepared::from).collect(),
            taken: advance.taken,
        })
    }
}

pub(super) fn advance(write: &mut Write<'_>, advance: Prepared) -> DbResult<()> {
    let Prepared { run, head, nodes, events, starts, started, children, taken } = advance;
    let found = find(write.connection(), &run.id)?;
    if found.run.version + 1 != run.version {
        return Err(StoreError::Changed { kind: "workflow run", name: run.id.to_string() }.into());
    }
    for start in starts {
        match submit::submit(write, start)? {
            Submitted::Created(_) => {}
            // Nothing of what a workflow starts was promised to anybody else.
            Submitted::Replayed(_) | Submitted::AlreadyDelivered => {
                return Err(StoreError::Changed { kind: "workflow run", name: run.id.to_string() }.into());
            }
        }
    }
    for child in &children {
        rows::insert(write.connection(), child)?;
        write.notify(Notice::WorkflowChanged { workflow_run_id: child.run.id.clone() });
    }
    let connection = write.connection();
    task_runs(connection, found.seq, &started, &taken)?;
    update(connection, found.seq, &run)?;
    quarantine::clear(connection, Kind::WorkflowStep, run.id.as_str())?;
    let sql = "UPDATE workflow_documents SET head = ?2 WHERE workflow_run = ?1";
    connection.prepare_cached(sql)?.execute(params![found.seq, head])?;
    put_nodes(connection, found.seq, &nodes)?;
    for told in &events {
        event::insert_of_workflow(connection, micros(run.updated_at), found.seq, told)?;
    }
    if !events.is_empty() {
        write.notify(Notice::WorkflowEvents { workflow_run_id: run.id.clone() });
    }
    if run.status.is_over() {
        write.notify(Notice::WorkflowChanged { workflow_run_id: run.id });
    }
    Ok(())
}

fn put_nodes(connection: &Connection, seq: i64, nodes: &[NodeRecord]) -> DbResult<()> {
    let sql = "INSERT INTO workflow_nodes (workflow_run, node, body) VALUES (?1, ?2, ?3) \
               ON CONFLICT (workflow_run, node) DO UPDATE SET body = excluded.body";
    let mut statement = connection.prepare_cached(sql)?;
    for node in nodes {
        statement.execute(params![seq, node.node, node.body])?;
    }
    Ok(())
}

/// The task runs that start, and those whose results were taken.
fn task_runs(connection: &Connection, seq: i64, started: &[TaskRun], taken: &[TaskRun]) -> DbResult<()> {
    let sql = "INSERT INTO workflow_hands (workflow_run, run_id, child_id) VALUES (?1, ?2, ?3)";
    let mut statement = connection.prepare_cached(sql)?;
    for hand in started {
        let (run, child) = ids(hand);
        statement.execute(params![seq, run, child])?;
    }
    let sql = "DELETE FROM workflow_hands WHERE workflow_run = ?1 AND (run_id = ?2 OR child_id = ?3)";
    let mut statement = connection.prepare_cached(sql)?;
    for hand in taken {
        let (run, child) = ids(hand);
        statement.execute(params![seq, run, child])?;
    }
    Ok(())
}

fn ids(hand: &TaskRun) -> (Option<&str>, Option<&str>) {
    match hand {
        TaskRun::Run(run_id) => (Some(run_id.as_str()), None),
        TaskRun::Workflow(id) => (None, Some(id.as_str())),
    }
}

fn update(connection: &Connection, seq: i64, run: &WorkflowRun) -> DbResult<()> {
    let sql = "UPDATE workflow_runs SET status = ?2, version = ?3, asked = NULL, updated_at = ?4, finished_at = ?5 \
               WHERE seq = ?1";
    connection.prepare_cached(sql)?.execute(params![
        seq,
        run.status.as_str(),
        count(run.version),
        micros(run.updated_at),
        run.finished_at.map(micros),
    ])?;
    Ok(())
}

pub(super) fn stop(write: &mut Write<'_>, id: &WorkflowRunId, now: Timestamp) -> DbResult<WorkflowRun> {
    let found = find(write.connection(), id)?;
    if found.run.status.is_over() || found.asked == Some(WorkflowRequest::Stop) {
        return Ok(found.run);
    }
    let run = WorkflowRun { version: found.run.version + 1, updated_at: now, ..found.run };
    update(write.connection(), found.seq, &run)?;
    let sql = "UPDATE workflow_runs SET asked = ?2 WHERE seq = ?1";
    write.connection().prepare_cached(sql)?.execute(params![found.seq, WorkflowRequest::Stop.as_str()])?;
    write.notify(Notice::WorkflowChanged { workflow_run_id: run.id.clone() });
    Ok(run)
}
