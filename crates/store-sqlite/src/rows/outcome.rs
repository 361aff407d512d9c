//! The table `outcomes`.

use accord_domain::run::Outcome;
use rusqlite::{Connection, params};

use crate::fault::Done;
use crate::value::{from_json, json};

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
    let sql = "SELECT result_text, result_data, raw, validation FROM outcomes WHERE run = ?1";
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query([run])?;
    let Some(row) = rows.next()? else { return Ok(None) };
    let validation: Option<String> = row.get(3)?;
    Ok(Some(Outcome {
        result_text: row.get(0)?,
        result_data: row.get(1)?,
        raw: row.get(2)?,
        validation: validation.as_deref().map(from_json).transpose()?,
    }))
}
