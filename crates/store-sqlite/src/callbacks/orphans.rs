//! Children that do not outlive a run of their parent.

use accord_domain::agent::OnParentEnd;
use accord_domain::id::RunId;
use rusqlite::Connection;

use crate::error::DbResult;

/// Each child `c` in progress with each run `p` of its parent that could end it. Only those whose agent mentions
/// `on_parent_end` are read further.
const PAIRS: &str = "SELECT c.id, \
     c.execution_mode = 'sync' AND p.status IN ('stopping', 'stopped') AND p.created_at <= c.created_at, \
     CASE WHEN p.status <> 'stopping' THEN b.body END \
     FROM sessions s INDEXED BY sessions_busy_children CROSS JOIN runs c ON c.id = s.last_run_id \
     CROSS JOIN sessions q ON q.id = s.parent_session_id CROSS JOIN runs p ON p.session = q.seq \
     CROSS JOIN assignments a ON a.run = p.seq CROSS JOIN documents b ON b.id = a.blueprint \
     WHERE s.parent_session_id IS NOT NULL AND s.status IN ('pending', 'running', 'waiting', 'input_required') \
     AND p.status IN ('stopping', 'stopped', 'failed') \
     AND (p.finished_at IS NULL OR c.created_at <= p.finished_at OR instr(c.requested_by, p.id) > 0) \
     AND (c.execution_mode = 'sync' OR p.status <> 'stopping' AND instr(b.body, '\"on_parent_end\"') > 0) \
     ORDER BY c.created_at, c.seq";

pub(super) fn runs(connection: &Connection, limit: u32) -> DbResult<Vec<RunId>> {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let mut statement = connection.prepare_cached(PAIRS)?;
    let mut rows = statement.query([])?;
    let mut orphans: Vec<RunId> = Vec::new();
    while let Some(row) = rows.next()?
        && orphans.len() < limit
    {
        let child = RunId::try_from(row.get::<_, String>(0)?)?;
        let ended_by: Option<String> = row.get(2)?;
        let is_due =
            row.get(1)? || ended_by.is_some_and(|agent| OnParentEnd::of(&agent) == Some(OnParentEnd::Stop));
        if is_due && orphans.last() != Some(&child) {
            orphans.push(child);
        }
    }
    Ok(orphans)
}
