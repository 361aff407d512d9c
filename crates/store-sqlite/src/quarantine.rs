//! Work in progress, and work that is set aside because it crashed coordinators.

use accord_domain::callback::HeldReason;
use accord_domain::id::{RunId, SessionId, WorkflowRunId};
use accord_domain::quarantine::{self, Fate, Item, Kind};
use accord_domain::run::{Run, change};
use accord_domain::session::Status;
use accord_domain::workflow::WorkflowRun;
use accord_store::{
    CallbackHold, Census, Death, Idempotency, Poisoned, PoisonedCount, QuarantineStore, StoreError, TaskRun,
};
use async_trait::async_trait;
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, params};

use crate::change::{ChangedRows, apply_without_runner};
use crate::error::{DbError, DbResult};
use crate::rows::{run, session};
use crate::store::SqliteStore;
use crate::value::{counted, micros, named};
use crate::writer::Write;
use crate::{callbacks, poisoned, workflows};

#[async_trait]
impl QuarantineStore for SqliteStore {
    async fn begin_work(
        &self,
        items: Vec<Item>,
        instance: &str,
        now: Timestamp,
    ) -> Result<Vec<Item>, StoreError> {
        let instance = instance.to_owned();
        self.write_unflushed(move |write| begin(write.connection(), items, &instance, now)).await
    }

    async fn end_work(&self, items: Vec<Item>, instance: &str) -> Result<(), StoreError> {
        let instance = instance.to_owned();
        self.write_unflushed(move |write| end(write.connection(), &items, &instance)).await
    }

    async fn renew_work(&self, instance: &str, now: Timestamp) -> Result<(), StoreError> {
        let instance = instance.to_owned();
        self.write_unflushed(move |write| {
            let sql = "UPDATE underway SET seen_at = ?2 WHERE instance = ?1";
            write.connection().prepare_cached(sql)?.execute(params![instance, micros(now)])?;
            Ok(())
        })
        .await
    }

    async fn release_work(&self, instance: &str) -> Result<(), StoreError> {
        let instance = instance.to_owned();
        self.write(move |write| {
            let connection = write.connection();
            let sql = "DELETE FROM underway WHERE instance = ?1 AND deaths = 0";
            connection.prepare_cached(sql)?.execute([&instance])?;
            let sql = "UPDATE underway SET instance = NULL WHERE instance = ?1";
            connection.prepare_cached(sql)?.execute([&instance])?;
            Ok(())
        })
        .await
    }

    async fn dead_work(&self, census: &Census, limit: u32) -> Result<Vec<Item>, StoreError> {
        let census = census.clone();
        self.read(move |connection| dead(connection, &census, limit)).await
    }

    async fn count_death(&self, item: &Item, census: &Census) -> Result<Option<Death>, StoreError> {
        let (item, census) = (item.clone(), census.clone());
        self.write(move |write| count_death(write, &item, &census)).await
    }

    async fn is_marked(&self, item: &Item) -> Result<bool, StoreError> {
        let item = item.clone();
        let sql = "SELECT 1 FROM underway WHERE kind = ?1 AND id = ?2 AND instance IS NOT NULL";
        self.read_by_key(move |connection| {
            Ok(connection.prepare_cached(sql)?.exists(params![item.kind.as_str(), item.id])?)
        })
        .await
    }

    async fn deaths(&self, item: &Item) -> Result<u32, StoreError> {
        let item = item.clone();
        self.read_by_key(move |connection| deaths(connection, &item)).await
    }

    async fn poisoned(&self, limit: u32) -> Result<Poisoned, StoreError> {
        self.read(move |connection| {
            let workflow_runs = workflows::poisoned(connection, limit)?;
            Ok(Poisoned { runs: poisoned_runs(connection, limit)?, workflow_runs })
        })
        .await
    }

    async fn count_poisoned(&self) -> Result<PoisonedCount, StoreError> {
        self.read(poisoned::count).await
    }

    async fn retry_workflow_run(
        &self,
        id: &WorkflowRunId,
        idempotency: Option<Idempotency>,
        now: Timestamp,
    ) -> Result<WorkflowRun, StoreError> {
        let id = id.clone();
        self.write(move |write| workflows::retry(write, &id, idempotency.as_ref(), now)).await
    }

    async fn end_workflow_run(&self, id: &WorkflowRunId, now: Timestamp) -> Result<WorkflowRun, StoreError> {
        let id = id.clone();
        self.write(move |write| {
            let run = workflows::stop_at_once(write, &id, now)?;
            clear(write.connection(), Kind::WorkflowStep, id.as_str())?;
            Ok(run)
        })
        .await
    }

    async fn task_runs(&self, id: &WorkflowRunId) -> Result<Vec<TaskRun>, StoreError> {
        let id = id.clone();
        self.read(move |connection| workflows::task_runs(connection, &id)).await
    }

    async fn stop_run_at_once(&self, run_id: &RunId, now: Timestamp) -> Result<Run, StoreError> {
        let run_id = run_id.clone();
        self.write(move |write| {
            let loaded = run::load(write.connection(), &run_id)?;
            let changed_rows = ChangedRows::of(&loaded);
            apply_without_runner(write, &changed_rows, change::stop_at_once(loaded.run, loaded.session, now))
        })
        .await
    }
}

fn begin(connection: &Connection, items: Vec<Item>, instance: &str, now: Timestamp) -> DbResult<Vec<Item>> {
    let sql = "INSERT INTO underway (kind, id, instance, seen_at, deaths) VALUES (?1, ?2, ?3, ?4, 0) \
               ON CONFLICT (kind, id) DO UPDATE SET instance = excluded.instance, seen_at = excluded.seen_at \
               WHERE underway.instance IS NULL OR underway.instance = excluded.instance";
    let mut statement = connection.prepare_cached(sql)?;
    let mut begun = Vec::with_capacity(items.len());
    for item in items {
        if statement.execute(params![item.kind.as_str(), item.id, instance, micros(now)])? > 0 {
            begun.push(item);
        }
    }
    Ok(begun)
}

fn end(connection: &Connection, items: &[Item], instance: &str) -> DbResult<()> {
    let sql = "DELETE FROM underway WHERE kind = ?1 AND id = ?2 AND instance = ?3";
    let mut statement = connection.prepare_cached(sql)?;
    for item in items {
        statement.execute(params![item.kind.as_str(), item.id, instance])?;
    }
    Ok(())
}

pub(crate) fn clear(connection: &Connection, kind: Kind, id: &str) -> DbResult<()> {
    let sql = "DELETE FROM underway WHERE kind = ?1 AND id = ?2";
    connection.prepare_cached(sql)?.execute(params![kind.as_str(), id])?;
    Ok(())
}

fn dead(connection: &Connection, census: &Census, limit: u32) -> DbResult<Vec<Item>> {
    let sql = "SELECT kind, id FROM underway WHERE instance IS NOT NULL AND instance <> ?1 \
               AND (seen_at < ?2 OR seen_at > ?3) ORDER BY seen_at LIMIT ?4";
    let mut statement = connection.prepare_cached(sql)?;
    let values = params![census.instance, micros(census.seen_before), micros(census.seen_after), limit];
    let mut rows = statement.query(values)?;
    let mut dead = Vec::new();
    while let Some(row) = rows.next()? {
        let kind = named(row.get_ref(0)?.as_str().map_err(rusqlite::Error::from)?)?;
        dead.push(Item { kind, id: row.get(1)? });
    }
    Ok(dead)
}

fn count_death(write: &mut Write<'_>, item: &Item, census: &Census) -> DbResult<Option<Death>> {
    let sql = "UPDATE underway SET deaths = deaths + 1, instance = NULL WHERE kind = ?1 AND id = ?2 \
               AND instance IS NOT NULL AND instance <> ?3 AND (seen_at < ?4 OR seen_at > ?5) RETURNING deaths";
    let values = params![
        item.kind.as_str(),
        item.id,
        census.instance,
        micros(census.seen_before),
        micros(census.seen_after)
    ];
    let counted_now: Option<i64> =
        write.connection().prepare_cached(sql)?.query_row(values, |row| row.get(0)).optional()?;
    let Some(deaths) = counted_now else { return Ok(None) };
    let deaths = counted(deaths)?;
    let fate = quarantine::fate(deaths);
    let goes_on = match fate {
        Fate::Retry => !is_over(write.connection(), item)?,
        Fate::Poisoned => poison(write, item, census.now)?,
    };
    if !goes_on || fate == Fate::Poisoned {
        clear(write.connection(), item.kind, &item.id)?;
    }
    Ok(goes_on.then_some(Death { deaths, fate }))
}

/// Whether there is nothing left to do.
fn is_over(connection: &Connection, item: &Item) -> DbResult<bool> {
    let sql = match item.kind {
        Kind::WorkflowStep => "SELECT 1 FROM workflow_runs WHERE id = ?1 AND finished_at IS NULL",
        Kind::Finish => "SELECT 1 FROM runs WHERE id = ?1 AND finished_at IS NULL",
        Kind::Callback => {
            "SELECT 1 FROM sessions s WHERE s.id = ?1 AND (s.status = 'waiting' OR EXISTS (SELECT 1 FROM callbacks c \
             WHERE c.parent = s.seq AND c.delivered_by IS NULL AND c.held_reason IS NULL))"
        }
    };
    Ok(!connection.prepare_cached(sql)?.exists([&item.id])?)
}

/// Sets the work aside. False: there was nothing left to do.
fn poison(write: &mut Write<'_>, item: &Item, now: Timestamp) -> DbResult<bool> {
    if is_over(write.connection(), item)? {
        return Ok(false);
    }
    match item.kind {
        Kind::WorkflowStep => workflows::poison(write, &WorkflowRunId::try_from(item.id.clone())?, now),
        Kind::Finish => poison_run(write, &RunId::try_from(item.id.clone())?, now),
        Kind::Callback => hold(write, item, now),
    }
}

fn poison_run(write: &mut Write<'_>, run_id: &RunId, now: Timestamp) -> DbResult<bool> {
    let loaded = run::load(write.connection(), run_id)?;
    let changed_rows = ChangedRows::of(&loaded);
    apply_without_runner(write, &changed_rows, change::poison(loaded.run, loaded.session, now))?;
    Ok(true)
}

fn hold(write: &mut Write<'_>, item: &Item, now: Timestamp) -> DbResult<bool> {
    let id = SessionId::try_from(item.id.clone())?;
    let (seq, parent) = match session::find(write.connection(), &id) {
        Err(DbError::Answer(StoreError::NoSession(_))) => return Ok(false),
        found => found?,
    };
    // The run would keep waiting, and the next coordinator would crash on it.
    if parent.status == Status::Waiting {
        return poison_run(write, &parent.last_run_id, now);
    }
    let sql = "SELECT r.id FROM callbacks c JOIN runs r ON r.seq = c.run \
               WHERE c.parent = ?1 AND c.delivered_by IS NULL AND c.held_reason IS NULL ORDER BY c.created_at, c.seq";
    let owed = write
        .connection()
        .prepare_cached(sql)?
        .query_map([seq], |row| row.get(0))?
        .collect::<rusqlite::Result<Vec<String>>>()?;
    let run_ids = owed.into_iter().map(RunId::try_from).collect::<Result<Vec<_>, _>>()?;
    let hold = CallbackHold {
        parent_session_id: parent.id,
        last_run_id: parent.last_run_id,
        run_ids,
        reason: HeldReason::Poisoned,
        message: quarantine::message(item),
        now,
    };
    callbacks::keep_back(write, &hold)?;
    Ok(true)
}

pub(crate) fn deaths(connection: &Connection, item: &Item) -> DbResult<u32> {
    let sql = "SELECT deaths FROM underway WHERE kind = ?1 AND id = ?2";
    let mut statement = connection.prepare_cached(sql)?;
    let deaths: Option<i64> =
        statement.query_row(params![item.kind.as_str(), item.id], |row| row.get(0)).optional()?;
    counted(deaths.unwrap_or_default())
}

fn poisoned_runs(connection: &Connection, limit: u32) -> DbResult<Vec<Run>> {
    let sql = concat!(
        "SELECT ",
        run::columns!(),
        " FROM runs r JOIN sessions s ON s.seq = r.session WHERE r.failure_type = 'poisoned' \
         ORDER BY r.created_at DESC LIMIT ?1"
    );
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query([limit])?;
    let mut runs = Vec::new();
    while let Some(row) = rows.next()? {
        runs.push(run::read(row)?.1);
    }
    Ok(runs)
}
