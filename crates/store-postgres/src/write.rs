//! Changes as rows: any number of runs in a few statements.

use accord_domain::event::{Body, NewEvent};
use accord_domain::id::{RunId, WorkflowRunId};
use accord_domain::run::change::ChildReports;
use accord_domain::session::Session;
use accord_store::StoreError;
use jiff::Timestamp;
use sqlx::PgConnection;

use crate::callbacks::{settle, take_back};
use crate::convert::{json, micros};
use crate::error::DbError;
use crate::horizon::{MOST_EVENTS, event_base};
use crate::load::Step;
use crate::rows::update_runs;

/// Writes changes: runs, sessions, callbacks, and the events, after the events that are passed in.
///
/// Events are numbered within their transaction, so a transaction calls this or [`events`], once.
pub(crate) async fn steps(
    connection: &mut PgConnection,
    first: Vec<NewEvent>,
    steps: &[Step],
) -> Result<(), DbError> {
    let changed_runs: Vec<_> =
        steps.iter().filter(|step| step.change.run != step.before.run).map(|step| &step.change.run).collect();
    let changed_sessions: Vec<_> = steps
        .iter()
        .filter(|step| step.change.session != step.before.session)
        .map(|step| &step.change.session)
        .collect();
    if !changed_runs.is_empty() {
        update_runs(connection, &changed_runs).await?;
    }
    if !changed_sessions.is_empty() {
        sessions(connection, &changed_sessions).await?;
    }
    callbacks(connection, steps).await?;
    let of = |child_reports: ChildReports| -> Vec<&str> {
        let steps = steps.iter().filter(|step| step.change.child_reports == child_reports);
        steps.map(|step| step.change.run.id.as_str()).collect()
    };
    let (for_nothing, for_good) = (of(ChildReports::Returned), of(ChildReports::Settled));
    if !for_nothing.is_empty() {
        take_back(connection, for_nothing).await?;
    }
    if !for_good.is_empty() {
        settle(connection, for_good).await?;
    }
    let own = steps.iter().flat_map(|step| step.change.events.iter().cloned());
    events(connection, &first.into_iter().chain(own).collect::<Vec<_>>()).await
}

const SESSIONS: &str = "
UPDATE sessions s
SET status = t.status, affinity = t.affinity, last_run_id = t.last_run_id, updated_at = t.updated_at
FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[])
    AS t(id, status, affinity, last_run_id, updated_at)
WHERE s.id = t.id";

/// Writes sessions that are locked.
pub(crate) async fn sessions(connection: &mut PgConnection, sessions: &[&Session]) -> Result<(), DbError> {
    let affinities: Vec<String> =
        sessions.iter().map(|session| json(&session.affinity)).collect::<Result<_, _>>()?;
    sqlx::query(SESSIONS)
        .bind(sessions.iter().map(|session| session.id.as_str()).collect::<Vec<_>>())
        .bind(sessions.iter().map(|session| session.status.as_str()).collect::<Vec<_>>())
        .bind(affinities)
        .bind(sessions.iter().map(|session| session.last_run_id.as_str()).collect::<Vec<_>>())
        .bind(sessions.iter().map(|session| micros(session.updated_at)).collect::<Vec<_>>())
        .execute(connection)
        .await?;
    Ok(())
}

/// Nothing is owed to a parent that was removed.
const CALLBACKS: &str = "
INSERT INTO callbacks (run_id, session_id, parent_session_id, created_at)
SELECT t.run_id, t.session_id, t.parent_session_id, t.created_at
FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[]) WITH ORDINALITY
    AS t(run_id, session_id, parent_session_id, created_at, place)
WHERE EXISTS (SELECT 1 FROM sessions p WHERE p.id = t.parent_session_id)
ORDER BY t.place
ON CONFLICT DO NOTHING";

async fn callbacks(connection: &mut PgConnection, steps: &[Step]) -> Result<(), DbError> {
    let owed: Vec<_> = steps.iter().filter_map(|step| step.change.callback.as_ref()).collect();
    if owed.is_empty() {
        return Ok(());
    }
    sqlx::query(CALLBACKS)
        .bind(owed.iter().map(|callback| callback.run_id.as_str()).collect::<Vec<_>>())
        .bind(owed.iter().map(|callback| callback.session_id.as_str()).collect::<Vec<_>>())
        .bind(owed.iter().map(|callback| callback.parent_session_id.as_str()).collect::<Vec<_>>())
        .bind(owed.iter().map(|callback| micros(callback.created_at)).collect::<Vec<_>>())
        .execute(connection)
        .await?;
    Ok(())
}

const EVENTS: &str = concat!(
    "INSERT INTO events (id, at, session_id, run_id, workflow_run_id, kind, body) SELECT ",
    event_base!(),
    " + t.place - 1, t.at, t.session_id, t.run_id, t.workflow_run_id, t.kind, t.body \
     FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[]) WITH ORDINALITY \
     AS t(at, session_id, run_id, workflow_run_id, kind, body, place)"
);

/// Something that happens in a workflow run.
pub(crate) struct WorkflowEvent<'a> {
    pub(crate) at: Timestamp,
    pub(crate) workflow_run_id: &'a WorkflowRunId,
    pub(crate) body: &'a Body,
}

/// Writes events, once in a transaction.
pub(crate) async fn events(connection: &mut PgConnection, events: &[NewEvent]) -> Result<(), DbError> {
    all_events(connection, events, &[]).await
}

/// Writes events of sessions and then of workflow runs, once in a transaction.
pub(crate) async fn all_events(
    connection: &mut PgConnection,
    events: &[NewEvent],
    of_workflows: &[WorkflowEvent<'_>],
) -> Result<(), DbError> {
    let count = events.len() + of_workflows.len();
    if count == 0 {
        return Ok(());
    }
    if count > MOST_EVENTS {
        let text = format!("{count} events at once are too many; send at most {MOST_EVENTS}");
        return Err(StoreError::Unavailable(text).into());
    }
    let mut columns = Columns::default();
    for event in events {
        columns.push(event.at, &event.body)?;
        columns.sessions.push(Some(event.session_id.as_str()));
        columns.runs.push(event.run_id.as_ref().map(RunId::as_str));
        columns.workflow_runs.push(None);
    }
    for event in of_workflows {
        columns.push(event.at, event.body)?;
        columns.sessions.push(None);
        columns.runs.push(None);
        columns.workflow_runs.push(Some(event.workflow_run_id.as_str()));
    }
    sqlx::query(EVENTS)
        .bind(columns.times)
        .bind(columns.sessions)
        .bind(columns.runs)
        .bind(columns.workflow_runs)
        .bind(columns.kinds)
        .bind(columns.bodies)
        .execute(connection)
        .await?;
    Ok(())
}

#[derive(Default)]
struct Columns<'a> {
    times: Vec<i64>,
    sessions: Vec<Option<&'a str>>,
    runs: Vec<Option<&'a str>>,
    workflow_runs: Vec<Option<&'a str>>,
    kinds: Vec<&'static str>,
    bodies: Vec<String>,
}

impl Columns<'_> {
    fn push(&mut self, at: Timestamp, body: &Body) -> Result<(), DbError> {
        self.times.push(micros(at));
        self.kinds.push(body.kind());
        self.bodies.push(json(body)?);
        Ok(())
    }
}
