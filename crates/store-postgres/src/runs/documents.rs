//! The documents of runs.

use std::collections::HashMap;

use accord_domain::id::RunId;
use accord_domain::run::Assignment;
use accord_store::StoreError;
use sqlx::{PgExecutor, Row};

use crate::fault::Fault;
use crate::text::unescape;

const DOCUMENTS: &str = "
SELECT a.run_id, b.body AS blueprint, a.parameters, c.body AS contract, a.model, a.project_dir, a.retry_prompt,
    v.body AS conversation
FROM assignments a
JOIN runs r ON r.id = a.run_id
JOIN documents b ON b.hash = a.blueprint
LEFT JOIN documents c ON c.hash = a.contract
LEFT JOIN conversations v ON v.session_id = r.session_id
WHERE a.run_id = ANY($1)";

/// The assignments of these runs, with their sessions' conversations.
pub(super) async fn of_runs(
    executor: impl PgExecutor<'_>,
    run_ids: &[&str],
) -> Result<HashMap<String, (Assignment, Option<String>)>, Fault> {
    let rows = sqlx::query(DOCUMENTS).bind(run_ids).fetch_all(executor).await?;
    let mut documents = HashMap::with_capacity(rows.len());
    for row in rows {
        let plain = |column: &str| -> Result<Option<String>, Fault> {
            Ok(row.try_get::<Option<String>, _>(column)?.map(unescape))
        };
        let assignment = Assignment {
            blueprint: row.try_get("blueprint")?,
            parameters: row.try_get("parameters")?,
            contract: row.try_get("contract")?,
            model: plain("model")?,
            project_dir: plain("project_dir")?,
            retry_prompt: plain("retry_prompt")?,
        };
        documents.insert(row.try_get("run_id")?, (assignment, row.try_get("conversation")?));
    }
    Ok(documents)
}

/// A run without documents is none that we have written.
pub(super) fn missing(run_id: &RunId) -> Fault {
    StoreError::Corrupt(format!("{run_id} has no documents")).into()
}
