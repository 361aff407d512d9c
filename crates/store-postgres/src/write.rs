//! Changes as rows: any number of runs in a few statements.

use accord_domain::event::{Body, NewEvent};
use accord_domain::id::{RunId, WorkflowRunId};
use accord_domain::run::Run;
use accord_domain::run::change::Told;
use accord_domain::session::Session;
use accord_store::StoreError;
use jiff::Timestamp;
use sqlx::PgConnection;

use crate::callbacks::{settle, take_back};
use crate::convert::{count, json, micros};
use crate::fault::Fault;
use crate::horizon::{MOST_EVENTS, event_base};
use crate::load::Step;

/// Writes what changed: runs, sessions, what is owed to parents, and the events, after those that are given.
///
/// Events are numbered within their transaction, so a transaction calls this or [`events`], once.
pub(crate) async fn steps(
    connection: &mut PgConnection,
    first: Vec<NewEvent>,
    steps: &[Step],
) -> Result<(), Fault> {
    let changed_runs: Vec<_> =
        steps.iter().filter(|step| step.change.run != step.before.run).map(|step| &step.change.run).collect();
    let changed_sessions: Vec<_> = steps
        .iter()
        .filter(|step| step.change.session != step.before.session)
        .map(|step| &step.change.session)
        .collect();
    if !changed_runs.is_empty() {
        runs(connection, &changed_runs).await?;
    }
    if !changed_sessions.is_empty() {
        sessions(connection, &changed_sessions).await?;
    }
    callbacks(connection, steps).await?;
    let of = |told: Told| -> Vec<&str> {
        let steps = steps.iter().filter(|step| step.change.told == told);
        steps.map(|step| step.change.run.id.as_str()).collect()
    };
    let (for_nothing, for_good) = (of(Told::TakenBack), of(Told::Settled));
    if !for_nothing.is_empty() {
        take_back(connection, for_nothing).await?;
    }
    if !for_good.is_empty() {
        settle(connection, for_good).await?;
    }
    let own = steps.iter().flat_map(|step| step.change.events.iter().cloned());
    events(connection, &first.into_iter().chain(own).collect::<Vec<_>>()).await
}

/// Unvalidated output goes with the end of its run.
const RUNS: &str = "
WITH no_output AS (
    DELETE FROM events e USING unnest($1::text[], $2::text[]) AS ended(id, status)
    WHERE e.run_id = ended.id AND e.kind = 'output.delta' AND ended.status IN ('completed', 'failed', 'stopped')
)
UPDATE runs r SET
    status = t.status, attempt = t.attempt, losses = t.losses, retry_count = t.retry_count,
    lease_id = t.lease_id, lease_runner_id = t.lease_runner_id, lease_expires_at = t.lease_expires_at,
    failure_type = t.failure_type, failure = t.failure,
    input_tokens = t.input_tokens, output_tokens = t.output_tokens, cost_usd = t.cost_usd,
    queued_at = t.queued_at, claimed_at = t.claimed_at, started_at = t.started_at, finished_at = t.finished_at
FROM unnest(
    $1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::text[], $7::text[], $8::bigint[],
    $9::text[], $10::text[], $11::bigint[], $12::bigint[], $13::double precision[],
    $14::bigint[], $15::bigint[], $16::bigint[], $17::bigint[]
) AS t(
    id, status, attempt, losses, retry_count, lease_id, lease_runner_id, lease_expires_at,
    failure_type, failure, input_tokens, output_tokens, cost_usd,
    queued_at, claimed_at, started_at, finished_at
)
WHERE r.id = t.id";

async fn runs(connection: &mut PgConnection, runs: &[&Run]) -> Result<(), Fault> {
    fn column<'a, T>(runs: &[&'a Run], value: impl Fn(&'a Run) -> T) -> Vec<T> {
        runs.iter().map(|run| value(run)).collect()
    }
    let failures: Vec<Option<String>> =
        runs.iter().map(|run| run.failure.as_ref().map(json).transpose()).collect::<Result<_, _>>()?;
    sqlx::query(RUNS)
        .bind(column(runs, |run| run.id.as_str()))
        .bind(column(runs, |run| run.status.as_str()))
        .bind(column(runs, |run| i64::from(run.attempt)))
        .bind(column(runs, |run| i64::from(run.losses)))
        .bind(column(runs, |run| i64::from(run.retry_count)))
        .bind(column(runs, |run| run.lease.as_ref().map(|lease| lease.id.as_str())))
        .bind(column(runs, |run| run.lease.as_ref().map(|lease| lease.runner_id.as_str())))
        .bind(column(runs, |run| run.lease.as_ref().map(|lease| micros(lease.expires_at))))
        .bind(column(runs, |run| run.failure.as_ref().map(|failure| failure.kind.as_str())))
        .bind(failures)
        .bind(column(runs, |run| count(run.usage.input_tokens)))
        .bind(column(runs, |run| count(run.usage.output_tokens)))
        .bind(column(runs, |run| run.usage.cost_usd))
        .bind(column(runs, |run| micros(run.queued_at)))
        .bind(column(runs, |run| run.claimed_at.map(micros)))
        .bind(column(runs, |run| run.started_at.map(micros)))
        .bind(column(runs, |run| run.finished_at.map(micros)))
        .execute(connection)
        .await?;
    Ok(())
}

const SESSIONS: &str = "
UPDATE sessions s
SET status = t.status, affinity = t.affinity, last_run_id = t.last_run_id, updated_at = t.updated_at
FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[])
    AS t(id, status, affinity, last_run_id, updated_at)
WHERE s.id = t.id";

/// Writes sessions that are locked.
pub(crate) async fn sessions(connection: &mut PgConnection, sessions: &[&Session]) -> Result<(), Fault> {
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

async fn callbacks(connection: &mut PgConnection, steps: &[Step]) -> Result<(), Fault> {
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
pub(crate) async fn events(connection: &mut PgConnection, events: &[NewEvent]) -> Result<(), Fault> {
    all_events(connection, events, &[]).await
}

/// Writes events of sessions and then of workflow runs, once in a transaction.
pub(crate) async fn all_events(
    connection: &mut PgConnection,
    events: &[NewEvent],
    of_workflows: &[WorkflowEvent<'_>],
) -> Result<(), Fault> {
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
    fn push(&mut self, at: Timestamp, body: &Body) -> Result<(), Fault> {
        self.times.push(micros(at));
        self.kinds.push(body.kind());
        self.bodies.push(json(body)?);
        Ok(())
    }
}
