//! The table `runs`.

use accord_domain::id::{LeaseId, RunId, RunnerId, SessionId};
use accord_domain::run::{Lease, Run};
use accord_domain::session::Session;
use accord_domain::usage::Usage;
use accord_store::StoreError;
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::session;
use crate::error::{DbResult, corrupt, is_taken};
use crate::value::{count, counted, from_json, json, micros, named, text, time, time_if};

/// The columns that [`read`] reads, of `runs r` with its `sessions s`.
macro_rules! columns {
    () => {
        "r.seq, r.id, s.id AS session_id, r.kind, r.agent_name, r.status, r.execution_mode, r.demands, r.priority, \
         r.attempt, r.losses, r.retry_count, r.lease_id, r.lease_runner_id, r.lease_expires_at, r.failure, \
         r.input_tokens, r.output_tokens, r.cost_usd, r.created_at, r.queued_at, r.claimed_at, r.started_at, \
         r.waits_until, r.finished_at, r.requested_by"
    };
}
pub(crate) use columns;

/// Reads a run and its number.
pub(crate) fn read(row: &Row<'_>) -> DbResult<(i64, Run)> {
    let failure: Option<String> = row.get("failure")?;
    let requested_by: Option<String> = row.get("requested_by")?;
    let run = Run {
        id: RunId::try_from(row.get::<_, String>("id")?)?,
        session_id: SessionId::try_from(row.get::<_, String>("session_id")?)?,
        kind: named(text(row, "kind")?)?,
        agent_name: row.get("agent_name")?,
        status: named(text(row, "status")?)?,
        execution_mode: named(text(row, "execution_mode")?)?,
        demands: from_json(text(row, "demands")?)?,
        priority: row.get("priority")?,
        attempt: counted(row.get("attempt")?)?,
        losses: counted(row.get("losses")?)?,
        retry_count: counted(row.get("retry_count")?)?,
        lease: lease(row)?,
        failure: failure.as_deref().map(from_json).transpose()?,
        requested_by: requested_by.as_deref().map(from_json).transpose()?,
        usage: Usage {
            input_tokens: counted(row.get("input_tokens")?)?,
            output_tokens: counted(row.get("output_tokens")?)?,
            cost_usd: row.get("cost_usd")?,
        },
        created_at: time(row.get("created_at")?)?,
        queued_at: time(row.get("queued_at")?)?,
        claimed_at: time_if(row.get("claimed_at")?)?,
        started_at: time_if(row.get("started_at")?)?,
        waits_until: time_if(row.get("waits_until")?)?,
        finished_at: time_if(row.get("finished_at")?)?,
    };
    Ok((row.get("seq")?, run))
}

fn lease(row: &Row<'_>) -> DbResult<Option<Lease>> {
    let Some(id) = row.get::<_, Option<String>>("lease_id")? else { return Ok(None) };
    Ok(Some(Lease {
        id: LeaseId::try_from(id)?,
        runner_id: RunnerId::try_from(row.get::<_, String>("lease_runner_id")?)?,
        expires_at: time(row.get("lease_expires_at")?)?,
    }))
}

/// A run and its session as they are, with their numbers.
pub(crate) struct Loaded {
    pub(crate) seq: i64,
    pub(crate) session_seq: i64,
    pub(crate) run: Run,
    pub(crate) session: Session,
}

/// Loads a run for a change.
pub(crate) fn load(connection: &Connection, id: &RunId) -> DbResult<Loaded> {
    let sql = concat!(
        "SELECT ",
        columns!(),
        ", ",
        session::columns!(),
        " FROM runs r JOIN sessions s ON s.seq = r.session WHERE r.id = ?1"
    );
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query([id.as_str()])?;
    let row = rows.next()?.ok_or_else(|| StoreError::NoRun(id.clone()))?;
    loaded(row)
}

/// Loads the run of this number for a change.
pub(crate) fn load_number(connection: &Connection, seq: i64) -> DbResult<Loaded> {
    let sql = concat!(
        "SELECT ",
        columns!(),
        ", ",
        session::columns!(),
        " FROM runs r JOIN sessions s ON s.seq = r.session WHERE r.seq = ?1"
    );
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query([seq])?;
    let row = rows.next()?.ok_or_else(|| corrupt(format!("run {seq} has no session")))?;
    loaded(row)
}

fn loaded(row: &Row<'_>) -> DbResult<Loaded> {
    let (seq, run) = read(row)?;
    let (session_seq, session) = session::read(row)?;
    Ok(Loaded { seq, session_seq, run, session })
}

/// One run, to be read.
pub(crate) fn find(connection: &Connection, id: &RunId) -> DbResult<(i64, Run)> {
    let sql =
        concat!("SELECT ", columns!(), " FROM runs r JOIN sessions s ON s.seq = r.session WHERE r.id = ?1");
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query([id.as_str()])?;
    let row = rows.next()?.ok_or_else(|| StoreError::NoRun(id.clone()))?;
    read(row)
}

pub(crate) fn number(connection: &Connection, id: &RunId) -> DbResult<i64> {
    let mut statement = connection.prepare_cached("SELECT seq FROM runs WHERE id = ?1")?;
    let found = statement.query_row([id.as_str()], |row| row.get(0)).optional()?;
    Ok(found.ok_or_else(|| StoreError::NoRun(id.clone()))?)
}

/// Writes a new run, and gives its number.
pub(crate) fn insert(connection: &Connection, run: &Run, session_seq: i64) -> DbResult<i64> {
    let sql = "INSERT INTO runs (id, session, kind, agent_name, status, execution_mode, demands, priority, attempt, \
               losses, retry_count, input_tokens, output_tokens, cost_usd, created_at, queued_at, requested_by, \
               waits_until) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18)";
    let mut statement = connection.prepare_cached(sql)?;
    let inserted = statement.insert(params![
        run.id.as_str(),
        session_seq,
        run.kind.as_str(),
        run.agent_name,
        run.status.as_str(),
        run.execution_mode.as_str(),
        json(&run.demands)?,
        run.priority,
        run.attempt,
        run.losses,
        run.retry_count,
        count(run.usage.input_tokens),
        count(run.usage.output_tokens),
        run.usage.cost_usd,
        micros(run.created_at),
        micros(run.queued_at),
        run.requested_by.as_ref().map(json).transpose()?,
        run.waits_until.map(micros),
    ]);
    match inserted {
        Err(error) if is_taken(&error) => {
            Err(StoreError::Exists { kind: "run", name: run.id.to_string() }.into())
        }
        inserted => Ok(inserted?),
    }
}

/// Writes what may change of a run.
pub(crate) fn update(connection: &Connection, seq: i64, run: &Run) -> DbResult<()> {
    let sql = "UPDATE runs SET status = ?2, attempt = ?3, losses = ?4, retry_count = ?5, lease_id = ?6, \
               lease_runner_id = ?7, lease_expires_at = ?8, failure_type = ?9, failure = ?10, input_tokens = ?11, \
               output_tokens = ?12, cost_usd = ?13, queued_at = ?14, claimed_at = ?15, started_at = ?16, \
               finished_at = ?17, waits_until = ?18, demands = ?19 WHERE seq = ?1";
    let lease = run.lease.as_ref();
    connection.prepare_cached(sql)?.execute(params![
        seq,
        run.status.as_str(),
        run.attempt,
        run.losses,
        run.retry_count,
        lease.map(|lease| lease.id.as_str()),
        lease.map(|lease| lease.runner_id.as_str()),
        lease.map(|lease| micros(lease.expires_at)),
        run.failure.as_ref().map(|failure| failure.kind.as_str()),
        run.failure.as_ref().map(json).transpose()?,
        count(run.usage.input_tokens),
        count(run.usage.output_tokens),
        run.usage.cost_usd,
        micros(run.queued_at),
        run.claimed_at.map(micros),
        run.started_at.map(micros),
        run.finished_at.map(micros),
        run.waits_until.map(micros),
        json(&run.demands)?,
    ])?;
    Ok(())
}

/// Writes until when a run is held.
pub(crate) fn renew(connection: &Connection, seq: i64, run: &Run) -> DbResult<()> {
    let mut statement = connection.prepare_cached("UPDATE runs SET lease_expires_at = ?2 WHERE seq = ?1")?;
    statement.execute(params![seq, run.lease.as_ref().map(|lease| micros(lease.expires_at))])?;
    Ok(())
}
