//! What answers a request: the run of an agent, or of a workflow.

use std::collections::BTreeMap;

use accord_api::{
    ErrorName, InputRequest, Origin, RunStatus, RunView, Usage, WorkflowRunView, WorkflowStatus,
};
use accord_domain::id::{InputId, WorkId};
use axum::http::StatusCode;
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::envelope::{ErrorFields, of_run, of_workflow_run};
use crate::http::extract::PathId;

impl PathId for WorkId {
    const ABSENT: ErrorName = ErrorName::RunNotFound;
}

/// A call of a function of the caller.
#[derive(Debug, Clone)]
pub(super) struct Call {
    pub(super) id: InputId,
    pub(super) name: String,
    /// As JSON text.
    pub(super) arguments: String,
}

impl Call {
    pub(super) fn of(request: InputRequest) -> Option<Self> {
        let InputRequest { id, tool, .. } = request;
        let tool = tool?;
        Some(Self { id, name: tool.name, arguments: tool.arguments.to_string() })
    }
}

/// A run of either kind, as it is now.
pub(super) struct Work {
    pub(super) id: WorkId,
    /// The agent or the workflow.
    pub(super) model: String,
    pub(super) status: RunStatus,
    /// The answer, if it has completed.
    pub(super) text: Option<String>,
    /// The calls that the caller has to make before the run goes on.
    pub(super) calls: Vec<Call>,
    /// Why there is none, if it failed or was stopped.
    pub(super) failure: Option<(StatusCode, ErrorFields)>,
    pub(super) usage: Usage,
    /// Seconds since 1970.
    pub(super) created_at: i64,
    pub(super) completed_at: Option<i64>,
    pub(super) metadata: BTreeMap<String, String>,
    /// The caller's schema.
    pub(super) schema: Option<Value>,
}

impl Work {
    /// Whether there is something for the caller: the end, or calls.
    pub(super) fn is_answered(&self) -> bool {
        self.status.is_over() || !self.calls.is_empty()
    }

    pub(super) fn of_run(run: &RunView) -> Self {
        Self {
            id: WorkId::Run(run.run_id.clone()),
            model: run.agent_name.clone(),
            status: run.status,
            text: text(run),
            calls: Vec::new(),
            failure: matches!(run.status, RunStatus::Failed | RunStatus::Stopped).then(|| of_run(run)),
            usage: run.usage,
            created_at: seconds(run.created_at),
            completed_at: run.finished_at.filter(|_| run.status == RunStatus::Completed).map(seconds),
            metadata: run.requested_by.as_ref().map(|by| by.metadata.clone()).unwrap_or_default(),
            schema: callers_schema(run),
        }
    }

    pub(super) fn of_workflow_run(run: &WorkflowRunView, usage: Usage) -> Self {
        let status = match run.status {
            WorkflowStatus::Running => RunStatus::Running,
            WorkflowStatus::Stopping => RunStatus::Stopping,
            WorkflowStatus::Completed => RunStatus::Completed,
            WorkflowStatus::Failed => RunStatus::Failed,
            WorkflowStatus::Stopped => RunStatus::Stopped,
        };
        // An output that is a string is text, as that of an agent without a contract.
        let output = run.output.as_str().map_or_else(|| run.output.to_string(), str::to_owned);
        Self {
            id: WorkId::Workflow(run.workflow_run_id.clone()),
            model: run.workflow_name.clone(),
            status,
            text: (status == RunStatus::Completed).then_some(output),
            calls: Vec::new(),
            failure: matches!(status, RunStatus::Failed | RunStatus::Stopped).then(|| of_workflow_run(run)),
            usage,
            created_at: seconds(run.created_at),
            completed_at: run.finished_at.filter(|_| status == RunStatus::Completed).map(seconds),
            metadata: run.requested_by.as_ref().map(|by| by.metadata.clone()).unwrap_or_default(),
            schema: None,
        }
    }
}

/// The text of a completed run: its value as JSON, digit by digit as it was judged, or the text of an agent without a contract.
pub(super) fn text(run: &RunView) -> Option<String> {
    let result = run.result.as_ref().filter(|_| run.status == RunStatus::Completed)?;
    let data = result.result_data.as_deref().map(RawValue::get).map(str::to_owned);
    data.or_else(|| result.result_text.clone())
}

/// What a run was asked: its prompt, or its parameters as JSON.
pub(super) fn asked(run: &RunView) -> String {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct PromptAlone {
        prompt: String,
    }
    let parameters = run.parameters.as_deref().map(RawValue::get).unwrap_or_default();
    let alone = serde_json::from_str::<PromptAlone>(parameters);
    alone.map_or_else(|_| parameters.to_owned(), |alone| alone.prompt)
}

/// An agent's own schema is not the caller's to know.
fn callers_schema(run: &RunView) -> Option<Value> {
    let mut contract: Value = serde_json::from_str(run.contract.as_deref()?.get()).ok()?;
    let name = if run.contract_origin == Some(Origin::Caller) { "schema" } else { "callers_schema" };
    contract.get_mut(name).map(Value::take)
}

/// Seconds since 1970.
pub(super) fn seconds(at: Timestamp) -> i64 {
    at.as_second()
}
