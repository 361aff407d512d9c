//! Changes as rows: any number of runs in one statement.

use accord_domain::event::NewEvent;
use accord_domain::id::{RunId, SessionId};
use accord_domain::run::change::ChildReports;
use accord_domain::run::{Outcome, Run};
use accord_domain::session::Session;
use sqlx::PgConnection;

use crate::callbacks::{settle, take_back};
use crate::convert::{json, micros};
use crate::error::DbError;
use crate::event_rows::{EventColumns, Statement, WorkflowEvent, insert_events};
use crate::load::Step;
use crate::rows::{bind_runs, column, update_runs};
use crate::sql::mark_hours;
use crate::text::escape_some;

macro_rules! update_sessions {
    ($id:literal, $status:literal, $affinity:literal, $last_run:literal, $updated:literal) => {
        concat!(
            "UPDATE sessions s \
             SET status = t.status, affinity = t.affinity, last_run_id = t.last_run_id, updated_at = t.updated_at \
             FROM unnest(",
            $id,
            "::text[], ",
            $status,
            "::text[], ",
            $affinity,
            "::text[], ",
            $last_run,
            "::text[], ",
            $updated,
            "::bigint[]) AS t(id, status, affinity, last_run_id, updated_at) WHERE s.id = t.id"
        )
    };
}

macro_rules! write_conversations {
    ($session:literal, $body:literal) => {
        concat!(
            "INSERT INTO conversations (session_id, body) SELECT * FROM unnest(",
            $session,
            "::text[], ",
            $body,
            "::text[]) ON CONFLICT (session_id) DO UPDATE SET body = excluded.body"
        )
    };
}

/// What is written beside the changes of runs and their sessions.
#[derive(Default)]
pub(crate) struct Beside<'a> {
    /// Events before those of the changes.
    pub(crate) events: Vec<NewEvent>,
    pub(crate) outcomes: Vec<(&'a RunId, &'a Outcome)>,
    /// At most one of each session.
    pub(crate) conversations: Vec<(&'a SessionId, &'a str)>,
}

/// Writes changes: runs, sessions, callbacks, and the events, after the events that are passed in.
///
/// Events are numbered within their transaction, so a transaction calls this, [`all`] or [`events`], once.
pub(crate) async fn steps(
    connection: &mut PgConnection,
    events: Vec<NewEvent>,
    steps: &[Step],
) -> Result<(), DbError> {
    all(connection, Beside { events, ..Beside::default() }, steps).await
}

/// Writes changes and what is beside them, all but what happens rarely in one statement.
pub(crate) async fn all(
    connection: &mut PgConnection,
    beside: Beside<'_>,
    steps: &[Step],
) -> Result<(), DbError> {
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
    let Beside { events: mut all_events, outcomes, conversations } = beside;
    all_events.extend(steps.iter().flat_map(|step| step.change.events.iter().cloned()));
    let runs: Vec<&Run> =
        steps.iter().filter(|step| step.change.run != step.before.run).map(|step| &step.change.run).collect();
    let sessions: Vec<&Session> = steps
        .iter()
        .filter(|step| step.change.session != step.before.session)
        .map(|step| &step.change.session)
        .collect();
    if runs.is_empty() && sessions.is_empty() && outcomes.is_empty() && conversations.is_empty() {
        return events(connection, &all_events).await;
    }
    let some_end = runs.iter().any(|run| run.status.is_over());
    let query = bind_runs(sqlx::query(if some_end { END } else { CHANGE }), &runs)?;
    let query = bind_sessions(query, &sessions)?;
    let query = EventColumns::of(&all_events, &[])?.bind(query);
    let query = bind_outcomes(query, &outcomes)?;
    let (ids, bodies): (Vec<&str>, Vec<&str>) =
        conversations.iter().map(|(session_id, body)| (session_id.as_str(), *body)).unzip();
    query.bind(ids).bind(bodies).execute(connection).await?;
    Ok(())
}

macro_rules! changes {
    () => {
        concat!(
            "run AS (",
            update_runs!(),
            " RETURNING r.created_at, r.status), session AS (",
            update_sessions!("$20", "$21", "$22", "$23", "$24"),
            "), outcome AS (INSERT INTO outcomes (run_id, result_text, result_data, raw, validation) \
             SELECT * FROM unnest($31::text[], $32::text[], $33::text[], $34::text[], $35::text[])\
             ), conversation AS (",
            write_conversations!("$36", "$37"),
            ")"
        )
    };
}

/// All parts in one round trip. Those without rows cost next to nothing.
const CHANGE: &str =
    concat!("WITH ", changes!(), " ", insert_events!("$25", "$26", "$27", "$28", "$29", "$30"));

/// When a run finishes, its unvalidated output is removed, and statistics of its hour are counted anew if they are kept.
const END: &str = concat!(
    "WITH no_output AS (
    DELETE FROM events e USING unnest($1::text[], $2::text[]) AS ended(id, status)
    WHERE e.run_id = ended.id AND e.kind = 'output.delta' AND ended.status IN ('completed', 'failed', 'stopped')
), ",
    changes!(),
    ", marked AS (",
    mark_hours!("run r WHERE r.status IN ('completed', 'failed', 'stopped')"),
    ") ",
    insert_events!("$25", "$26", "$27", "$28", "$29", "$30")
);

const SESSIONS: &str = update_sessions!("$1", "$2", "$3", "$4", "$5");

fn bind_sessions<'q>(query: Statement<'q>, sessions: &[&'q Session]) -> Result<Statement<'q>, DbError> {
    let affinities: Vec<String> =
        sessions.iter().map(|session| json(&session.affinity)).collect::<Result<_, _>>()?;
    Ok(query
        .bind(column(sessions, |session| session.id.as_str()))
        .bind(column(sessions, |session| session.status.as_str()))
        .bind(affinities)
        .bind(column(sessions, |session| session.last_run_id.as_str()))
        .bind(column(sessions, |session| micros(session.updated_at))))
}

fn bind_outcomes<'q>(
    query: Statement<'q>,
    outcomes: &[(&'q RunId, &'q Outcome)],
) -> Result<Statement<'q>, DbError> {
    let (ids, outcomes): (Vec<&RunId>, Vec<&Outcome>) = outcomes.iter().copied().unzip();
    let validations = outcomes.iter().map(|outcome| outcome.validation.as_ref().map(json).transpose());
    let validations: Vec<Option<String>> = validations.collect::<Result<_, _>>()?;
    Ok(query
        .bind(column(&ids, |id| id.as_str()))
        .bind(column(&outcomes, |outcome| escape_some(outcome.result_text.as_ref())))
        .bind(column(&outcomes, |outcome| outcome.result_data.as_deref()))
        .bind(column(&outcomes, |outcome| escape_some(outcome.raw.as_ref())))
        .bind(validations))
}

const CONVERSATIONS: &str = write_conversations!("$1", "$2");

/// Writes the conversation of a session that is locked.
pub(crate) async fn conversation(
    connection: &mut PgConnection,
    session_id: &SessionId,
    conversation: Option<&str>,
) -> Result<(), DbError> {
    let Some(body) = conversation else { return Ok(()) };
    sqlx::query(CONVERSATIONS).bind(vec![session_id.as_str()]).bind(vec![body]).execute(connection).await?;
    Ok(())
}

/// Writes sessions that are locked.
pub(crate) async fn sessions(connection: &mut PgConnection, sessions: &[&Session]) -> Result<(), DbError> {
    bind_sessions(sqlx::query(SESSIONS), sessions)?.execute(connection).await?;
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

const EVENTS: &str = insert_events!("$1", "$2", "$3", "$4", "$5", "$6");

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
    if events.is_empty() && of_workflows.is_empty() {
        return Ok(());
    }
    EventColumns::of(events, of_workflows)?.bind(sqlx::query(EVENTS)).execute(connection).await?;
    Ok(())
}
