//! Requests for a person's input.

use accord_domain::id::{RunId, SessionId, WorkflowRunId};
use accord_domain::input_request::{Purpose, Status, ToolUse};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a runner asks a person.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewInput {
    /// What the run calls it: the id of the tool call.
    pub call_id: String,
    /// Why the run waits: `approval`, `question` or `tool_call`.
    pub purpose: Purpose,
    /// The question.
    pub message: String,
    /// Schema of the answer to a question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Value>)]
    pub schema: Option<Value>,
    /// The tool call to approve, or to make.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<ToolUse>,
}

/// Answer to a request for input.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AnswerInput {
    /// The answer. It has to conform to the request's schema.
    #[schema(value_type = Value)]
    pub answer: Value,
    /// The request's digest, as it was shown to the person who answers. Another one is refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
}

/// Filter for requests for input.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
pub struct InputQuery {
    /// Filter by status.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[param(inline)]
    pub status: Option<Status>,
    /// Filter by run.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[param(value_type = Option<String>)]
    pub run_id: Option<RunId>,
    /// Filter by session.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[param(value_type = Option<String>)]
    pub session_id: Option<SessionId>,
    /// Filter by session, including the sessions that it started, directly or through others.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[param(value_type = Option<String>)]
    pub root_session_id: Option<SessionId>,
    /// Filter by workflow run: the requests of everything that works for it, nested workflows included.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[param(value_type = Option<String>)]
    pub workflow_run_id: Option<WorkflowRunId>,
    /// Page size; 50 by default, 500 at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// The `next_cursor` of the previous page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// A one-time link to a request for input.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct InputLink {
    /// The secret. With it, the request can be read, and answered once.
    pub token: String,
    /// Path of the form in the dashboard, to be appended to the address of the coordinator.
    pub path: String,
    /// Until when it is valid.
    #[schema(value_type = String, format = DateTime)]
    pub expires_at: Timestamp,
}
