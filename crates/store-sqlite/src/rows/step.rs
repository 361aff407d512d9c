//! The table `steps`.

use accord_domain::step::Step;
use rusqlite::{Connection, Row, params};

use crate::error::DbResult;
use crate::value::{counted, from_json, json, micros, time};

/// A step, ready to be written.
pub(crate) struct Prepared {
    number: u32,
    delivery: u32,
    at: i64,
    kind: &'static str,
    body: String,
}

impl Prepared {
    pub(crate) fn new(step: &Step) -> DbResult<Self> {
        Ok(Self {
            number: step.number,
            delivery: step.delivery,
            at: micros(step.at),
            kind: step.body.kind(),
            body: json(&step.body)?,
        })
    }
}

/// Writes a step, unless one with this number exists.
pub(crate) fn insert(connection: &Connection, run: i64, step: &Prepared) -> DbResult<()> {
    let sql = "INSERT INTO steps (run, number, delivery, at, kind, body) VALUES (?1, ?2, ?3, ?4, ?5, ?6) \
               ON CONFLICT DO NOTHING";
    let Prepared { number, delivery, at, kind, body } = step;
    connection.prepare_cached(sql)?.execute(params![run, number, delivery, at, kind, body])?;
    Ok(())
}

/// The number of a run's next step.
pub(crate) fn next_number(connection: &Connection, run: i64) -> DbResult<u32> {
    let sql = "SELECT coalesce(max(number), 0) + 1 FROM steps WHERE run = ?1";
    counted(connection.prepare_cached(sql)?.query_row([run], |row| row.get(0))?)
}

/// All steps of a run, in order.
pub(crate) fn all(connection: &Connection, run: i64) -> DbResult<Vec<Step>> {
    let sql = "SELECT number, delivery, at, body FROM steps WHERE run = ?1 ORDER BY number";
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query([run])?;
    let mut steps = Vec::new();
    while let Some(row) = rows.next()? {
        steps.push(read(row)?);
    }
    Ok(steps)
}

/// The steps of a run that count, and how large they are: [`accord_domain::step::current`], without reading the others.
pub(crate) fn current(connection: &Connection, run: i64) -> DbResult<(Vec<Step>, usize)> {
    let sql = "SELECT number, delivery, at, body FROM steps WHERE run = ?1 AND number >= \
               (SELECT coalesce(max(number), 0) FROM steps WHERE run = ?1 AND kind = 'restarted') ORDER BY number";
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query([run])?;
    let (mut steps, mut bytes) = (Vec::new(), 0);
    while let Some(row) = rows.next()? {
        steps.push(read(row)?);
        bytes += row.get_ref(3)?.as_str().map_err(rusqlite::Error::from)?.len();
    }
    Ok((steps, bytes))
}

fn read(row: &Row<'_>) -> DbResult<Step> {
    Ok(Step {
        number: counted(row.get(0)?)?,
        delivery: counted(row.get(1)?)?,
        at: time(row.get(2)?)?,
        body: from_json(row.get_ref(3)?.as_str().map_err(rusqlite::Error::from)?)?,
    })
}
