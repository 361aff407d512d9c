//! Workflows and their runs.

use accord_api::{
    CreateWorkflowRun, CreatedWorkflowRun, Page, PageQuery, QuarantineView, ValidateWorkflowAnswer,
    WaitQuery, WorkflowRunId, WorkflowRunQuery, WorkflowRunSummary, WorkflowRunView, WorkflowSummary,
    WorkflowView,
};
use reqwest::Method;
use serde_json::Value;

use crate::client::Client;
use crate::error::ClientError;
use crate::http::query;

impl Client {
    /// Workflows, by name.
    pub async fn workflows(&self, page: &PageQuery) -> Result<Page<WorkflowSummary>, ClientError> {
        self.get(&["workflows"]).query(query(page)?).read().await
    }

    /// A workflow.
    pub async fn workflow(&self, name: &str) -> Result<WorkflowView, ClientError> {
        self.get(&["workflows", name]).read().await
    }

    /// Stores a new workflow.
    pub async fn create_workflow(&self, workflow: &Value) -> Result<WorkflowView, ClientError> {
        self.post(&["workflows"]).body(workflow).read().await
    }

    /// Puts a graph in the place of a workflow's, if that is still the one with this hash.
    pub async fn put_workflow(
        &self,
        name: &str,
        workflow: &Value,
        if_match: Option<&str>,
    ) -> Result<WorkflowView, ClientError> {
        let call = self.call(Method::PUT, &["workflows", name]).header("if-match", if_match);
        call.body(workflow).read().await
    }

    /// Deletes a workflow.
    pub async fn delete_workflow(&self, name: &str) -> Result<(), ClientError> {
        self.call(Method::DELETE, &["workflows", name]).done().await
    }

    /// Checks a workflow without storing it.
    pub async fn validate_workflow(&self, workflow: &Value) -> Result<ValidateWorkflowAnswer, ClientError> {
        self.post(&["workflows", "validate"]).body(workflow).read().await
    }

    /// Runs a workflow. With the same idempotency key and body, the first answer comes again.
    pub async fn run_workflow(
        &self,
        name: &str,
        run: &CreateWorkflowRun,
        idempotency_key: Option<&str>,
    ) -> Result<CreatedWorkflowRun, ClientError> {
        let call = self.post(&["workflows", name, "runs"]).header("idempotency-key", idempotency_key);
        call.body(run).read().await
    }

    /// Runs a workflow and waits until it finishes or the time is up.
    pub async fn run_workflow_and_wait(
        &self,
        name: &str,
        run: &CreateWorkflowRun,
        wait_seconds: u32,
    ) -> Result<WorkflowRunView, ClientError> {
        let wait = query(&WaitQuery { wait: Some(wait_seconds) })?;
        let call = self.post(&["workflows", name, "runs"]).query(wait).waiting(wait_seconds);
        call.body(run).read().await
    }

    /// Workflow runs, the newest first.
    pub async fn workflow_runs(
        &self,
        which: &WorkflowRunQuery,
    ) -> Result<Page<WorkflowRunSummary>, ClientError> {
        self.get(&["workflow-runs"]).query(query(which)?).read().await
    }

    /// A workflow run, with all its nodes.
    pub async fn workflow_run(&self, id: &WorkflowRunId) -> Result<WorkflowRunView, ClientError> {
        self.get(&["workflow-runs", id.as_str()]).read().await
    }

    /// Waits until a workflow run finishes or the time is up, and returns it.
    pub async fn wait_for_workflow_run(
        &self,
        id: &WorkflowRunId,
        wait_seconds: u32,
    ) -> Result<WorkflowRunView, ClientError> {
        let wait = query(&WaitQuery { wait: Some(wait_seconds) })?;
        let call = self.get(&["workflow-runs", id.as_str()]).query(wait).waiting(wait_seconds);
        call.read().await
    }

    /// Deletes a finished workflow run with its nodes and events.
    pub async fn delete_workflow_run(&self, id: &WorkflowRunId) -> Result<(), ClientError> {
        self.call(Method::DELETE, &["workflow-runs", id.as_str()]).done().await
    }

    /// Stops a workflow run; a finished one is unchanged.
    pub async fn stop_workflow_run(&self, id: &WorkflowRunId) -> Result<WorkflowRunView, ClientError> {
        self.post(&["workflow-runs", id.as_str(), "stop"]).read().await
    }

    /// Continues a workflow run that failed or was stopped. Finished nodes keep their outputs.
    pub async fn retry_workflow_run(&self, id: &WorkflowRunId) -> Result<WorkflowRunSummary, ClientError> {
        self.post(&["workflow-runs", id.as_str(), "retry"]).read().await
    }

    /// Runs and workflow runs that coordinators died of.
    pub async fn quarantine(&self) -> Result<QuarantineView, ClientError> {
        self.get(&["quarantine"]).read().await
    }
}
