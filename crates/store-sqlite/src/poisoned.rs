//! The count of poisoned work.

use accord_store::PoisonedCount;
use rusqlite::Connection;

use crate::error::DbResult;
use crate::value::counted;

/// How many runs and workflow runs coordinators died of.
pub(crate) fn count(connection: &Connection) -> DbResult<PoisonedCount> {
    let sql = "SELECT (SELECT count(*) FROM runs WHERE failure_type = 'poisoned'), \
               (SELECT count(*) FROM workflow_runs WHERE failure IS NOT NULL AND status = 'failed')";
    let mut statement = connection.prepare_cached(sql)?;
    let (runs, workflow_runs) = statement.query_row([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(PoisonedCount { runs: counted(runs)?, workflow_runs: counted(workflow_runs)? })
}
