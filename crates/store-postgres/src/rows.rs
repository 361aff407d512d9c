//! The rows of runs and sessions, and of the documents and results of runs. A column of `runs` is named only here.

use accord_domain::run::{Assignment, Lease, Outcome, Run};
use accord_domain::session::Session;
use accord_domain::usage::Usage;
use accord_store::{StoreError, Submission};
use sqlx::postgres::PgRow;
use sqlx::{PgConnection, Row};

use crate::convert::{count, counted, from_json, id, json, micros, named, time};
use crate::error::DbError;
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
         a.traceparent"
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
    })
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

const INSERT_SESSION: &str = "
INSERT INTO sessions
    (id, agent_name, status, parent_session_id, project_dir, affinity, last_run_id, created_at, updated_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";

pub(crate) async fn insert_session(connection: &mut PgConnection, session: &Session) -> Result<(), DbError> {
    let inserted = sqlx::query(INSERT_SESSION)
        .bind(session.id.as_str())
        .bind(escape(&session.agent_name))
        .bind(session.status.as_str())
        .bind(session.parent_session_id.as_ref().map(|parent| parent.as_str()))
        .bind(escape_some(session.project_dir.as_ref()))
        .bind(json(&session.affinity)?)
        .bind(session.last_run_id.as_str())
        .bind(micros(session.created_at))
        .bind(micros(session.updated_at))
        .execute(connection)
        .await;
    inserted.map_err(|error| exists(error.into(), "session", session.id.as_str())).map(|_| ())
}

/// Documents are shared, so most of the time only the assignment and the run are written.
const INSERT_RUN: &str = "
WITH document AS (
    INSERT INTO documents (hash, body)
    SELECT DISTINCT sha256(convert_to(body, 'UTF8')), body FROM unnest($1::text[]) AS body ORDER BY 1
    ON CONFLICT DO NOTHING
), assignment AS (
    INSERT INTO assignments (
        run_id, blueprint, parameters, contract, model, project_dir, retry_prompt, input, traceparent
    ) VALUES (
        $2, sha256(convert_to(($1::text[])[1], 'UTF8')), $3, sha256(convert_to(($1::text[])[2], 'UTF8')), $4, $5, $6,
        $22, $27
    )
), input AS (
    INSERT INTO run_inputs (run_id, preview, searched) VALUES ($2, $24, $25)
)
INSERT INTO runs (
    id, session_id, kind, agent_name, status, execution_mode, demands, priority, attempt, losses, retry_count,
    input_tokens, output_tokens, cost_usd, created_at, queued_at, requested_by, waits_until
) VALUES ($2, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $23, $26)";

/// Writes a new run with its documents and the summary of its input.
pub(crate) async fn insert_run(
    connection: &mut PgConnection,
    submission: &Submission,
) -> Result<(), DbError> {
    let (run, assignment, input) = (&submission.run, &submission.assignment, submission.input());
    let documents: Vec<&str> = [Some(&assignment.blueprint), assignment.contract.as_ref()]
        .into_iter()
        .flatten()
        .map(|text| text.as_str())
        .collect();
    let inserted = sqlx::query(INSERT_RUN)
        .bind(documents)
        .bind(run.id.as_str())
        .bind(assignment.parameters.as_str())
        .bind(escape_some(assignment.model.as_ref()))
        .bind(escape_some(assignment.project_dir.as_ref()))
        .bind(escape_some(assignment.retry_prompt.as_ref()))
        .bind(run.session_id.as_str())
        .bind(run.kind.as_str())
        .bind(escape(&run.agent_name))
        .bind(run.status.as_str())
        .bind(run.execution_mode.as_str())
        .bind(json(&run.demands)?)
        .bind(run.priority)
        .bind(i64::from(run.attempt))
        .bind(i64::from(run.losses))
        .bind(i64::from(run.retry_count))
        .bind(count(run.usage.input_tokens))
        .bind(count(run.usage.output_tokens))
        .bind(run.usage.cost_usd)
        .bind(micros(run.created_at))
        .bind(micros(run.queued_at))
        .bind(assignment.input.as_deref())
        .bind(run.requested_by.as_ref().map(json).transpose()?)
        .bind(input.preview)
        .bind(input.searched)
        .bind(run.waits_until.map(micros))
        .bind(assignment.traceparent.as_deref())
        .execute(connection)
        .await;
    inserted.map_err(|error| exists(error.into(), "run", run.id.as_str())).map(|_| ())
}

fn exists(fault: DbError, kind: &'static str, name: &str) -> DbError {
    match fault.taken() {
        Some(_) => StoreError::Exists { kind, name: name.to_owned() }.into(),
        None => fault,
    }
}

/// Unvalidated output is removed when its run finishes.
const UPDATE_RUNS: &str = "
WITH no_output AS (
    DELETE FROM events e USING unnest($1::text[], $2::text[]) AS ended(id, status)
    WHERE e.run_id = ended.id AND e.kind = 'output.delta' AND ended.status IN ('completed', 'failed', 'stopped')
)
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
WHERE r.id = t.id";

/// Writes what may change of these runs.
pub(crate) async fn update_runs(connection: &mut PgConnection, runs: &[&Run]) -> Result<(), DbError> {
    fn column<'a, T>(runs: &[&'a Run], value: impl Fn(&'a Run) -> T) -> Vec<T> {
        runs.iter().map(|run| value(run)).collect()
    }
    let failures: Vec<Option<String>> =
        runs.iter().map(|run| run.failure.as_ref().map(json).transpose()).collect::<Result<_, _>>()?;
    let demands: Vec<String> = runs.iter().map(|run| json(&run.demands)).collect::<Result<_, _>>()?;
    sqlx::query(UPDATE_RUNS)
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
        .bind(demands)
        .execute(connection)
        .await?;
    Ok(())
}
