//! The table `outcomes`.

use accord_domain::run::Outcome;
use rusqlite::{Connection, Row, params};

use crate::fault::Done;
use crate::value::{from_json, json};

/// The columns of a result, in the order in which [`read`] takes them.
macro_rules! columns {
    () => {
        "o.result_text, o.result_data, o.raw, o.validation"
    };
}
pub(crate) use columns;

/// A result from a row, whose columns begin at this place.
pub(crate) fn read(row: &Row<'_>, from: usize) -> Done<Outcome> {
    let validation: Option<String> = row.get(from + 3)?;
    Ok(Outcome {
        result_text: row.get(from)?,
        result_data: row.get(from + 1)?,
        raw: row.get(from + 2)?,
        validation: validation.as_deref().map(from_json).transpose()?,
    })
}

/// Writes the result of a run.
pub(crate) fn insert(connection: &Connection, run: i64, outcome: &Outcome) -> Done<()> {
    let sql =
        "INSERT INTO outcomes (run, result_text, result_data, raw, validation) VALUES (?1, ?2, ?3, ?4, ?5)";
    connection.prepare_cached(sql)?.execute(params![
        run,
        outcome.result_text,
        outcome.result_data,
        outcome.raw,
        outcome.validation.as_ref().map(json).transpose()?,
    ])?;
    Ok(())
}

/// The result of a run, where it has one.
pub(crate) fn find(connection: &Connection, run: i64) -> Done<Option<Outcome>> {
    let sql = concat!("SELECT ", columns!(), " FROM outcomes o WHERE o.run = ?1");
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query([run])?;
    rows.next()?.map(|row| read(row, 0)).transpose()
}
