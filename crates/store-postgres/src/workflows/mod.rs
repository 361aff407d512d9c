//! Runs of workflows.

mod advance;
mod ended;
mod read;
mod remove;
mod rows;

pub(crate) use ended::poison;

use accord_domain::id::{RunId, WorkflowRunId};
use accord_domain::workflow::WorkflowRun;
use accord_store::{
    Count, DueWorkflowRun, Idempotency, NewWorkflowRun, Page, PageRequest, StoreError, Summaries, TaskRun,
    WorkflowAdvance, WorkflowDocuments, WorkflowRunFilter, WorkflowRunStore,
};
use async_trait::async_trait;
use jiff::Timestamp;

use crate::convert::whole;
use crate::error::retrying;
use crate::store::PostgresStore;

#[async_trait]
impl WorkflowRunStore for PostgresStore {
    async fn submit_workflow_run(
        &self,
        run: NewWorkflowRun,
        idempotency: Option<Idempotency>,
    ) -> Result<Option<String>, StoreError> {
        retrying(|| self.add_workflow_run(&run, idempotency.as_ref())).await
    }

    async fn advance_workflow_run(&self, advance: WorkflowAdvance) -> Result<(), StoreError> {
        let advance = advance::to_the_microsecond(advance);
        retrying(|| self.move_workflow_run(&advance)).await
    }

    async fn stop_workflow_run(&self, id: &WorkflowRunId, now: Timestamp) -> Result<WorkflowRun, StoreError> {
        let now = whole(now);
        retrying(|| self.ask_to_stop(id, now)).await
    }

    async fn workflow_documents(&self, id: &WorkflowRunId) -> Result<WorkflowDocuments, StoreError> {
        retrying(|| self.read_workflow_run(id)).await
    }

    async fn workflow_runs(
        &self,
        filter: &WorkflowRunFilter,
        page: &PageRequest,
    ) -> Result<Page<WorkflowRun>, StoreError> {
        retrying(|| self.read_workflow_runs(filter, page)).await
    }

    async fn count_workflow_runs(&self, filter: &WorkflowRunFilter, most: u32) -> Result<Count, StoreError> {
        retrying(|| self.read_workflow_count(filter, most)).await
    }

    async fn workflow_previews(
        &self,
        runs: &[WorkflowRunId],
    ) -> Result<Summaries<WorkflowRunId, String>, StoreError> {
        retrying(|| self.read_workflow_previews(runs)).await
    }

    async fn due_workflow_runs(&self, limit: u32) -> Result<Vec<DueWorkflowRun>, StoreError> {
        retrying(|| self.read_due_workflow_runs(limit)).await
    }

    async fn finished_task_runs(&self, id: &WorkflowRunId) -> Result<Vec<TaskRun>, StoreError> {
        retrying(|| self.read_finished_task_runs(id)).await
    }

    async fn remove_workflow_run(&self, id: &WorkflowRunId) -> Result<(), StoreError> {
        retrying(|| self.delete_workflow_run(id)).await
    }

    async fn is_task_run(&self, run_id: &RunId) -> Result<bool, StoreError> {
        retrying(|| self.read_is_task_run(run_id)).await
    }
}
