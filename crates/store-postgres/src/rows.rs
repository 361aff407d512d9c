//! Rows as runs and sessions.

use accord_domain::run::{Lease, Run};
use accord_domain::session::Session;
use accord_domain::usage::Usage;
use sqlx::Row;
use sqlx::postgres::PgRow;

use crate::convert::{counted, from_json, id, named, small, time};
use crate::fault::Fault;
use crate::text::unescape;

/// The columns that [`run`] reads, of a table called `r`.
macro_rules! run_columns {
    () => {
        "r.id, r.session_id, r.kind, r.agent_name, r.status, r.execution_mode, r.demands, r.priority, \
         r.attempt, r.losses, r.retry_count, r.lease_id, r.lease_runner_id, r.lease_expires_at, r.failure, \
         r.input_tokens, r.output_tokens, r.cost_usd, r.created_at, r.queued_at, r.claimed_at, r.started_at, \
         r.finished_at, r.requested_by"
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

/// The columns that [`model_and_attempts`] reads, of `runs r` with its `assignments a` and its blueprint `documents b`.
macro_rules! summary_columns {
    () => {
        "coalesce(nullif((SELECT t.model FROM attempts t WHERE t.run_id = r.id \
         ORDER BY t.delivery DESC, t.number DESC LIMIT 1), ''), a.model) AS model, \
         b.body::json #>> '{executor,model}' AS blueprint_model, \
         (SELECT count(*) FROM attempts t WHERE t.run_id = r.id) AS attempts"
    };
}

pub(crate) use {run_columns, session_columns, summary_columns};

/// The model of a run and the number of its attempts.
pub(crate) fn model_and_attempts(row: &PgRow) -> Result<(Option<String>, u32), Fault> {
    let model: Option<String> = row.try_get("model")?;
    let of_blueprint: Option<String> = row.try_get("blueprint_model")?;
    Ok((model.map(unescape).or(of_blueprint), small(row.try_get("attempts")?)?))
}

/// A run.
pub(crate) fn run(row: &PgRow) -> Result<Run, Fault> {
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
        attempt: small(row.try_get("attempt")?)?,
        losses: small(row.try_get("losses")?)?,
        retry_count: small(row.try_get("retry_count")?)?,
        lease: lease(row)?,
        failure: failure.map(from_json).transpose()?,
        requested_by: requested_by.map(from_json).transpose()?,
        usage: Usage {
            input_tokens: counted(row.try_get("input_tokens")?),
            output_tokens: counted(row.try_get("output_tokens")?),
            cost_usd: row.try_get("cost_usd")?,
        },
        created_at: time(row.try_get("created_at")?)?,
        queued_at: time(row.try_get("queued_at")?)?,
        claimed_at: row.try_get::<Option<i64>, _>("claimed_at")?.map(time).transpose()?,
        started_at: row.try_get::<Option<i64>, _>("started_at")?.map(time).transpose()?,
        finished_at: row.try_get::<Option<i64>, _>("finished_at")?.map(time).transpose()?,
    })
}

fn lease(row: &PgRow) -> Result<Option<Lease>, Fault> {
    let Some(lease_id) = row.try_get::<Option<&str>, _>("lease_id")? else { return Ok(None) };
    Ok(Some(Lease {
        id: id(lease_id)?,
        runner_id: id(row.try_get("lease_runner_id")?)?,
        expires_at: time(row.try_get("lease_expires_at")?)?,
    }))
}

/// A session.
pub(crate) fn session(row: &PgRow) -> Result<Session, Fault> {
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
