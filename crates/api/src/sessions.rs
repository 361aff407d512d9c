//! Sessions.

use accord_domain::callback::HeldReason;
use accord_domain::id::{RunId, SessionId};
use accord_domain::run::{Failure, Validation};
use accord_domain::session::Status;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// A session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct SessionView {
    /// Its id.
    pub session_id: SessionId,
    /// Its agent.
    pub agent_name: String,
    /// Where it stands.
    pub status: Status,
    /// Who started it.
    pub parent_session_id: Option<SessionId>,
    /// The folder that it works in, where the caller named one.
    pub project_dir: Option<String>,
    /// Its newest run.
    pub last_run_id: RunId,
    /// When it was made.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    /// When it last changed.
    #[schema(value_type = String, format = DateTime)]
    pub updated_at: Timestamp,
    /// Ends of its children that it has not been told, at most 1000; only where one session is asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub undelivered_callbacks: Vec<UndeliveredCallback>,
    /// Its own newest end that its parent has not been told; only among the children of a session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undelivered_callback: Option<UndeliveredCallback>,
}

/// A child's end that its parent has not been told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct UndeliveredCallback {
    /// The child.
    pub session_id: SessionId,
    /// Its run that ended.
    pub run_id: RunId,
    /// Since when it is owed.
    #[schema(value_type = String, format = DateTime)]
    pub since: Timestamp,
    /// Why it is not told by itself. None: it is told as soon as the parent has no run under way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held: Option<HeldReason>,
    /// The same for people, with what to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// Where a session stands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct SessionStatusView {
    /// The session.
    pub session_id: SessionId,
    /// Where it stands.
    pub status: Status,
    /// Its newest run.
    pub run_id: RunId,
    /// Why that failed, if it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Failure>,
}

/// Which sessions.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
pub struct SessionQuery {
    /// Those that stand so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<Status>,
    /// Those of this agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_name: Option<String>,
    /// The children of this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_session_id: Option<SessionId>,
    /// Maximum number to return.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// The `next_cursor` of the page before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// The result of a session's newest run. Exactly one of `result_text` and `result_data` is set.
#[derive(Debug, Clone, Serialize, Deserialize, utoipa::ToSchema)]
pub struct SessionResult {
    /// The session.
    pub session_id: SessionId,
    /// The run that it is of.
    pub run_id: RunId,
    /// The text answer of an agent without a contract.
    pub result_text: Option<String>,
    /// The conforming value.
    #[schema(value_type = Option<Value>)]
    pub result_data: Option<Box<RawValue>>,
    /// The raw text of the accepted attempt; only under a contract.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    /// The same value as `result_data`; only under a contract.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Value>)]
    pub validated_output: Option<Box<RawValue>>,
    /// How the result was validated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema_validation: Option<Validation>,
}
