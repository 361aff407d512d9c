//! A workflow run is made, advanced, and asked to stop.

use accord_domain::id::WorkflowRunId;
use accord_domain::quarantine::Kind;
use accord_domain::workflow::WorkflowRun;
use accord_store::{
    Idempotency, NewWorkflowRun, NodeRecord, StoreError, Submitted, TaskRun, WorkflowAdvance, WorkflowRequest,
};
use jiff::Timestamp;
use sqlx::PgConnection;

use super::rows::{insert, locked, update};
use crate::convert::whole;
use crate::error::DbError;
use crate::event_rows::WorkflowEvent;
use crate::idempotency;
use crate::notices::Announcement;
use crate::quarantine::clear;
use crate::runs::submit;
use crate::store::{PostgresStore, conclude};
use crate::write::all_events;

/// The advance with times as they will be read again.
pub(super) fn to_the_microsecond(advance: WorkflowAdvance) -> WorkflowAdvance {
    let run = WorkflowRun {
        updated_at: whole(advance.run.updated_at),
        finished_at: advance.run.finished_at.map(whole),
        ..advance.run
    };
    let starts = advance.starts.into_iter().map(submit::to_the_microsecond).collect();
    WorkflowAdvance { run, starts, ..advance }
}

impl PostgresStore {
    pub(super) async fn add_workflow_run(
        &self,
        new: &NewWorkflowRun,
        idempotency: Option<&Idempotency>,
    ) -> Result<Option<String>, DbError> {
        let mut transaction = self.begin().await?;
        let written = add(&mut transaction, new, idempotency).await;
        let answer = conclude(transaction, written).await?;
        if answer.is_none() {
            self.hub.announce(Announcement::of_workflows(false, false, vec![new.run.id.clone()]));
        }
        Ok(answer)
    }

    pub(super) async fn move_workflow_run(&self, advance: &WorkflowAdvance) -> Result<(), DbError> {
        let mut transaction = self.begin().await?;
        let written = write(&mut transaction, advance).await;
        conclude(transaction, written).await?;
        let mut changed: Vec<WorkflowRunId> =
            advance.children.iter().map(|child| child.run.id.clone()).collect();
        if advance.run.status.is_over() {
            changed.push(advance.run.id.clone());
        }
        let queued = !advance.starts.is_empty();
        let events = queued || !advance.events.is_empty();
        self.hub.announce(Announcement::of_workflows(queued, events, changed));
        Ok(())
    }

    pub(super) async fn ask_to_stop(
        &self,
        id: &WorkflowRunId,
        now: Timestamp,
    ) -> Result<WorkflowRun, DbError> {
        let mut transaction = self.begin().await?;
        let asked = stop(&mut transaction, id, now).await;
        let run = conclude(transaction, asked).await?;
        self.hub.announce(Announcement::of_workflows(false, false, vec![id.clone()]));
        Ok(run)
    }
}

async fn add(
    connection: &mut PgConnection,
    new: &NewWorkflowRun,
    idempotency: Option<&Idempotency>,
) -> Result<Option<String>, DbError> {
    if let Some(answer) = idempotency::take(connection, idempotency, new.run.created_at).await? {
        return Ok(Some(answer));
    }
    insert(connection, new).await?;
    Ok(None)
}

async fn write(connection: &mut PgConnection, advance: &WorkflowAdvance) -> Result<(), DbError> {
    let run = &advance.run;
    let changed = || StoreError::Changed { kind: "workflow run", name: run.id.to_string() };
    let (before, _) = locked(connection, &run.id).await?;
    if before.version + 1 != run.version {
        return Err(changed().into());
    }
    let mut events = Vec::new();
    for start in &advance.starts {
        match submit::place(connection, start).await? {
            (Submitted::Created(_), told) => events.extend(told),
            // Nothing of what a workflow starts was promised to anybody else.
            (Submitted::Replayed(_) | Submitted::AlreadyDelivered, _) => return Err(changed().into()),
        }
    }
    for child in &advance.children {
        insert(connection, child).await?;
    }
    task_runs(connection, advance).await?;
    update(connection, run, None).await?;
    clear(connection, Kind::WorkflowStep, run.id.as_str()).await?;
    sqlx::query("UPDATE workflow_documents SET head = $2 WHERE workflow_run_id = $1")
        .bind(run.id.as_str())
        .bind(advance.head.as_str())
        .execute(&mut *connection)
        .await?;
    nodes(connection, &run.id, &advance.nodes).await?;
    let own: Vec<WorkflowEvent<'_>> = advance
        .events
        .iter()
        .map(|body| WorkflowEvent { at: run.updated_at, workflow_run_id: &run.id, body })
        .collect();
    all_events(connection, &events, &own).await
}

const NODES: &str = "
INSERT INTO workflow_nodes (workflow_run_id, node, body)
SELECT $1, t.node, t.body FROM unnest($2::text[], $3::text[]) AS t(node, body)
ON CONFLICT (workflow_run_id, node) DO UPDATE SET body = excluded.body";

async fn nodes(
    connection: &mut PgConnection,
    id: &WorkflowRunId,
    nodes: &[NodeRecord],
) -> Result<(), DbError> {
    if nodes.is_empty() {
        return Ok(());
    }
    sqlx::query(NODES)
        .bind(id.as_str())
        .bind(nodes.iter().map(|node| node.node.as_str()).collect::<Vec<_>>())
        .bind(nodes.iter().map(|node| node.body.as_str()).collect::<Vec<_>>())
        .execute(connection)
        .await?;
    Ok(())
}

const STARTED: &str = "
INSERT INTO workflow_hands (workflow_run_id, run_id, child_id)
SELECT $1, t.run_id, t.child_id FROM unnest($2::text[], $3::text[]) WITH ORDINALITY AS t(run_id, child_id, place)
ORDER BY t.place";

const TAKEN: &str =
    "DELETE FROM workflow_hands WHERE workflow_run_id = $1 AND (run_id = ANY($2) OR child_id = ANY($3))";

/// The task runs that start, and those whose results were taken.
async fn task_runs(connection: &mut PgConnection, advance: &WorkflowAdvance) -> Result<(), DbError> {
    let id = advance.run.id.as_str();
    let runs = advance.starts.iter().map(|start| (Some(start.run.id.as_str()), None));
    let children = advance.children.iter().map(|child| (None, Some(child.run.id.as_str())));
    let (runs, children): (Vec<Option<&str>>, Vec<Option<&str>>) = runs.chain(children).unzip();
    if !runs.is_empty() {
        sqlx::query(STARTED).bind(id).bind(runs).bind(children).execute(&mut *connection).await?;
    }
    if !advance.taken.is_empty() {
        let (mut runs, mut children) = (Vec::new(), Vec::new());
        for hand in &advance.taken {
            match hand {
                TaskRun::Run(run_id) => runs.push(run_id.as_str()),
                TaskRun::Workflow(child) => children.push(child.as_str()),
            }
        }
        sqlx::query(TAKEN).bind(id).bind(runs).bind(children).execute(connection).await?;
    }
    Ok(())
}

async fn stop(
    connection: &mut PgConnection,
    id: &WorkflowRunId,
    now: Timestamp,
) -> Result<WorkflowRun, DbError> {
    let (run, asked) = locked(connection, id).await?;
    if run.status.is_over() || asked == Some(WorkflowRequest::Stop) {
        return Ok(run);
    }
    let run = WorkflowRun { version: run.version + 1, updated_at: now, ..run };
    update(connection, &run, Some(WorkflowRequest::Stop)).await?;
    Ok(run)
}
