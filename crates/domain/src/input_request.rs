//! Requests for a person's input: what a run asks, and what was answered.
//!
//! A request is open until somebody answers it, its deadline passes, or its run ends otherwise. An answer is judged by the
//! request's schema like a model's answer by the contract.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::attempt;
use crate::audit::Actor;
use crate::id::{InputId, RunId, SessionId};
use crate::named::named;
use crate::run::Failure;
use crate::step;

named! {
    /// Why a person is asked.
    #[schema(as = InputPurpose)]
    pub enum Purpose {
        /// Whether a tool may be called with these arguments.
        Approval,
        /// A question of the agent.
        Question,
        /// The output did not conform: a person corrects it. The answer is the result of the run.
        Correction,
        /// The work itself. The answer is the result of the run.
        Task,
    }
}

impl Purpose {
    /// Whether the answer is the result of the run.
    pub fn gives_result(self) -> bool {
        matches!(self, Self::Correction | Self::Task)
    }
}

named! {
    /// Status of a request for input.
    #[schema(as = InputStatus)]
    pub enum Status {
        /// Somebody has to answer.
        Open,
        /// Somebody answered.
        Answered,
        /// Nobody answered in time.
        Expired,
        /// The run ended before somebody answered.
        Withdrawn,
    }
}

/// A tool with the arguments that it is to be called with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ToolUse {
    /// The tool.
    pub name: String,
    /// Arguments.
    #[schema(value_type = Value)]
    pub arguments: Value,
}

/// A request for a person's input.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct InputRequest {
    /// Id.
    pub id: InputId,
    /// The run that waits.
    pub run_id: RunId,
    /// Its session.
    pub session_id: SessionId,
    /// Its agent.
    pub agent_name: String,
    /// Delivery of the run that asked; 0 if no runner did.
    pub delivery: u32,
    /// What the run calls it: the id of the tool call.
    pub call_id: String,
    /// Why a person is asked.
    pub purpose: Purpose,
    /// The question.
    pub message: String,
    /// Schema of the answer.
    #[schema(value_type = Value)]
    pub schema: Value,
    /// A value to start from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Value>)]
    pub default: Option<Value>,
    /// What is wrong with that value.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<attempt::Error>,
    /// The input of the run, if the answer is its result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Value>)]
    pub input: Option<Value>,
    /// The tool call to approve.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<ToolUse>,
    /// SHA-256 of what is shown: message, tool and arguments. An answer can name it, and is refused if it differs.
    pub digest: String,
    /// The error of the run if nobody answers. Without one the run continues, and is told that nobody did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
    /// Time of the request.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    /// Deadline.
    #[schema(value_type = String, format = DateTime)]
    pub expires_at: Timestamp,
    /// Status.
    pub status: Status,
    /// The answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Value>)]
    pub answer: Option<Value>,
    /// Who answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answered_by: Option<Actor>,
    /// When it was answered or expired.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    pub closed_at: Option<Timestamp>,
}

/// How a request is closed.
#[derive(Debug, Clone, PartialEq)]
pub enum Resolution {
    Answered { answer: Value, by: Actor },
    Expired,
}

impl InputRequest {
    /// The request, closed.
    #[must_use]
    pub fn closed(self, resolution: Resolution, now: Timestamp) -> Self {
        let (status, answer, answered_by) = match resolution {
            Resolution::Answered { answer, by } => (Status::Answered, Some(answer), Some(by)),
            Resolution::Expired => (Status::Expired, None, None),
        };
        Self { status, answer, answered_by, closed_at: Some(now), ..self }
    }

    /// What the run is told of it.
    pub fn step(&self) -> step::Body {
        step::Body::Input {
            input_id: self.id.clone(),
            call_id: self.call_id.clone(),
            purpose: self.purpose,
            tool: self.tool.clone(),
            answer: self.answer.clone(),
        }
    }
}

/// The schema of an answer to a request for approval.
pub fn approval_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "approve": {"type": "boolean", "description": "Whether the tool may be called."},
            "reason": {"type": "string", "description": "The reason, for the agent."},
        },
        "required": ["approve"],
        "additionalProperties": false,
    })
}

/// What was decided about a tool call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    Approved,
    /// With the reason, for the model.
    Denied(String),
}

impl Decision {
    /// Reads an answer to a request for approval; `None` if nobody answered.
    pub fn read(answer: Option<&Value>) -> Self {
        let Some(answer) = answer else {
            return Self::Denied("nobody answered the request for approval in time".to_owned());
        };
        let reason = answer.get("reason").and_then(Value::as_str).filter(|reason| !reason.is_empty());
        match (answer.get("approve").and_then(Value::as_bool), reason) {
            (Some(true), _) => Self::Approved,
            (_, None) => Self::Denied("a person denied this call".to_owned()),
            (_, Some(reason)) => Self::Denied(format!("a person denied this call: {reason}")),
        }
    }
}
