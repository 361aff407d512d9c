//! What a workflow run has used.

use accord_api::{Usage, WorkflowRunView};
use accord_domain::workflow::Worker;
use accord_store::StoreError;

use super::WorkflowRuns;
use crate::error::Error;

impl WorkflowRuns {
    /// The usage of every run in it, those of failed attempts and of nested workflows included. Runs that were deleted since
    /// are not counted.
    pub(crate) async fn usage(&self, view: &WorkflowRunView) -> Result<Usage, Error> {
        let mut usage = Usage::default();
        let mut open = workers(view);
        while let Some(worker) = open.pop() {
            match worker {
                Worker::Run { run_id, .. } => match self.store.run(&run_id).await {
                    Err(StoreError::NoRun(_)) => {}
                    run => usage = usage.and(run?.usage),
                },
                Worker::Workflow { workflow_run_id } => {
                    open.extend(workers(&self.get(&workflow_run_id).await?))
                }
            }
        }
        Ok(usage)
    }
}

fn workers(view: &WorkflowRunView) -> Vec<Worker> {
    let tasks = view.nodes.iter().flat_map(|node| &node.tasks);
    tasks.flat_map(|task| task.earlier.iter().chain(&task.worker)).cloned().collect()
}
