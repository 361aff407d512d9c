//! What the runs of past hours come to, kept for statistics.
//!
//! There is one writer, so an hour is marked either before its runs are counted, or after: then its mark is another one, and what was
//! counted is not kept.

use std::collections::BTreeMap;

use accord_store::{ErrorCount, HourFigures, Kept, Span, StatsQuery, StoreError, Tally, hour_of, spans_of};
use jiff::Timestamp;
use rusqlite::{Connection, params};

use crate::error::DbResult;
use crate::stats::tally;
use crate::store::SqliteStore;
use crate::value::{from_json, json, micros, time, time_if};

/// The hour of a time.
macro_rules! hour {
    ($time:literal) => {
        concat!("((", $time, " - ((", $time, " % 3600000000) + 3600000000) % 3600000000) / 3600000000)")
    };
}

/// Marks the hours of these rows of `runs r` that are kept.
macro_rules! mark_hours {
    ($condition:literal) => {
        concat!(
            "INSERT INTO kept_hours (hour) SELECT DISTINCT ",
            crate::kept::hour!("r.created_at"),
            " FROM runs r WHERE ",
            $condition,
            " AND ",
            crate::kept::hour!("r.created_at"),
            " < (SELECT hour FROM kept_until) ON CONFLICT DO UPDATE SET mark = mark + 1, body = NULL"
        )
    };
}

pub(crate) use {hour, mark_hours};

/// Hours that are counted at once.
const BATCH: i64 = 500;

/// Of the hour in which the newest run was made and the one before it, more runs will finish.
const OPEN_HOURS: i64 = 1;

/// Marks the hour of a run that has finished, if it is kept.
pub(crate) fn mark(connection: &Connection, run: i64) -> DbResult<()> {
    connection.prepare_cached(mark_hours!("r.seq = ?1"))?.execute([run])?;
    Ok(())
}

/// An hour that is to be counted: its number, and how often it was marked.
type Marked = (i64, i64);

impl SqliteStore {
    /// Counts the hours that have passed since the last time, and those that were marked.
    pub(crate) async fn keep_hours(&self) -> Result<(), StoreError> {
        if let Some(until) = self.read(passed).await? {
            self.write(move |write| advance(write.connection(), until)).await?;
        }
        loop {
            let counted = self.read(|connection| count(connection, &marked(connection)?)).await?;
            if counted.is_empty() {
                return Ok(());
            }
            // Some may be marked again at once, by runs that finish: they are counted the next time.
            let is_last = i64::try_from(counted.len()).is_ok_and(|count| count < BATCH);
            self.write(move |write| keep(write.connection(), &counted)).await?;
            if is_last {
                return Ok(());
            }
        }
    }
}

/// The hour up to which hours have passed, if it is a new one.
fn passed(connection: &Connection) -> DbResult<Option<i64>> {
    let mut statement =
        connection.prepare_cached("SELECT hour, (SELECT max(created_at) FROM runs) FROM kept_until")?;
    let (until, newest): (i64, Option<i64>) =
        statement.query_row([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let newest: Option<Timestamp> = time_if(newest)?;
    Ok(newest.map(|newest| hour_of(newest) - OPEN_HOURS).filter(|wanted| until < *wanted))
}

/// Hours without runs need not be counted.
fn advance(connection: &Connection, until: i64) -> DbResult<()> {
    let sql = concat!(
        "INSERT INTO kept_hours (hour) SELECT DISTINCT ",
        hour!("r.created_at"),
        " FROM runs r WHERE r.created_at >= (SELECT hour FROM kept_until) * 3600000000 AND r.created_at < ?1 * 3600000000 \
         ON CONFLICT DO NOTHING"
    );
    connection.prepare_cached(sql)?.execute([until])?;
    connection.prepare_cached("UPDATE kept_until SET hour = ?1 WHERE hour < ?1")?.execute([until])?;
    Ok(())
}

fn marked(connection: &Connection) -> DbResult<Vec<Marked>> {
    let sql = "SELECT hour, mark FROM kept_hours WHERE body IS NULL ORDER BY hour LIMIT ?1";
    let mut statement = connection.prepare_cached(sql)?;
    let marked = statement.query_map([BATCH], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(marked.collect::<rusqlite::Result<_>>()?)
}

fn count(connection: &Connection, marked: &[Marked]) -> DbResult<Vec<(Marked, String)>> {
    let hours: Vec<i64> = marked.iter().map(|(hour, _)| *hour).collect();
    let spans = spans_of(&hours);
    let mut figures = tally(connection, Tally::of_hours(), &spans, None)?.hours();
    for span in spans {
        errors(connection, span, &mut figures)?;
    }
    let bodies = marked.iter().map(|hour| Ok((*hour, json(&figures.remove(&hour.0).unwrap_or_default())?)));
    bodies.collect()
}

fn errors(
    connection: &Connection,
    (start, stop): Span,
    figures: &mut BTreeMap<i64, HourFigures>,
) -> DbResult<()> {
    let sql = "SELECT r.created_at, r.agent_name, e.path, e.keyword \
               FROM runs r CROSS JOIN attempt_errors e ON e.run = r.seq \
               WHERE r.status IN ('completed', 'failed', 'stopped') AND r.created_at >= ?1 AND r.created_at < ?2";
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query([start, stop].map(micros))?;
    while let Some(row) = rows.next()? {
        let agent_name: String = row.get(1)?;
        let error = ErrorCount { path: row.get(2)?, keyword: row.get(3)?, count: 1 };
        figures.entry(hour_of(time(row.get(0)?)?)).or_default().add_error(&agent_name, error);
    }
    Ok(())
}

fn keep(connection: &Connection, counted: &[(Marked, String)]) -> DbResult<()> {
    let sql = "UPDATE kept_hours SET body = ?3 WHERE hour = ?1 AND mark = ?2 AND body IS NULL";
    let mut statement = connection.prepare_cached(sql)?;
    for ((hour, mark), body) in counted {
        statement.execute(params![hour, mark, body])?;
    }
    Ok(())
}

/// What is kept of the hours that are asked for.
pub(crate) fn read(connection: &Connection, query: &StatsQuery) -> DbResult<Kept<HourFigures>> {
    let until: i64 =
        connection.prepare_cached("SELECT hour FROM kept_until")?.query_row([], |row| row.get(0))?;
    let sql = "SELECT hour, body FROM kept_hours WHERE hour >= ?1 AND hour < ?2 ORDER BY hour";
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query([Kept::<HourFigures>::first(query), until])?;
    let mut hours = Vec::new();
    while let Some(row) = rows.next()? {
        let body = row.get_ref(1)?.as_str_or_null().map_err(rusqlite::Error::from)?;
        hours.push((row.get(0)?, body.map(from_json).transpose()?));
    }
    Ok(Kept { until, hours })
}
