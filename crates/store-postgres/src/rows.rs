//! The rows of runs and sessions, and of the documents and results of runs. A column of `runs` is named only here.

use std::collections::HashMap;

use accord_domain::event::NewEvent;
use accord_domain::file::FileRef;
use accord_domain::run::{Assignment, Lease, Outcome, Run};
use accord_domain::session::Session;
use accord_domain::usage::Usage;
use accord_store::{SessionChoice, StoreError, Submission};
use sqlx::postgres::PgRow;
use sqlx::{PgConnection, Row};

use crate::convert::{count, counted, from_json, id, json, micros, named, time};
use crate::error::DbError;
use crate::event_rows::{EventColumns, Statement, insert_events};
use crate::runs::documents::shared_lock;
use crate::sql::writers_lock;
use crate::text::{escape, escape_some, unescape};
/// The columns that [`run`] reads, of a table called `r`.
macro_rules! run_columns {
    () => {
        "r.id, r.session_id, r.kind, r.agent_name, r.status, r.execution_mode, r.demands, r.priority, \
         r.attempt, r.losses, r.retry_count, r.lease_id, r.lease_runner_id, r.lease_expires_at, r.failure, \
         r.input_tokens, r.output_tokens, r.cost_usd, r.created_at, r.queued_at, r.claimed_at, r.started_at, \
         r.waits_until, r.finished_at, r.requested_by"
    };
}

/// The columns that [`session`] reads, of a table called `s`.
macro_rules! session_columns {
    () => {
        "s.id AS s_id, s.agent_name AS s_agent_name, s.status AS s_status, s.parent_session_id AS s_parent, \
         s.project_dir AS s_project_dir, s.affinity AS s_affinity, s.last_run_id AS s_last_run_id, \
         s.created_at AS s_created_at, s.updated_at AS s_updated_at"
    };
}

/// The columns that [`assignment`] reads, of `assignments a` with its [`assignment_documents`].
macro_rules! assignment_columns {
    () => {
        "b.body AS blueprint, a.parameters, c.body AS contract, a.model, a.project_dir, a.retry_prompt, a.input, \
         a.traceparent, a.tools, a.opening, a.files"
    };
}

/// The documents of a table `assignments a`.
macro_rules! assignment_documents {
    () => {
        "JOIN documents b ON b.hash = a.blueprint LEFT JOIN documents c ON c.hash = a.contract"
    };
}

/// The columns that [`outcome`] reads, of a table called `o` that is joined from the left.
macro_rules! outcome_columns {
    () => {
        "o.run_id AS outcome_of, o.result_text, o.result_data, o.raw, o.validation"
    };
}

/// The columns that [`model_and_attempts`] reads, of `runs r` with its `assignments a` and its blueprint `documents b`.
macro_rules! summary_columns {
    () => {
        "coalesce(nullif((SELECT t.model FROM attempts t WHERE t.run_id = r.id \
         ORDER BY t.delivery DESC, t.number DESC LIMIT 1), ''), a.model) AS model, \
         b.body::json #>> '{executor,model}' AS blueprint_model, \
         (SELECT count(*) FROM attempts t WHERE t.run_id = r.id) AS attempts"
    };
}

pub(crate) use {
    assignment_columns, assignment_documents, outcome_columns, run_columns, session_columns, summary_columns,
};

/// The model of a run and the number of its attempts.
pub(crate) fn model_and_attempts(row: &PgRow) -> Result<(Option<String>, u32), DbError> {
    let model: Option<String> = row.try_get("model")?;
    let of_blueprint: Option<String> = row.try_get("blueprint_model")?;
    Ok((model.map(unescape).or(of_blueprint), counted(row.try_get("attempts")?)?))
}

pub(crate) fn run(row: &PgRow) -> Result<Run, DbError> {
    let failure: Option<&str> = row.try_get("failure")?;
    let requested_by: Option<&str> = row.try_get("requested_by")?;
    Ok(Run {
        id: id(row.try_get("id")?)?,
        session_id: id(row.try_get("session_id")?)?,
        kind: named(row.try_get("kind")?)?,
        agent_name: unescape(row.try_get("agent_name")?),
        status: named(row.try_get("status")?)?,
        execution_mode: named(row.try_get("execution_mode")?)?,
        demands: from_json(row.try_get("demands")?)?,
        priority: row.try_get("priority")?,
        attempt: counted(row.try_get("attempt")?)?,
        losses: counted(row.try_get("losses")?)?,
        retry_count: counted(row.try_get("retry_count")?)?,
        lease: lease(row)?,
        failure: failure.map(from_json).transpose()?,
        requested_by: requested_by.map(from_json).transpose()?,
        usage: Usage {
            input_tokens: counted(row.try_get("input_tokens")?)?,
            output_tokens: counted(row.try_get("output_tokens")?)?,
            cost_usd: row.try_get("cost_usd")?,
        },
        created_at: time(row.try_get("created_at")?)?,
        queued_at: time(row.try_get("queued_at")?)?,
        claimed_at: row.try_get::<Option<i64>, _>("claimed_at")?.map(time).transpose()?,
        started_at: row.try_get::<Option<i64>, _>("started_at")?.map(time).transpose()?,
        waits_until: row.try_get::<Option<i64>, _>("waits_until")?.map(time).transpose()?,
        finished_at: row.try_get::<Option<i64>, _>("finished_at")?.map(time).transpose()?,
    })
}

fn lease(row: &PgRow) -> Result<Option<Lease>, DbError> {
    let Some(lease_id) = row.try_get::<Option<&str>, _>("lease_id")? else { return Ok(None) };
    Ok(Some(Lease {
        id: id(lease_id)?,
        runner_id: id(row.try_get("lease_runner_id")?)?,
        expires_at: time(row.try_get("lease_expires_at")?)?,
    }))
}

pub(crate) fn session(row: &PgRow) -> Result<Session, DbError> {
    let parent: Option<&str> = row.try_get("s_parent")?;
    Ok(Session {
        id: id(row.try_get("s_id")?)?,
        agent_name: unescape(row.try_get("s_agent_name")?),
        status: named(row.try_get("s_status")?)?,
        parent_session_id: parent.map(id).transpose()?,
        project_dir: row.try_get::<Option<String>, _>("s_project_dir")?.map(unescape),
        affinity: from_json(row.try_get("s_affinity")?)?,
        last_run_id: id(row.try_get("s_last_run_id")?)?,
        created_at: time(row.try_get("s_created_at")?)?,
        updated_at: time(row.try_get("s_updated_at")?)?,
    })
}

pub(crate) fn assignment(row: &PgRow) -> Result<Assignment, DbError> {
    let unescaped = |column: &str| -> Result<Option<String>, DbError> {
        Ok(row.try_get::<Option<String>, _>(column)?.map(unescape))
    };
    Ok(Assignment {
        blueprint: row.try_get("blueprint")?,
        parameters: row.try_get("parameters")?,
        contract: row.try_get("contract")?,
        model: unescaped("model")?,
        project_dir: unescaped("project_dir")?,
        retry_prompt: unescaped("retry_prompt")?,
        input: row.try_get("input")?,
        traceparent: row.try_get("traceparent")?,
        tools: row.try_get("tools")?,
        opening: row.try_get("opening")?,
        files: files(row.try_get("files")?)?,
    })
}

fn files(text: Option<&str>) -> Result<Vec<FileRef>, DbError> {
    FileRef::read_list(text)
        .map_err(|error| StoreError::Corrupt(format!("the files of a run: {error}")).into())
}

/// The result of a run, if it has one.
pub(crate) fn outcome(row: &PgRow) -> Result<Option<Outcome>, DbError> {
    if row.try_get::<Option<&str>, _>("outcome_of")?.is_none() {
        return Ok(None);
    }
    let validation: Option<&str> = row.try_get("validation")?;
    Ok(Some(Outcome {
        result_text: row.try_get::<Option<String>, _>("result_text")?.map(unescape),
        result_data: row.try_get("result_data")?,
        raw: row.try_get::<Option<String>, _>("raw")?.map(unescape),
        validation: validation.map(from_json).transpose()?,
    }))
}

/// Documents are shared: most of the time they are there already, and from then on nobody removes them until the transaction ends.
///
/// The statement can be a transaction by itself, so it takes the writers' lock of the events too, and everything that is
/// written is joined with it: the transaction has no number before.
const INSERT: &str = concat!(
    "WITH locked AS MATERIALIZED (SELECT ",
    writers_lock!(),
    ", ",
    shared_lock!(),
    "), given AS MATERIALIZED (
    SELECT place, sha256(convert_to(body, 'UTF8')) AS hash, body FROM unnest($1::text[]) WITH ORDINALITY AS u(body, place)
), document AS (
    INSERT INTO documents (hash, body) SELECT hash, body FROM given, locked ORDER BY hash ON CONFLICT DO NOTHING
), session AS (
    INSERT INTO sessions
        (id, agent_name, status, parent_session_id, project_dir, affinity, last_run_id, created_at, updated_at)
    SELECT t.* FROM locked, unnest(
        $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::bigint[], $10::bigint[]
    ) AS t
), new AS MATERIALIZED (
    SELECT t.* FROM locked, unnest(
        $11::text[], $12::text[], $13::text[], $14::text[], $15::text[], $16::text[], $17::text[], $18::integer[],
        $19::bigint[], $20::bigint[], $21::bigint[], $22::bigint[], $23::bigint[], $24::double precision[],
        $25::bigint[], $26::bigint[], $27::text[], $28::bigint[],
        $29::bigint[], $30::text[], $31::bigint[], $32::text[], $33::text[], $34::text[], $35::text[], $36::text[],
        $37::text[], $38::text[], $39::text[], $40::text[], $41::text[]
    ) WITH ORDINALITY AS t(
        id, session_id, kind, agent_name, status, execution_mode, demands, priority,
        attempt, losses, retry_count, input_tokens, output_tokens, cost_usd,
        created_at, queued_at, requested_by, waits_until,
        blueprint, parameters, contract, model, project_dir, retry_prompt, input, traceparent, tools, opening, files,
        preview, searched, place
    )
), assignment AS (
    INSERT INTO assignments
        (run_id, blueprint, parameters, contract, model, project_dir, retry_prompt, input, traceparent, tools, opening, files)
    SELECT t.id, b.hash, t.parameters, c.hash, t.model, t.project_dir, t.retry_prompt, t.input, t.traceparent, t.tools, t.opening,
        t.files
    FROM new t JOIN given b ON b.place = t.blueprint LEFT JOIN given c ON c.place = t.contract
), input AS (
    INSERT INTO run_inputs (run_id, preview, searched) SELECT id, preview, searched FROM new
), event AS (",
    insert_events!("$42", "$43", "$44", "$45", "$46", "$47"),
    ", locked
)
INSERT INTO runs (
    id, session_id, kind, agent_name, status, execution_mode, demands, priority, attempt, losses, retry_count,
    input_tokens, output_tokens, cost_usd, created_at, queued_at, requested_by, waits_until
)
SELECT id, session_id, kind, agent_name, status, execution_mode, demands, priority, attempt, losses, retry_count,
    input_tokens, output_tokens, cost_usd, created_at, queued_at, requested_by, waits_until
FROM new ORDER BY place"
);

/// Writes new runs with their documents, the summaries of their input, the sessions that they start, and events: here or by
/// [`crate::write::events`], once in a transaction. One statement, which needs no transaction around it.
pub(crate) async fn insert_runs(
    connection: &mut PgConnection,
    submissions: &[&Submission],
    events: &[NewEvent],
) -> Result<(), DbError> {
    let events = EventColumns::of(events, &[])?;
    let sessions: Vec<&Session> = submissions.iter().filter_map(|each| new_session(each)).collect();
    let runs: Vec<&Run> = submissions.iter().map(|each| &each.run).collect();
    let assignments: Vec<&Assignment> = submissions.iter().map(|each| &each.assignment).collect();
    let (previews, searched): (Vec<String>, Vec<String>) =
        submissions.iter().map(|each| each.input()).map(|input| (input.preview, input.searched)).unzip();
    let mut documents = Documents::default();
    let (mut blueprints, mut contracts) = (Vec::new(), Vec::new());
    for assignment in &assignments {
        blueprints.push(documents.place(&assignment.blueprint));
        contracts.push(assignment.contract.as_deref().map(|contract| documents.place(contract)));
    }
    let affinities = texts(&sessions, |session| json(&session.affinity))?;
    let demands = texts(&runs, |run| json(&run.demands))?;
    let requesters = texts(&runs, |run| run.requested_by.as_ref().map(json).transpose())?;
    let inserting = sqlx::query(INSERT)
        .bind(documents.bodies)
        .bind(column(&sessions, |session| session.id.as_str()))
        .bind(column(&sessions, |session| escape(&session.agent_name)))
        .bind(column(&sessions, |session| session.status.as_str()))
        .bind(column(&sessions, |session| session.parent_session_id.as_ref().map(|parent| parent.as_str())))
        .bind(column(&sessions, |session| escape_some(session.project_dir.as_ref())))
        .bind(affinities)
        .bind(column(&sessions, |session| session.last_run_id.as_str()))
        .bind(column(&sessions, |session| micros(session.created_at)))
        .bind(column(&sessions, |session| micros(session.updated_at)))
        .bind(column(&runs, |run| run.id.as_str()))
        .bind(column(&runs, |run| run.session_id.as_str()))
        .bind(column(&runs, |run| run.kind.as_str()))
        .bind(column(&runs, |run| escape(&run.agent_name)))
        .bind(column(&runs, |run| run.status.as_str()))
        .bind(column(&runs, |run| run.execution_mode.as_str()))
        .bind(demands)
        .bind(column(&runs, |run| run.priority))
        .bind(column(&runs, |run| i64::from(run.attempt)))
        .bind(column(&runs, |run| i64::from(run.losses)))
        .bind(column(&runs, |run| i64::from(run.retry_count)))
        .bind(column(&runs, |run| count(run.usage.input_tokens)))
        .bind(column(&runs, |run| count(run.usage.output_tokens)))
        .bind(column(&runs, |run| run.usage.cost_usd))
        .bind(column(&runs, |run| micros(run.created_at)))
        .bind(column(&runs, |run| micros(run.queued_at)))
        .bind(requesters)
        .bind(column(&runs, |run| run.waits_until.map(micros)))
        .bind(blueprints)
        .bind(column(&assignments, |assignment| assignment.parameters.as_str()))
        .bind(contracts)
        .bind(column(&assignments, |assignment| escape_some(assignment.model.as_ref())))
        .bind(column(&assignments, |assignment| escape_some(assignment.project_dir.as_ref())))
        .bind(column(&assignments, |assignment| escape_some(assignment.retry_prompt.as_ref())))
        .bind(column(&assignments, |assignment| assignment.input.as_deref()))
        .bind(column(&assignments, |assignment| assignment.traceparent.as_deref()))
        .bind(column(&assignments, |assignment| assignment.tools.as_deref()))
        .bind(column(&assignments, |assignment| assignment.opening.as_deref()))
        .bind(column(&assignments, |assignment| FileRef::write_list(&assignment.files)))
        .bind(previews)
        .bind(searched);
    let inserted = events.bind(inserting).execute(connection).await;
    inserted.map_err(|error| exists(error.into(), &runs)).map(|_| ())
}

fn new_session(submission: &Submission) -> Option<&Session> {
    match &submission.session {
        SessionChoice::New(session) => Some(session),
        SessionChoice::Resume(_) => None,
    }
}

/// Texts that are each sent once.
#[derive(Default)]
struct Documents<'a> {
    bodies: Vec<&'a str>,
    places: HashMap<&'a str, i64>,
}

impl<'a> Documents<'a> {
    /// The place of a text, from one.
    fn place(&mut self, body: &'a str) -> i64 {
        *self.places.entry(body).or_insert_with(|| {
            self.bodies.push(body);
            self.bodies.len() as i64
        })
    }
}

/// A value of each.
pub(crate) fn column<'a, T, V>(all: &[&'a T], value: impl Fn(&'a T) -> V) -> Vec<V> {
    all.iter().map(|each| value(each)).collect()
}

/// A value of each that may not be one of the database.
fn texts<'a, T, V>(
    all: &[&'a T],
    value: impl Fn(&'a T) -> Result<V, StoreError>,
) -> Result<Vec<V>, StoreError> {
    all.iter().map(|each| value(each)).collect()
}

/// Which of several runs it is that exists is found out by inserting them one by one.
fn exists(fault: DbError, runs: &[&Run]) -> DbError {
    match (fault.taken(), runs) {
        (Some(constraint), [run]) => {
            let (kind, name) = match constraint.starts_with("sessions") {
                true => ("session", run.session_id.to_string()),
                false => ("run", run.id.to_string()),
            };
            StoreError::Exists { kind, name }.into()
        }
        _ => fault,
    }
}

macro_rules! update_runs {
    () => {
        "
UPDATE runs r SET
    status = t.status, attempt = t.attempt, losses = t.losses, retry_count = t.retry_count,
    lease_id = t.lease_id, lease_runner_id = t.lease_runner_id, lease_expires_at = t.lease_expires_at,
    failure_type = t.failure_type, failure = t.failure,
    input_tokens = t.input_tokens, output_tokens = t.output_tokens, cost_usd = t.cost_usd,
    queued_at = t.queued_at, claimed_at = t.claimed_at, started_at = t.started_at, finished_at = t.finished_at,
    waits_until = t.waits_until, demands = t.demands
FROM unnest(
    $1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::text[], $7::text[], $8::bigint[],
    $9::text[], $10::text[], $11::bigint[], $12::bigint[], $13::double precision[],
    $14::bigint[], $15::bigint[], $16::bigint[], $17::bigint[], $18::bigint[], $19::text[]
) AS t(
    id, status, attempt, losses, retry_count, lease_id, lease_runner_id, lease_expires_at,
    failure_type, failure, input_tokens, output_tokens, cost_usd,
    queued_at, claimed_at, started_at, finished_at, waits_until, demands
)
WHERE r.id = t.id"
    };
}

pub(crate) use update_runs;

/// Binds what may change of these runs.
pub(crate) fn bind_runs<'q>(query: Statement<'q>, runs: &[&'q Run]) -> Result<Statement<'q>, DbError> {
    let failures = texts(runs, |run| run.failure.as_ref().map(json).transpose())?;
    let demands = texts(runs, |run| json(&run.demands))?;
    Ok(query
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
        .bind(column(runs, |run| run.waits_until.map(micros)))
        .bind(demands))
}
