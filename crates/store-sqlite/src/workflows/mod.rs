//! Runs of workflows.

mod advance;
mod ended;
mod read;
mod remove;
mod rows;

pub(crate) use ended::{poison, poisoned, retry, stop_at_once, task_runs};

use accord_domain::id::{RunId, WorkflowRunId};
use accord_domain::workflow::WorkflowRun;
use accord_store::{
    Count, DueWorkflowRun, Idempotency, NewWorkflowRun, Page, PageRequest, StoreError, Summaries, TaskRun,
    WorkflowAdvance, WorkflowDocuments, WorkflowRunFilter, WorkflowRunStore,
};
use async_trait::async_trait;
use jiff::Timestamp;

use crate::store::SqliteStore;

#[async_trait]
impl WorkflowRunStore for SqliteStore {
    async fn submit_workflow_run(
        &self,
        run: NewWorkflowRun,
        idempotency: Option<Idempotency>,
    ) -> Result<Option<String>, StoreError> {
        let run = rows::Prepared::from(run);
        self.write(move |write| advance::submit(write, &run, idempotency.as_ref())).await
    }

    async fn advance_workflow_run(&self, advance: WorkflowAdvance) -> Result<(), StoreError> {
        let advance = advance::Prepared::new(advance)?;
        self.write(move |write| advance::advance(write, advance)).await
    }

    async fn stop_workflow_run(&self, id: &WorkflowRunId, now: Timestamp) -> Result<WorkflowRun, StoreError> {
        let id = id.clone();
        self.write(move |write| advance::stop(write, &id, now)).await
    }

    async fn workflow_documents(&self, id: &WorkflowRunId) -> Result<WorkflowDocuments, StoreError> {
        let id = id.clone();
        self.read(move |connection| read::whole(connection, &id)).await
    }

    async fn workflow_runs(
        &self,
        filter: &WorkflowRunFilter,
        page: &PageRequest,
    ) -> Result<Page<WorkflowRun>, StoreError> {
        let (filter, page) = (filter.clone(), page.clone());
        self.read(move |connection| read::list(connection, &filter, &page)).await
    }

    async fn count_workflow_runs(&self, filter: &WorkflowRunFilter, most: u32) -> Result<Count, StoreError> {
        let filter = filter.clone();
        self.read(move |connection| read::count(connection, &filter, most)).await
    }

    async fn workflow_previews(
        &self,
        runs: &[WorkflowRunId],
    ) -> Result<Summaries<WorkflowRunId, String>, StoreError> {
        let runs = runs.to_vec();
        self.read(move |connection| read::previews(connection, &runs)).await
    }

    async fn due_workflow_runs(&self, limit: u32) -> Result<Vec<DueWorkflowRun>, StoreError> {
        self.read_by_key(move |connection| read::due(connection, limit)).await
    }

    async fn finished_task_runs(&self, id: &WorkflowRunId) -> Result<Vec<TaskRun>, StoreError> {
        let id = id.clone();
        self.read(move |connection| read::done(connection, &id)).await
    }

    async fn remove_workflow_run(&self, id: &WorkflowRunId) -> Result<(), StoreError> {
        let id = id.clone();
        self.write(move |write| remove::remove(write.connection(), &id)).await
    }

    async fn is_task_run(&self, run_id: &RunId) -> Result<bool, StoreError> {
        let run_id = run_id.clone();
        self.read(move |connection| read::is_task_run(connection, &run_id)).await
    }
}
