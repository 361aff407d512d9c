//! What reconcilers do.

use accord_domain::run::{Run, change};
use accord_domain::runner::Profile;
use accord_store::{QueueDepth, StoreError, Unmatched, Upkeep};
use async_trait::async_trait;
use jiff::Timestamp;
use rusqlite::{Connection, params};

use crate::change::{ChangedRows, apply_without_runner};
use crate::error::DbResult;
use crate::rows::run;
use crate::runs::waiting_demands;
use crate::store::SqliteStore;
use crate::value::{counted, from_json, micros, time_if};
use crate::writer::Write;

#[async_trait]
impl Upkeep for SqliteStore {
    async fn shorten_leases(&self, to: Timestamp, beyond: Timestamp) -> Result<(), StoreError> {
        self.write(move |write| {
            let sql = "UPDATE runs SET lease_expires_at = ?1 WHERE lease_expires_at > ?2";
            write.connection().prepare_cached(sql)?.execute([to, beyond].map(micros))?;
            Ok(())
        })
        .await
    }

    async fn reap(&self, now: Timestamp, max_deliveries: u32, limit: u32) -> Result<Vec<Run>, StoreError> {
        self.write(move |write| reap(write, now, max_deliveries, limit)).await
    }

    async fn fail_unmatched(
        &self,
        unmatched: &Unmatched,
        now: Timestamp,
        limit: u32,
    ) -> Result<Vec<Run>, StoreError> {
        let unmatched = unmatched.clone();
        self.write(move |write| fail_unmatched(write, &unmatched, now, limit)).await
    }

    async fn forget(&self, before: Timestamp) -> Result<(), StoreError> {
        self.write(move |write| {
            let connection = write.connection();
            let before = micros(before);
            connection.prepare_cached("DELETE FROM runners WHERE seen_at < ?1")?.execute([before])?;
            let of_schemas = "DELETE FROM facts WHERE at < ?1 AND instr(feature, '#') > 0";
            connection.prepare_cached(of_schemas)?.execute([before])?;
            Ok(())
        })
        .await
    }

    async fn forget_idempotency_keys(&self, before: Timestamp) -> Result<(), StoreError> {
        self.write(move |write| {
            let sql = "DELETE FROM idempotency WHERE created_at < ?1";
            write.connection().prepare_cached(sql)?.execute([micros(before)])?;
            Ok(())
        })
        .await
    }

    async fn next_expiry(&self) -> Result<Option<Timestamp>, StoreError> {
        self.read(|connection| {
            let sql = "SELECT min(lease_expires_at) FROM runs WHERE lease_expires_at IS NOT NULL";
            let next = connection.prepare_cached(sql)?.query_row([], |row| row.get(0))?;
            time_if(next)
        })
        .await
    }

    async fn queue_depth(&self) -> Result<QueueDepth, StoreError> {
        self.read(|connection| {
            let sql = "SELECT (SELECT count(*) FROM runs WHERE status = 'pending'), \
                       (SELECT count(*) FROM runs WHERE lease_expires_at IS NOT NULL)";
            let mut statement = connection.prepare_cached(sql)?;
            let (pending, held) = statement.query_row([], |row| Ok((row.get(0)?, row.get(1)?)))?;
            Ok(QueueDepth { pending: counted(pending)?, held: counted(held)? })
        })
        .await
    }

    async fn ping(&self) -> Result<(), StoreError> {
        self.writer.check_file()?;
        self.read(|connection| {
            connection.prepare_cached("SELECT 1 FROM runs LIMIT 1")?.exists([])?;
            Ok(())
        })
        .await?;
        self.write(probe).await
    }
}

/// The size of a probe write, in bytes: with the pages of the tables about as much as a small run.
/// If it does not fit, a run does not fit either.
const PROBE_BYTES: usize = 16 * 1024;

/// Writes where the next run would be written, and changes nothing there: a page that is damaged is found. Then a row of the
/// probe's own, which needs room on the disk.
fn probe(write: &mut Write<'_>) -> DbResult<()> {
    let newest = [
        "UPDATE sessions SET status = status WHERE seq = (SELECT max(seq) FROM sessions)",
        "UPDATE runs SET status = status WHERE seq = (SELECT max(seq) FROM runs)",
        "UPDATE events SET kind = kind WHERE id = (SELECT max(id) FROM events)",
    ];
    for sql in newest {
        write.connection().prepare_cached(sql)?.execute([])?;
    }
    // No request has this scope, and a row this old is removed like any other.
    let sql = "INSERT OR REPLACE INTO idempotency (scope, key, fingerprint, response, created_at) \
               VALUES ('probe', '', '', ?1, 0)";
    write.connection().prepare_cached(sql)?.execute([" ".repeat(PROBE_BYTES)])?;
    Ok(())
}

fn reap(write: &mut Write<'_>, now: Timestamp, max_deliveries: u32, limit: u32) -> DbResult<Vec<Run>> {
    let sql = "SELECT seq FROM runs WHERE lease_expires_at IS NOT NULL AND lease_expires_at <= ?1 \
               ORDER BY lease_expires_at LIMIT ?2";
    let mut changed = Vec::new();
    for seq in numbers(write.connection(), sql, params![micros(now), limit])? {
        let loaded = run::load_number(write.connection(), seq)?;
        let changed_rows = ChangedRows::of(&loaded);
        changed.push(apply_without_runner(
            write,
            &changed_rows,
            change::lose(loaded.run, loaded.session, now, max_deliveries),
        )?);
    }
    Ok(changed)
}

fn fail_unmatched(
    write: &mut Write<'_>,
    unmatched: &Unmatched,
    now: Timestamp,
    limit: u32,
) -> DbResult<Vec<Run>> {
    let alive = alive(write.connection(), unmatched.alive_since)?;
    let sql = "SELECT seq FROM runs WHERE status = 'pending' AND demands = ?1 AND queued_at < ?2 LIMIT ?3";
    let mut failed = Vec::new();
    for text in waiting_demands(write.connection())? {
        let demands = from_json(&text)?;
        if !unmatched.includes(&demands, &alive) {
            continue;
        }
        let left = limit.saturating_sub(u32::try_from(failed.len()).unwrap_or(u32::MAX));
        for seq in numbers(write.connection(), sql, params![text, micros(unmatched.queued_before), left])? {
            let loaded = run::load_number(write.connection(), seq)?;
            let changed_rows = ChangedRows::of(&loaded);
            failed.push(apply_without_runner(
                write,
                &changed_rows,
                change::unmatched(loaded.run, loaded.session, now),
            )?);
        }
    }
    Ok(failed)
}

/// What the runners can do that were heard of after this time.
fn alive(connection: &Connection, since: Timestamp) -> DbResult<Vec<Profile>> {
    let mut statement = connection.prepare_cached("SELECT profile FROM runners WHERE seen_at > ?1")?;
    let mut rows = statement.query([micros(since)])?;
    let mut profiles = Vec::new();
    while let Some(row) = rows.next()? {
        profiles.push(from_json(row.get_ref(0)?.as_str().map_err(rusqlite::Error::from)?)?);
    }
    Ok(profiles)
}

fn numbers(connection: &Connection, sql: &str, values: impl rusqlite::Params) -> DbResult<Vec<i64>> {
    let mut statement = connection.prepare_cached(sql)?;
    let numbers = statement.query_map(values, |row| row.get(0))?;
    Ok(numbers.collect::<rusqlite::Result<_>>()?)
}
