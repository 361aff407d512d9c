//! What lists show of a run in addition to the run, and the table `run_inputs`.

use accord_domain::id::RunId;
use accord_domain::input::InputSummary;
use accord_store::{RunSummary, Summaries};
use rusqlite::{Connection, Row, params};

use crate::error::DbResult;
use crate::value::counted;

/// The model and the number of attempts of `runs r` with its `assignments a` and its blueprint `documents b`: the model of its last
/// attempt, the one that was asked for, the blueprint's, and the attempts. [`read`] takes them.
macro_rules! columns {
    () => {
        "coalesce(nullif((SELECT t.model FROM attempts t WHERE t.run = r.seq ORDER BY t.delivery DESC, t.number DESC LIMIT 1), \
         ''), a.model), json_extract(b.body, '$.executor.model'), (SELECT count(*) FROM attempts t WHERE t.run = r.seq)"
    };
}
pub(crate) use columns;

/// The model and the number of attempts from a row, whose columns begin at this place.
pub(crate) fn read(row: &Row<'_>, from: usize) -> DbResult<(Option<String>, u32)> {
    let model: Option<String> = row.get(from)?;
    let of_blueprint: Option<String> = row.get(from + 1)?;
    Ok((model.or(of_blueprint), counted(row.get(from + 2)?)?))
}

/// Writes what is shown and searched of the input of a new run.
pub(crate) fn insert(connection: &Connection, run: i64, input: &InputSummary) -> DbResult<()> {
    let sql = "INSERT INTO run_inputs (run, preview, searched) VALUES (?1, ?2, ?3)";
    connection.prepare_cached(sql)?.execute(params![run, input.preview, input.searched])?;
    Ok(())
}

/// The summaries of these runs.
pub(crate) fn of_runs(connection: &Connection, runs: &[RunId]) -> DbResult<Summaries<RunId, RunSummary>> {
    let sql = concat!(
        "SELECT (SELECT i.preview FROM run_inputs i WHERE i.run = r.seq), ",
        columns!(),
        " FROM runs r JOIN assignments a ON a.run = r.seq JOIN documents b ON b.id = a.blueprint WHERE r.id = ?1"
    );
    let mut statement = connection.prepare_cached(sql)?;
    let mut found = Summaries::with_capacity(runs.len());
    for id in runs {
        let mut rows = statement.query([id.as_str()])?;
        let Some(row) = rows.next()? else { continue };
        let (model, attempts) = read(row, 1)?;
        let preview = row.get::<_, Option<String>>(0)?.unwrap_or_default();
        found.insert(id.clone(), RunSummary { preview, model, attempts });
    }
    Ok(found)
}
