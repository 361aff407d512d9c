//! The table `outcomes`.

use accord_domain::run::Outcome;
use rusqlite::{Connection, Row, params};

use crate::error::DbResult;
use crate::value::{from_json, json};

/// The columns that [`read`] reads, of `outcomes o`.
macro_rules! columns {
    () => {
        "o.result_text, o.result_data, o.raw, o.validation"
    };
}
pub(crate) use columns;

pub(crate) fn read(row: &Row<'_>) -> DbResult<Outcome> {
    let validation: Option<String> = row.get("validation")?;
    Ok(Outcome {
        result_text: row.get("result_text")?,
        result_data: row.get("result_data")?,
        raw: row.get("raw")?,
        validation: validation.as_deref().map(from_json).transpose()?,
    })
}

/// Writes the result of a run.
pub(crate) fn insert(connection: &Connection, run: i64, outcome: &Outcome) -> DbResult<()> {
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
pub(crate) fn find(connection: &Connection, run: i64) -> DbResult<Option<Outcome>> {
    let sql = concat!("SELECT ", columns!(), " FROM outcomes o WHERE o.run = ?1");
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query([run])?;
    rows.next()?.map(read).transpose()
}
