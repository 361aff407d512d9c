//! Runs, read.

use accord_domain::attempt::Attempt;
use accord_domain::id::{RunId, SessionId};
use accord_domain::run::{Assignment, Outcome, Run, Status};
use accord_domain::step::Step;
use accord_store::{
    Count, Page, PageRequest, RunFilter, RunReader, RunSummary, StoreError, Summaries, WholeRun,
};
use async_trait::async_trait;
use sqlx::{Postgres, QueryBuilder, Row};

use super::{documents, steps};
use crate::convert::{from_json, id};
use crate::error::{DbError, retrying};
use crate::list::{self, List};
use crate::rows::{
    self, assignment_columns, assignment_documents, outcome_columns, run_columns, summary_columns,
};
use crate::store::PostgresStore;
use crate::text::escape;
use crate::{idempotency, page};

#[async_trait]
impl RunReader for PostgresStore {
    async fn run(&self, run_id: &RunId) -> Result<Run, StoreError> {
        retrying(|| self.read_run(run_id)).await
    }

    async fn assignment(&self, run_id: &RunId) -> Result<Assignment, StoreError> {
        retrying(|| self.read_assignment(run_id)).await
    }

    async fn whole_run(&self, run_id: &RunId) -> Result<WholeRun, StoreError> {
        retrying(|| self.read_whole_run(run_id)).await
    }

    async fn opening_parameters(&self, session_id: &SessionId) -> Result<String, StoreError> {
        retrying(|| self.read_opening(session_id)).await
    }

    async fn first_answer(
        &self,
        scope: &str,
        key: &str,
        fingerprint: &str,
    ) -> Result<Option<String>, StoreError> {
        retrying(|| idempotency::first(&self.pool, scope, key, fingerprint)).await
    }

    async fn outcome(&self, run_id: &RunId) -> Result<Option<Outcome>, StoreError> {
        retrying(|| self.read_outcome(run_id)).await
    }

    async fn steps(&self, run_id: &RunId) -> Result<Vec<Step>, StoreError> {
        retrying(|| steps::all(&self.pool, run_id)).await
    }

    async fn attempts(&self, run_id: &RunId) -> Result<Vec<Attempt>, StoreError> {
        retrying(|| self.read_attempts(run_id)).await
    }

    async fn runs(&self, filter: &RunFilter, page: &PageRequest) -> Result<Page<Run>, StoreError> {
        retrying(|| self.read_runs(filter, page)).await
    }

    async fn count_runs(&self, filter: &RunFilter, most: u32) -> Result<Count, StoreError> {
        retrying(|| self.read_run_count(filter, most)).await
    }

    async fn run_summaries(&self, runs: &[RunId]) -> Result<Summaries<RunId, RunSummary>, StoreError> {
        retrying(|| self.read_run_summaries(runs)).await
    }

    async fn ids_beginning(&self, beginning: &str, limit: u32) -> Result<Vec<String>, StoreError> {
        retrying(|| self.read_ids(beginning, limit)).await
    }
}

const RUN: &str = concat!("SELECT ", run_columns!(), " FROM runs r WHERE r.id = $1");

const OPENING: &str = "
SELECT a.parameters FROM runs r JOIN assignments a ON a.run_id = r.id
WHERE r.session_id = $1 AND r.kind = 'start_session'";

const OUTCOME: &str = concat!(
    "SELECT ",
    outcome_columns!(),
    " FROM runs r LEFT JOIN outcomes o ON o.run_id = r.id WHERE r.id = $1"
);

const WHOLE_RUN: &str = concat!(
    "SELECT ",
    run_columns!(),
    ", ",
    assignment_columns!(),
    ", ",
    outcome_columns!(),
    " FROM runs r JOIN assignments a ON a.run_id = r.id ",
    assignment_documents!(),
    " LEFT JOIN outcomes o ON o.run_id = r.id WHERE r.id = $1"
);

const ATTEMPTS: &str = "
SELECT a.record FROM runs r LEFT JOIN attempts a ON a.run_id = r.id WHERE r.id = $1
ORDER BY a.delivery, a.number";

/// No id has a character that comes after the last of the second parameter.
const IDS: &str = "
(SELECT id FROM runs WHERE id >= $1 AND id < $2 ORDER BY id LIMIT $3)
UNION ALL (SELECT id FROM sessions WHERE id >= $1 AND id < $2 ORDER BY id LIMIT $3)
UNION ALL (SELECT id FROM workflow_runs WHERE id >= $1 AND id < $2 ORDER BY id LIMIT $3) ORDER BY id LIMIT $3";

impl PostgresStore {
    async fn read_ids(&self, beginning: &str, limit: u32) -> Result<Vec<String>, DbError> {
        let query = sqlx::query_scalar(IDS).bind(beginning).bind(format!("{beginning}\u{7f}"));
        Ok(query.bind(i64::from(limit)).fetch_all(&self.pool).await?)
    }

    async fn read_run(&self, run_id: &RunId) -> Result<Run, DbError> {
        let row = sqlx::query(RUN).bind(run_id.as_str()).fetch_optional(&self.pool).await?;
        rows::run(&row.ok_or_else(|| StoreError::NoRun(run_id.clone()))?)
    }

    async fn read_opening(&self, session_id: &SessionId) -> Result<String, DbError> {
        let query = sqlx::query_scalar(OPENING).bind(session_id.as_str());
        let found: Option<String> = query.fetch_optional(&self.pool).await?;
        found.ok_or_else(|| StoreError::NoSession(session_id.clone()).into())
    }

    async fn read_assignment(&self, run_id: &RunId) -> Result<Assignment, DbError> {
        documents::of_run(&self.pool, run_id).await
    }

    async fn read_outcome(&self, run_id: &RunId) -> Result<Option<Outcome>, DbError> {
        let row = sqlx::query(OUTCOME).bind(run_id.as_str()).fetch_optional(&self.pool).await?;
        rows::outcome(&row.ok_or_else(|| StoreError::NoRun(run_id.clone()))?)
    }

    async fn read_whole_run(&self, run_id: &RunId) -> Result<WholeRun, DbError> {
        let row = sqlx::query(WHOLE_RUN).bind(run_id.as_str()).fetch_optional(&self.pool).await?;
        let row = row.ok_or_else(|| StoreError::NoRun(run_id.clone()))?;
        let run = rows::run(&row)?;
        let outcome = if run.status == Status::Completed { rows::outcome(&row)? } else { None };
        Ok(WholeRun { run, assignment: rows::assignment(&row)?, outcome })
    }

    async fn read_attempts(&self, run_id: &RunId) -> Result<Vec<Attempt>, DbError> {
        let records: Vec<Option<String>> =
            sqlx::query_scalar(ATTEMPTS).bind(run_id.as_str()).fetch_all(&self.pool).await?;
        if records.is_empty() {
            return Err(StoreError::NoRun(run_id.clone()).into());
        }
        Ok(records.iter().flatten().map(|record| from_json(record)).collect::<Result<_, _>>()?)
    }

    async fn read_runs(&self, filter: &RunFilter, page: &PageRequest) -> Result<Page<Run>, DbError> {
        let cursor = |run: &Run| page::cursor(run.created_at, run.id.as_str());
        listed(filter).page(&self.pool, page, |query| narrow(query, filter), rows::run, cursor).await
    }

    async fn read_run_count(&self, filter: &RunFilter, most: u32) -> Result<Count, DbError> {
        listed(filter).count(&self.pool, most, |query| narrow(query, filter)).await
    }

    async fn read_run_summaries(&self, runs: &[RunId]) -> Result<Summaries<RunId, RunSummary>, DbError> {
        let ids: Vec<&str> = runs.iter().map(RunId::as_str).collect();
        let rows = sqlx::query(SUMMARIES).bind(ids).fetch_all(&self.pool).await?;
        let mut found = Summaries::with_capacity(rows.len());
        for row in &rows {
            let preview: Option<String> = row.try_get("preview")?;
            let (model, attempts) = rows::model_and_attempts(row)?;
            let summary = RunSummary { preview: preview.unwrap_or_default(), model, attempts };
            found.insert(id(row.try_get("id")?)?, summary);
        }
        Ok(found)
    }
}

const SUMMARIES: &str = concat!(
    "SELECT r.id, i.preview, ",
    summary_columns!(),
    " FROM runs r JOIN assignments a ON a.run_id = r.id JOIN documents b ON b.hash = a.blueprint \
     LEFT JOIN run_inputs i ON i.run_id = r.id WHERE r.id = ANY($1)"
);

fn listed(filter: &RunFilter) -> List<'_> {
    List {
        columns: run_columns!(),
        source: "runs r",
        alias: "r",
        searched: "(SELECT i.searched FROM run_inputs i WHERE i.run_id = r.id)",
        search: filter.search.as_ref(),
    }
}

fn narrow(query: &mut QueryBuilder<Postgres>, filter: &RunFilter) {
    if let Some(status) = filter.status {
        query.push(of_status(status));
    }
    if let Some(agent_name) = &filter.agent_name {
        query.push(" AND r.agent_name = ").push_bind(escape(agent_name).into_owned());
    }
    if let Some(session_id) = &filter.session_id {
        query.push(" AND r.session_id = ").push_bind(session_id.as_str().to_owned());
    }
    list::within(query, "r", filter.since, filter.until);
}

/// Written out, so that PostgreSQL chooses the index for the status: by time alone it would read
/// all runs to find that none has it.
fn of_status(status: Status) -> &'static str {
    match status {
        Status::Pending => " AND r.status = 'pending'",
        Status::Claimed => " AND r.status = 'claimed' AND r.lease_expires_at IS NOT NULL",
        Status::Running => " AND r.status = 'running' AND r.lease_expires_at IS NOT NULL",
        Status::Stopping => " AND r.status = 'stopping' AND r.lease_expires_at IS NOT NULL",
        Status::Waiting => " AND r.status = 'waiting'",
        Status::InputRequired => " AND r.status = 'input_required'",
        Status::Completed => " AND r.status = 'completed'",
        Status::Failed => " AND r.status = 'failed'",
        Status::Stopped => " AND r.status = 'stopped'",
    }
}
