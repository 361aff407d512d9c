//! Workflows and their runs.

use accord_domain::agent::Source;
use accord_domain::audit::RequestedBy;
use accord_domain::comparison::{Agreement, Contradiction, NearDuplicate, Truncation};
use accord_domain::demands::Demands;
use accord_domain::id::{SessionId, WorkflowRunId};
use accord_domain::workflow::{NodeStatus, Status, Worker, WorkflowFailure};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::page::list_query;
use crate::problem::Problem;
use crate::runs::RunView;

/// A workflow in a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct WorkflowSummary {
    /// Name.
    pub name: String,
    /// Description.
    pub description: String,
    /// Where it is defined: a file or the database.
    pub source: Source,
    /// Whether it is valid and can be run.
    pub valid: bool,
    /// Number of nodes.
    pub nodes: usize,
    /// Errors and warnings.
    pub problems: Vec<Problem>,
}

/// A workflow.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct WorkflowView {
    /// The summary.
    pub summary: WorkflowSummary,
    /// The graph as submitted.
    #[schema(value_type = Object)]
    pub workflow: Value,
    /// JSON Schema of the output, as far as it follows from the graph and its agents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub output_schema: Option<Value>,
    /// Hash of the graph; also the `ETag`.
    pub hash: String,
    /// The file it is defined in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Creation time, if known.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub created_at: Option<Timestamp>,
    /// Time of the last change, if known.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub modified_at: Option<Timestamp>,
}

/// Result of validating a workflow.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ValidateWorkflowAnswer {
    /// Whether it is valid and can be run.
    pub valid: bool,
    /// Errors and warnings.
    pub problems: Vec<Problem>,
}

/// Request to run a workflow.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CreateWorkflowRun {
    /// Input of the workflow: the output of its input node. An empty object by default.
    #[schema(value_type = Option<Value>)]
    pub input: Option<Value>,
    /// Runner requirements in addition to the agents', for every agent run in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub additional_demands: Option<Demands>,
    /// Project folder, for every agent run in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project_dir: Option<String>,
    /// Parent session of every session in it. It gets no callback.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_session_id: Option<SessionId>,
}

/// A created workflow run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct CreatedWorkflowRun {
    /// The run.
    pub workflow_run_id: WorkflowRunId,
    /// The workflow.
    pub workflow_name: String,
    /// Status.
    pub status: Status,
}

list_query! {
    /// Filter for workflow runs.
    pub struct WorkflowRunQuery {
        /// Filter by status.
        pub status: Status,
        /// Filter by workflow.
        pub workflow_name: String,
    }
}

/// A workflow run in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct WorkflowRunSummary {
    /// Id.
    pub workflow_run_id: WorkflowRunId,
    /// The workflow.
    pub workflow_name: String,
    /// Status.
    pub status: Status,
    /// Parent workflow run.
    pub parent_workflow_run_id: Option<WorkflowRunId>,
    /// Who created it or its parent, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requested_by: Option<RequestedBy>,
    /// Creation time.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    /// Time of the last change.
    #[schema(value_type = String, format = DateTime)]
    pub updated_at: Timestamp,
    /// Time it finished.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub finished_at: Option<Timestamp>,
    /// Beginning of the input, in one line of at most 160 characters.
    #[serde(default)]
    pub input_preview: String,
    /// Why it was ended by the coordinator: `poisoned`, or stopped while no coordinator was running. Errors of nodes are in
    /// the workflow run itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<WorkflowFailure>,
}

/// Quarantined work that crashed coordinators. It is not started again until it is retried.
#[derive(Debug, Clone, Serialize, Deserialize, utoipa::ToSchema)]
pub struct QuarantineView {
    /// Runs that failed with `poisoned`, newest first, 100 at most.
    pub runs: Vec<RunView>,
    /// Workflow runs that failed with `poisoned`, newest first, 100 at most.
    pub workflow_runs: Vec<WorkflowRunSummary>,
}

/// A workflow run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct WorkflowRunView {
    /// Id.
    pub workflow_run_id: WorkflowRunId,
    /// The workflow.
    pub workflow_name: String,
    /// Status.
    pub status: Status,
    /// Parent workflow run.
    pub parent_workflow_run_id: Option<WorkflowRunId>,
    /// Who created it or its parent, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requested_by: Option<RequestedBy>,
    /// Parent session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_session_id: Option<SessionId>,
    /// Creation time.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    /// Time of the last change.
    #[schema(value_type = String, format = DateTime)]
    pub updated_at: Timestamp,
    /// Time it finished.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub finished_at: Option<Timestamp>,
    /// Input.
    #[schema(value_type = Value)]
    pub input: Value,
    /// Output; null if not completed.
    #[schema(value_type = Value)]
    pub output: Value,
    /// The error, if it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<WorkflowFailure>,
    /// Its nodes, in the order of the document.
    pub nodes: Vec<WorkflowNodeView>,
    /// Its edges, in the order of the document.
    pub edges: Vec<WorkflowEdgeView>,
}

impl WorkflowRunView {
    /// The type of its error. If no output was reached because a node failed, the type of that node's error.
    pub fn failure_kind(&self) -> Option<&str> {
        let kind = self.error.as_ref()?.kind.as_str();
        let failed = self.nodes.iter().find_map(|node| node.error.as_ref());
        Some(failed.filter(|_| kind == "no_output").map_or(kind, |failed| failed.kind.as_str()))
    }
}

/// A node of a workflow run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct WorkflowNodeView {
    /// Id.
    pub id: String,
    /// Type: `input`, `agent`, `check`, `map`, `planner`, `output`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Name of its agent or workflow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_name: Option<String>,
    /// Status.
    pub status: NodeStatus,
    /// Inputs by upstream node id; null if not started, and where the inputs of all nodes together are too large to be repeated here
    /// (64 MiB or 300,000 values): they are outputs of upstream nodes.
    #[schema(value_type = Option<Object>)]
    pub inputs: Option<Map<String, Value>>,
    /// Output.
    #[schema(value_type = Option<Value>)]
    pub output: Option<Value>,
    /// The error, if it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<WorkflowFailure>,
    /// Warnings of a check.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
    /// Contradictions between upstream outputs.
    pub contradictions: Vec<Contradiction>,
    /// Near duplicates in upstream outputs.
    pub near_duplicates: Vec<NearDuplicate>,
    /// Agreements between upstream outputs.
    pub agreements: Vec<Agreement>,
    /// Limits that the comparison reached; empty if everything was compared.
    #[serde(default)]
    pub comparison_truncated: Vec<Truncation>,
    /// The plan it executes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub plan: Option<Value>,
    /// Tasks of its agents.
    pub tasks: Vec<WorkflowTaskView>,
    /// Time it started.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub started_at: Option<Timestamp>,
    /// Time it finished.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub finished_at: Option<Timestamp>,
}

/// A task of a node, executed by an agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct WorkflowTaskView {
    /// Purpose: `whole`, `item 0`, `plan`, `subtask x`, `synthesis`.
    pub name: String,
    /// Status.
    pub status: NodeStatus,
    /// Number of starts.
    pub attempts: u32,
    /// Current or last run.
    pub worker: Option<Worker>,
    /// Earlier failed runs.
    pub earlier: Vec<Worker>,
    /// The error, if it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<WorkflowFailure>,
}

/// An edge of a workflow run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct WorkflowEdgeView {
    /// Upstream node.
    pub from: String,
    /// Downstream node.
    pub to: String,
    /// Condition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<String>,
    /// Whether it is active; null if not decided yet.
    pub taken: Option<bool>,
}
