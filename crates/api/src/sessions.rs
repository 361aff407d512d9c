//! Sessions.

use accord_domain::callback::HeldReason;
use accord_domain::id::{RunId, SessionId};
use accord_domain::run::{Failure, Validation};
use accord_domain::session::Status;
use accord_domain::usage::Usage;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::page::list_query;

/// A session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct SessionView {
    /// Id.
    pub session_id: SessionId,
    /// Agent name.
    pub agent_name: String,
    /// Status.
    pub status: Status,
    /// Parent session.
    pub parent_session_id: Option<SessionId>,
    /// Project folder, if the caller set one.
    pub project_dir: Option<String>,
    /// Latest run.
    pub last_run_id: RunId,
    /// Creation time.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    /// Time of the last change.
    #[schema(value_type = String, format = DateTime)]
    pub updated_at: Timestamp,
    /// Beginning of the input that it was started with, in one line of at most 160 characters.
    #[serde(default)]
    pub input_preview: String,
    /// Model of the latest run: the one that answered last, or the one that is asked; null for commands.
    #[serde(default)]
    pub model: Option<String>,
    /// Number of answers of the latest run validated so far.
    #[serde(default)]
    pub attempts: u32,
    /// Usage of the latest run.
    #[serde(default)]
    pub usage: Usage,
    /// Time the latest run was last started.
    #[serde(default)]
    #[schema(value_type = Option<String>, format = DateTime)]
    pub started_at: Option<Timestamp>,
    /// Time the latest run finished.
    #[serde(default)]
    #[schema(value_type = Option<String>, format = DateTime)]
    pub finished_at: Option<Timestamp>,
    /// Finished children not yet reported to it, at most 1000; only for a single session.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub undelivered_callbacks: Vec<UndeliveredCallback>,
    /// Its latest finished run not yet reported to its parent; only in lists of children.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undelivered_callback: Option<UndeliveredCallback>,
}

/// A finished child not yet reported to its parent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct UndeliveredCallback {
    /// Session of the child.
    pub session_id: SessionId,
    /// The finished run.
    pub run_id: RunId,
    /// Waiting since.
    #[schema(value_type = String, format = DateTime)]
    pub since: Timestamp,
    /// Why it is not reported automatically. Null: it is reported as soon as the parent has no run in progress.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held: Option<HeldReason>,
    /// Explanation, with what to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// Status of a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct SessionStatusView {
    /// The session.
    pub session_id: SessionId,
    /// Status.
    pub status: Status,
    /// Latest run.
    pub run_id: RunId,
    /// Error of that run, if it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Failure>,
}

list_query! {
    /// Filter for sessions.
    pub struct SessionQuery {
        /// Filter by status.
        pub status: Status,
        /// Filter by agent.
        pub agent_name: String,
        /// Filter by parent session.
        pub parent_session_id: SessionId,
    }
}

/// The result of a session's latest run. Exactly one of `result_text` and `result_data` is set.
#[derive(Debug, Clone, Serialize, Deserialize, utoipa::ToSchema)]
pub struct SessionResult {
    /// The session.
    pub session_id: SessionId,
    /// The run that produced it.
    pub run_id: RunId,
    /// The text answer of an agent without a contract.
    pub result_text: Option<String>,
    /// The validated value.
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
