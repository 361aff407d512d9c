//! Children that do not outlive a run of their parent.

use accord_domain::agent::OnParentEnd;
use accord_domain::id::RunId;
use sqlx::{PgPool, Row};

use crate::convert::id;
use crate::error::DbError;

/// Each child `c` in progress with each run `p` of its parent that could end it. Only those whose agent mentions
/// `on_parent_end` are read further: as JSON, the database rejects some documents.
const PAIRS: &str = "
SELECT c.id, c.execution_mode = 'sync' AND p.status IN ('stopping', 'stopped') AND p.created_at <= c.created_at AS waited_for,
    CASE WHEN p.status <> 'stopping' THEN b.body END AS ended_by
FROM sessions s JOIN runs c ON c.id = s.last_run_id JOIN runs p ON p.session_id = s.parent_session_id
JOIN assignments a ON a.run_id = p.id JOIN documents b ON b.hash = a.blueprint
WHERE s.parent_session_id IS NOT NULL AND s.status IN ('pending', 'running', 'waiting', 'input_required')
AND p.status IN ('stopping', 'stopped', 'failed')
AND (p.finished_at IS NULL OR c.created_at <= p.finished_at OR strpos(c.requested_by, p.id) > 0)
AND (c.execution_mode = 'sync' OR p.status <> 'stopping' AND strpos(b.body, '\"on_parent_end\"') > 0)
ORDER BY c.created_at, c.id";

pub(super) async fn runs(pool: &PgPool, limit: u32) -> Result<Vec<RunId>, DbError> {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let mut orphans: Vec<RunId> = Vec::new();
    for row in sqlx::query(PAIRS).fetch_all(pool).await? {
        let child = id(row.try_get("id")?)?;
        let ended_by: Option<&str> = row.try_get("ended_by")?;
        let is_due = row.try_get("waited_for")?
            || ended_by.is_some_and(|agent| OnParentEnd::of(agent) == Some(OnParentEnd::Stop));
        if is_due && orphans.last() != Some(&child) && orphans.len() < limit {
            orphans.push(child);
        }
    }
    Ok(orphans)
}
