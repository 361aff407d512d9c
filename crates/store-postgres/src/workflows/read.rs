//! Workflow runs are read.

use accord_domain::id::{RunId, WorkflowRunId};
use accord_domain::workflow::WorkflowRun;
use accord_store::{
    Count, DueWorkflowRun, NodeRecord, Page, PageRequest, Summaries, TaskRun, WorkflowDocuments,
    WorkflowRunFilter,
};
use sqlx::postgres::PgRow;
use sqlx::{Postgres, QueryBuilder, Row};

use super::rows;
use crate::convert::{counted, id};
use crate::error::DbError;
use crate::list::{self, List};
use crate::page;
use crate::store::PostgresStore;
use crate::text::escape;

/// One statement, so that the parts are of one version.
const WHOLE: &str = "
SELECT w.*, d.head, b.body AS definition,
    (SELECT array_agg(n.node ORDER BY n.node) FROM workflow_nodes n WHERE n.workflow_run_id = w.id) AS nodes,
    (SELECT array_agg(n.body ORDER BY n.node) FROM workflow_nodes n WHERE n.workflow_run_id = w.id) AS bodies,
    (SELECT u.deaths FROM underway u WHERE u.kind = 'workflow_step' AND u.id = w.id) AS deaths
FROM workflow_runs w
JOIN workflow_documents d ON d.workflow_run_id = w.id
JOIN documents b ON b.hash = d.definition
WHERE w.id = $1";

/// Whether a task run has finished or is gone.
macro_rules! done {
    () => {
        "(h.run_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.id = h.run_id \
          AND r.status NOT IN ('completed', 'failed', 'stopped')) \
         OR h.child_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM workflow_runs c WHERE c.id = h.child_id \
          AND c.finished_at IS NULL))"
    };
}

const DUE: &str = concat!(
    "SELECT w.id, coalesce(u.deaths, 0) AS deaths FROM workflow_runs w \
     LEFT JOIN underway u ON u.kind = 'workflow_step' AND u.id = w.id WHERE w.finished_at IS NULL AND (w.asked IS NOT NULL \
     OR w.status = 'stopping' OR EXISTS (SELECT 1 FROM workflow_hands h WHERE h.workflow_run_id = w.id AND ",
    done!(),
    ")) ORDER BY w.created_at, w.id LIMIT $1"
);

const DONE: &str = concat!(
    "SELECT h.run_id, h.child_id FROM workflow_hands h WHERE h.workflow_run_id = $1 AND ",
    done!(),
    " ORDER BY h.number"
);

fn listed(filter: &WorkflowRunFilter) -> List<'_> {
    List {
        columns: "w.*",
        source: "workflow_runs w",
        alias: "w",
        searched: "(SELECT i.searched FROM workflow_inputs i WHERE i.workflow_run_id = w.id)",
        search: filter.search.as_ref(),
    }
}

fn narrow(query: &mut QueryBuilder<Postgres>, filter: &WorkflowRunFilter) {
    if let Some(status) = filter.status {
        query.push(" AND w.status = ").push_bind(status.as_str());
    }
    if let Some(name) = &filter.workflow_name {
        query.push(" AND w.workflow_name = ").push_bind(escape(name).into_owned());
    }
    list::within(query, "w", filter.since, filter.until);
}

impl PostgresStore {
    pub(super) async fn read_workflow_run(&self, id: &WorkflowRunId) -> Result<WorkflowDocuments, DbError> {
        let row = sqlx::query(WHOLE).bind(id.as_str()).fetch_optional(&self.pool).await?;
        let row = row.ok_or_else(|| rows::absent(id))?;
        let (run, asked) = rows::run(&row)?;
        let names: Option<Vec<String>> = row.try_get("nodes")?;
        let bodies: Option<Vec<String>> = row.try_get("bodies")?;
        let nodes = names.unwrap_or_default().into_iter().zip(bodies.unwrap_or_default());
        Ok(WorkflowDocuments {
            run,
            definition: row.try_get("definition")?,
            head: row.try_get("head")?,
            nodes: nodes.map(|(node, body)| NodeRecord { node, body }).collect(),
            asked,
            deaths: counted(row.try_get::<Option<i64>, _>("deaths")?.unwrap_or_default())?,
        })
    }

    pub(super) async fn read_workflow_runs(
        &self,
        filter: &WorkflowRunFilter,
        page: &PageRequest,
    ) -> Result<Page<WorkflowRun>, DbError> {
        let cursor = |run: &WorkflowRun| page::cursor(run.created_at, run.id.as_str());
        let read = |row: &PgRow| Ok(rows::run(row)?.0);
        listed(filter).page(&self.pool, page, |query| narrow(query, filter), read, cursor).await
    }

    pub(super) async fn read_workflow_count(
        &self,
        filter: &WorkflowRunFilter,
        most: u32,
    ) -> Result<Count, DbError> {
        listed(filter).count(&self.pool, most, |query| narrow(query, filter)).await
    }

    pub(super) async fn read_workflow_previews(
        &self,
        runs: &[WorkflowRunId],
    ) -> Result<Summaries<WorkflowRunId, String>, DbError> {
        let ids: Vec<&str> = runs.iter().map(WorkflowRunId::as_str).collect();
        let sql = "SELECT workflow_run_id, preview FROM workflow_inputs WHERE workflow_run_id = ANY($1)";
        let rows = sqlx::query(sql).bind(ids).fetch_all(&self.pool).await?;
        let mut found = Summaries::with_capacity(rows.len());
        for row in &rows {
            found.insert(id(row.try_get("workflow_run_id")?)?, row.try_get("preview")?);
        }
        Ok(found)
    }

    pub(super) async fn read_due_workflow_runs(&self, limit: u32) -> Result<Vec<DueWorkflowRun>, DbError> {
        let rows = sqlx::query(DUE).bind(i64::from(limit)).fetch_all(&self.pool).await?;
        let mut due = Vec::with_capacity(rows.len());
        for row in &rows {
            due.push(DueWorkflowRun {
                id: id(row.try_get("id")?)?,
                deaths: counted(row.try_get("deaths")?)?,
            });
        }
        Ok(due)
    }

    pub(super) async fn read_finished_task_runs(
        &self,
        workflow_run: &WorkflowRunId,
    ) -> Result<Vec<TaskRun>, DbError> {
        let rows = sqlx::query(DONE).bind(workflow_run.as_str()).fetch_all(&self.pool).await?;
        let mut done = Vec::with_capacity(rows.len());
        for row in &rows {
            let (run, child): (Option<&str>, Option<&str>) =
                (row.try_get("run_id")?, row.try_get("child_id")?);
            if let Some(run) = run {
                done.push(TaskRun::Run(id(run)?));
            }
            if let Some(child) = child {
                done.push(TaskRun::Workflow(id(child)?));
            }
        }
        Ok(done)
    }

    pub(super) async fn read_is_task_run(&self, run_id: &RunId) -> Result<bool, DbError> {
        let sql = "SELECT EXISTS (SELECT 1 FROM workflow_hands WHERE run_id = $1)";
        Ok(sqlx::query_scalar(sql).bind(run_id.as_str()).fetch_one(&self.pool).await?)
    }
}
