//! Workflows and their runs.

use accord_domain::agent::Source;
use accord_domain::audit::RequestedBy;
use accord_domain::comparison::{Agreement, Contradiction, NearDuplicate, Truncation};
use accord_domain::demands::Demands;
use accord_domain::id::{SessionId, WorkflowRunId};
use accord_domain::workflow::{Fault, NodeStatus, Status, Worker};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::problem::Problem;
use crate::runs::RunView;

/// A workflow in a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct WorkflowSummary {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// Where it lives.
    pub source: Source,
    /// Whether it can be run.
    pub valid: bool,
    /// How many nodes it has.
    pub nodes: usize,
    /// What is wrong with it.
    pub problems: Vec<Problem>,
}

/// A workflow.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct WorkflowView {
    /// The summary.
    pub summary: WorkflowSummary,
    /// The graph, as it was given.
    #[schema(value_type = Object)]
    pub workflow: Value,
    /// A hash of the graph; also the `ETag`.
    pub hash: String,
    /// The file that it lives in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// When it was made, where known.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub created_at: Option<Timestamp>,
    /// When it last changed, where known.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub modified_at: Option<Timestamp>,
}

/// The verdict on a workflow.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ValidateWorkflowAnswer {
    /// Whether it can be run.
    pub valid: bool,
    /// What is wrong with it.
    pub problems: Vec<Problem>,
}

/// A workflow run to be made.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CreateWorkflowRun {
    /// What goes in: what the input node hands out. An empty object, where nothing is said.
    #[schema(value_type = Option<Value>)]
    pub input: Option<Value>,
    /// Demands beside the agents', for every run of an agent in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub additional_demands: Option<Demands>,
    /// The folder to work in, for every run of an agent in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project_dir: Option<String>,
    /// The session that starts it: the parent of every session in it. Nothing is brought back to it by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_session_id: Option<SessionId>,
}

/// A workflow run that was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct CreatedWorkflowRun {
    /// The run.
    pub workflow_run_id: WorkflowRunId,
    /// The workflow.
    pub workflow_name: String,
    /// Where it stands.
    pub status: Status,
}

/// Which workflow runs.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
pub struct WorkflowRunQuery {
    /// Those that stand so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<Status>,
    /// Those of this workflow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workflow_name: Option<String>,
    /// Maximum number to return.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// The `next_cursor` of the page before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// A workflow run in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct WorkflowRunSummary {
    /// Its id.
    pub workflow_run_id: WorkflowRunId,
    /// The workflow.
    pub workflow_name: String,
    /// Where it stands.
    pub status: Status,
    /// The workflow run that it is a part of.
    pub parent_workflow_run_id: Option<WorkflowRunId>,
    /// Who asked for it, or for the one that it is a part of, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requested_by: Option<RequestedBy>,
    /// When it was made.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    /// When it last changed.
    #[schema(value_type = String, format = DateTime)]
    pub updated_at: Timestamp,
    /// When it was over.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub finished_at: Option<Timestamp>,
    /// Why it was ended without a step of its own: `poisoned`, or stopped while no coordinator was running. Why its nodes failed is with
    /// the workflow run itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Fault>,
}

/// Work that coordinators died of. None of it is begun again until somebody retries it.
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
    /// Its id.
    pub workflow_run_id: WorkflowRunId,
    /// The workflow.
    pub workflow_name: String,
    /// Where it stands.
    pub status: Status,
    /// The workflow run that it is a part of.
    pub parent_workflow_run_id: Option<WorkflowRunId>,
    /// Who asked for it, or for the one that it is a part of, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requested_by: Option<RequestedBy>,
    /// The session that started it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_session_id: Option<SessionId>,
    /// When it was made.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    /// When it last changed.
    #[schema(value_type = String, format = DateTime)]
    pub updated_at: Timestamp,
    /// When it was over.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub finished_at: Option<Timestamp>,
    /// What went in.
    #[schema(value_type = Value)]
    pub input: Value,
    /// What came out; null where it is not completed.
    #[schema(value_type = Value)]
    pub output: Value,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Fault>,
    /// Its nodes, in the order of the document.
    pub nodes: Vec<WorkflowNodeView>,
    /// Its edges, in the order of the document.
    pub edges: Vec<WorkflowEdgeView>,
}

/// A node of a workflow run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct WorkflowNodeView {
    /// Its id.
    pub id: String,
    /// What it does: `input`, `agent`, `check`, `map`, `planner`, `output`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The agent or workflow that it names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_name: Option<String>,
    /// Where it stands.
    pub status: NodeStatus,
    /// What went in, by the ids of those who feed it; null where it has not begun.
    #[schema(value_type = Option<Object>)]
    pub inputs: Option<Map<String, Value>>,
    /// What came out.
    #[schema(value_type = Option<Value>)]
    pub output: Option<Value>,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Fault>,
    /// What a check has to say that does not fail.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
    /// Where those who feed it contradict each other.
    pub contradictions: Vec<Contradiction>,
    /// Where they say nearly the same.
    pub near_duplicates: Vec<NearDuplicate>,
    /// Where they say the same.
    pub agreements: Vec<Agreement>,
    /// What comparing them left out, because there was too much of it; empty where everything was compared.
    #[serde(default)]
    pub comparison_truncated: Vec<Truncation>,
    /// The plan that it carries out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub plan: Option<Value>,
    /// What it has agents do.
    pub tasks: Vec<WorkflowTaskView>,
    /// Since when it is at work.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub started_at: Option<Timestamp>,
    /// When it was over.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub finished_at: Option<Timestamp>,
}

/// Something that an agent does for a node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct WorkflowTaskView {
    /// What it is for: `whole`, `item 0`, `plan`, `subtask x`, `synthesis`.
    pub name: String,
    /// Where it stands.
    pub status: NodeStatus,
    /// How often it was started.
    pub attempts: u32,
    /// Who does it now, or did it last.
    pub worker: Option<Worker>,
    /// Who failed at it before.
    pub earlier: Vec<Worker>,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Fault>,
}

/// An edge of a workflow run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct WorkflowEdgeView {
    /// Who gives.
    pub from: String,
    /// Who gets.
    pub to: String,
    /// The condition under which.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<String>,
    /// Whether it is taken; null where that is not decided yet.
    pub taken: Option<bool>,
}
