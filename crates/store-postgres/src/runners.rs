//! Runners and the leases that they hold.

use std::collections::HashMap;

use accord_domain::id::{RunId, RunnerId};
use accord_domain::run::change::renew;
use accord_domain::run::{Holder, Run, Status};
use accord_domain::runner::Runner;
use accord_store::{Beat, Directive, RunnerStore, StoreError};
use async_trait::async_trait;
use sqlx::postgres::PgRow;
use sqlx::{PgConnection, Row};

use crate::convert::{from_json, id, json, micros, time, whole};
use crate::error::{DbError, retrying};
use crate::rows::{self, run_columns};
use crate::store::{PostgresStore, conclude};

#[async_trait]
impl RunnerStore for PostgresStore {
    async fn register_runner(&self, runner: Runner) -> Result<(), StoreError> {
        retrying(|| self.write_runner(&runner)).await
    }

    async fn runner(&self, runner_id: &RunnerId) -> Result<Option<Runner>, StoreError> {
        retrying(|| self.read_runner(runner_id)).await
    }

    async fn runners(&self) -> Result<Vec<Runner>, StoreError> {
        retrying(|| self.read_runners()).await
    }

    async fn heartbeat(&self, beat: Beat) -> Result<Vec<Directive>, StoreError> {
        let beat = Beat { now: whole(beat.now), ..beat };
        retrying(|| self.beat(&beat)).await
    }

    async fn waiting_for_children(&self, runs: &[RunId]) -> Result<u32, StoreError> {
        retrying(|| self.count_waiting(runs)).await
    }

    async fn remove_runner(&self, runner_id: &RunnerId) -> Result<(), StoreError> {
        retrying(|| self.delete_runner(runner_id)).await
    }
}

const REGISTER: &str = "
INSERT INTO runners (id, profile, registered_at, seen_at) VALUES ($1, $2, $3, $4)
ON CONFLICT (id) DO UPDATE
SET profile = excluded.profile, registered_at = excluded.registered_at, seen_at = excluded.seen_at";

const SEEN: &str = "UPDATE runners SET seen_at = greatest(seen_at, $2) WHERE id = $1";

/// In the order of their ids, so that two beats never wait for each other crosswise.
const HELD: &str =
    concat!("SELECT ", run_columns!(), " FROM runs r WHERE r.id = ANY($1) ORDER BY r.id FOR NO KEY UPDATE");

const RENEW: &str = "
UPDATE runs r SET lease_expires_at = t.expires_at FROM unnest($1::text[], $2::bigint[]) AS t(id, expires_at)
WHERE r.id = t.id";

const WAITING: &str = "
SELECT count(*) FROM runs r WHERE r.id = ANY($1) AND EXISTS (
    SELECT 1 FROM sessions c JOIN runs w ON w.id = c.last_run_id
    WHERE c.parent_session_id = r.session_id AND w.execution_mode <> 'async_callback'
    AND w.status NOT IN ('completed', 'failed', 'stopped'))";

impl PostgresStore {
    async fn write_runner(&self, runner: &Runner) -> Result<(), DbError> {
        sqlx::query(REGISTER)
            .bind(runner.id.as_str())
            .bind(json(&runner.profile)?)
            .bind(micros(runner.registered_at))
            .bind(micros(runner.seen_at))
            .execute(&self.pool)
            .await?;
        Ok(())
    }

    async fn read_runner(&self, runner_id: &RunnerId) -> Result<Option<Runner>, DbError> {
        let query = sqlx::query("SELECT * FROM runners WHERE id = $1").bind(runner_id.as_str());
        query.fetch_optional(&self.pool).await?.as_ref().map(runner).transpose()
    }

    async fn read_runners(&self) -> Result<Vec<Runner>, DbError> {
        let query = sqlx::query("SELECT * FROM runners ORDER BY registered_at DESC, id DESC");
        query.fetch_all(&self.pool).await?.iter().map(runner).collect()
    }

    async fn delete_runner(&self, runner_id: &RunnerId) -> Result<(), DbError> {
        let query = sqlx::query("DELETE FROM runners WHERE id = $1").bind(runner_id.as_str());
        if query.execute(&self.pool).await?.rows_affected() == 0 {
            return Err(unknown(runner_id).into());
        }
        Ok(())
    }

    async fn count_waiting(&self, runs: &[RunId]) -> Result<u32, DbError> {
        let ids: Vec<&str> = runs.iter().map(RunId::as_str).collect();
        let count: i64 = sqlx::query_scalar(WAITING).bind(ids).fetch_one(&self.pool).await?;
        Ok(u32::try_from(count).unwrap_or(u32::MAX))
    }

    async fn beat(&self, beat: &Beat) -> Result<Vec<Directive>, DbError> {
        let mut transaction = self.begin().await?;
        let directives = note_beat(&mut transaction, beat).await;
        conclude(transaction, directives).await
    }
}

async fn note_beat(connection: &mut PgConnection, beat: &Beat) -> Result<Vec<Directive>, DbError> {
    let seen = sqlx::query(SEEN).bind(beat.runner_id.as_str()).bind(micros(beat.now));
    if seen.execute(&mut *connection).await?.rows_affected() == 0 {
        return Err(unknown(&beat.runner_id).into());
    }
    if beat.runs.is_empty() { Ok(Vec::new()) } else { renew_leases(connection, beat).await }
}

/// All leases of a runner in two statements.
async fn renew_leases(connection: &mut PgConnection, beat: &Beat) -> Result<Vec<Directive>, DbError> {
    let ids: Vec<&str> = beat.runs.iter().map(|held| held.run_id.as_str()).collect();
    let rows = sqlx::query(HELD).bind(ids).fetch_all(&mut *connection).await?;
    let runs = rows.iter().map(rows::run).collect::<Result<Vec<_>, _>>()?;
    let runs: HashMap<&str, &Run> = runs.iter().map(|run| (run.id.as_str(), run)).collect();
    let (mut renewed, mut expiries) = (Vec::new(), Vec::new());
    let mut directives = Vec::with_capacity(beat.runs.len());
    for held in &beat.runs {
        let holder = Holder {
            run_id: held.run_id.clone(),
            runner_id: beat.runner_id.clone(),
            lease_id: held.lease_id.clone(),
            attempt: held.attempt,
        };
        let run = runs.get(held.run_id.as_str()).map(|run| (*run).clone());
        let run = run.and_then(|run| renew(run, &holder, beat.now, beat.lease).ok());
        directives.push(match &run {
            Some(run) if run.status == Status::Stopping => Directive::Stop,
            Some(_) => Directive::Continue,
            None => Directive::Lost,
        });
        if let Some((id, lease)) = run.and_then(|run| Some((run.id, run.lease?))) {
            renewed.push(String::from(id));
            expiries.push(micros(lease.expires_at));
        }
    }
    if !renewed.is_empty() {
        sqlx::query(RENEW).bind(renewed).bind(expiries).execute(connection).await?;
    }
    Ok(directives)
}

fn unknown(runner_id: &RunnerId) -> StoreError {
    StoreError::NoSuch { kind: "runner", name: runner_id.to_string() }
}

pub(crate) fn runner(row: &PgRow) -> Result<Runner, DbError> {
    Ok(Runner {
        id: id(row.try_get("id")?)?,
        profile: from_json(row.try_get("profile")?)?,
        registered_at: time(row.try_get("registered_at")?)?,
        seen_at: time(row.try_get("seen_at")?)?,
    })
}
