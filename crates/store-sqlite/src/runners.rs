//! Runners and the leases that they hold.

use accord_domain::id::{RunId, RunnerId};
use accord_domain::run::{Holder, Status, change};
use accord_domain::runner::Runner;
use accord_store::{Beat, Directive, HeldRun, RunnerStore, StoreError};
use async_trait::async_trait;
use rusqlite::{Connection, Row, params};

use crate::error::{DbError, DbResult};
use crate::rows::run;
use crate::store::SqliteStore;
use crate::value::{from_json, json, micros, time};

#[async_trait]
impl RunnerStore for SqliteStore {
    async fn register_runner(&self, runner: Runner) -> Result<(), StoreError> {
        self.write(move |write| {
            let sql = "INSERT INTO runners (id, profile, registered_at, seen_at) VALUES (?1, ?2, ?3, ?4) \
                       ON CONFLICT (id) DO UPDATE SET profile = excluded.profile, \
                       registered_at = excluded.registered_at, seen_at = excluded.seen_at";
            let (registered, seen) = (micros(runner.registered_at), micros(runner.seen_at));
            let mut statement = write.connection().prepare_cached(sql)?;
            statement.execute(params![runner.id.as_str(), json(&runner.profile)?, registered, seen])?;
            Ok(())
        })
        .await
    }

    async fn runner(&self, runner_id: &RunnerId) -> Result<Option<Runner>, StoreError> {
        let runner_id = runner_id.clone();
        self.read_by_key(move |connection| {
            let sql = "SELECT id, profile, registered_at, seen_at FROM runners WHERE id = ?1";
            let mut statement = connection.prepare_cached(sql)?;
            let mut rows = statement.query([runner_id.as_str()])?;
            rows.next()?.map(record).transpose()
        })
        .await
    }

    async fn runners(&self) -> Result<Vec<Runner>, StoreError> {
        self.read(|connection| {
            let sql = "SELECT id, profile, registered_at, seen_at FROM runners ORDER BY registered_at DESC, seq DESC";
            let mut statement = connection.prepare_cached(sql)?;
            let mut rows = statement.query([])?;
            let mut runners = Vec::new();
            while let Some(row) = rows.next()? {
                runners.push(record(row)?);
            }
            Ok(runners)
        })
        .await
    }

    async fn heartbeat(&self, beat: Beat) -> Result<Vec<Directive>, StoreError> {
        self.write(move |write| heartbeat(write.connection(), &beat)).await
    }

    async fn waiting_for_children(&self, runs: &[RunId]) -> Result<u32, StoreError> {
        let runs = runs.to_vec();
        self.read(move |connection| {
            let sql = "SELECT EXISTS (SELECT 1 FROM runs r JOIN sessions s ON s.seq = r.session \
                       JOIN sessions c ON c.parent_session_id = s.id JOIN runs w ON w.id = c.last_run_id \
                       WHERE r.id = ?1 AND w.execution_mode <> 'async_callback' \
                       AND w.status NOT IN ('completed', 'failed', 'stopped'))";
            let mut statement = connection.prepare_cached(sql)?;
            let mut waiting = 0;
            for run_id in runs {
                waiting += u32::from(statement.query_row([run_id.as_str()], |row| row.get::<_, bool>(0))?);
            }
            Ok(waiting)
        })
        .await
    }

    async fn remove_runner(&self, runner_id: &RunnerId) -> Result<(), StoreError> {
        let runner_id = runner_id.clone();
        self.write(move |write| {
            let mut statement = write.connection().prepare_cached("DELETE FROM runners WHERE id = ?1")?;
            if statement.execute([runner_id.as_str()])? == 0 {
                Err(absent(&runner_id).into())
            } else {
                Ok(())
            }
        })
        .await
    }
}

fn absent(runner_id: &RunnerId) -> StoreError {
    StoreError::NoSuch { kind: "runner", name: runner_id.to_string() }
}

fn record(row: &Row<'_>) -> DbResult<Runner> {
    Ok(Runner {
        id: RunnerId::try_from(row.get::<_, String>(0)?)?,
        profile: from_json(row.get_ref(1)?.as_str().map_err(rusqlite::Error::from)?)?,
        registered_at: time(row.get(2)?)?,
        seen_at: time(row.get(3)?)?,
    })
}

fn heartbeat(connection: &Connection, beat: &Beat) -> DbResult<Vec<Directive>> {
    let mut statement = connection.prepare_cached("UPDATE runners SET seen_at = ?2 WHERE id = ?1")?;
    if statement.execute(params![beat.runner_id.as_str(), micros(beat.now)])? == 0 {
        return Err(absent(&beat.runner_id).into());
    }
    beat.runs.iter().map(|held| direct(connection, beat, held)).collect()
}

fn direct(connection: &Connection, beat: &Beat, held: &HeldRun) -> DbResult<Directive> {
    let (seq, run) = match run::find(connection, &held.run_id) {
        Err(DbError::Answer(StoreError::NoRun(_))) => return Ok(Directive::Lost),
        found => found?,
    };
    let holder = Holder {
        run_id: held.run_id.clone(),
        runner_id: beat.runner_id.clone(),
        lease_id: held.lease_id.clone(),
        attempt: held.attempt,
    };
    let Ok(run) = change::renew(run, &holder, beat.now, beat.lease) else { return Ok(Directive::Lost) };
    run::renew(connection, seq, &run)?;
    Ok(if run.status == Status::Stopping { Directive::Stop } else { Directive::Continue })
}
