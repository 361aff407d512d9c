//! Events: what happened, in order. One tagged enum.

use accord_json::mark_numbers;
use jiff::Timestamp;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use crate::attempt::Attempt;
use crate::callback::HeldReason;
use crate::comparison::{Contradiction, Truncation};
use crate::id::{EventId, InputId, RunId, RunnerId, SessionId, WorkflowRunId};
use crate::input_request::Status as InputStatus;
use crate::run::Failure;
use crate::workflow::{NodeStatus, Status as WorkflowStatus, Worker, WorkflowFailure};

/// The kind of [`Body::OutputDelta`], whose events go when their run is over.
pub const OUTPUT_DELTA: &str = "output.delta";

/// Source of unvalidated output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum OutputChannel {
    /// The model's answer, before it is validated.
    Text,
    /// What a command writes to stderr.
    Stderr,
}

/// An event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(remote = "Self", tag = "type", deny_unknown_fields)]
#[schema(as = EventBody)]
pub enum Body {
    /// A session was created.
    #[serde(rename = "session.created")]
    SessionCreated {
        /// Agent name.
        agent_name: String,
        /// Parent session.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        parent_session_id: Option<SessionId>,
    },
    /// A run was queued, for the first time or again.
    #[serde(rename = "run.queued")]
    RunQueued {
        /// Agent name.
        agent_name: String,
        /// Why it was queued again, if it was.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    /// A runner claimed the run.
    #[serde(rename = "run.claimed")]
    RunClaimed {
        /// The runner.
        runner_id: RunnerId,
        /// Delivery number, from 1.
        attempt: u32,
    },
    /// Execution started.
    #[serde(rename = "run.started")]
    RunStarted,
    /// A message of the model or the user.
    #[serde(rename = "message")]
    Message {
        /// `assistant` or `user`.
        role: String,
        /// The text.
        text: String,
    },
    /// **Unvalidated output** of a run that is in progress: a part of what the model is saying, or what a command wrote to stderr. It
    /// is never a result and may be cut short. The text follows as a `message`. These events are removed when the run finishes.
    #[serde(rename = "output.delta")]
    OutputDelta {
        /// Where it comes from.
        channel: OutputChannel,
        /// The part, to be appended to those before it.
        text: String,
    },
    /// A tool call started.
    #[serde(rename = "tool.started")]
    ToolStarted {
        /// The call.
        call_id: String,
        /// The tool.
        name: String,
        /// Arguments.
        #[schema(value_type = Value)]
        arguments: Value,
    },
    /// A tool call finished.
    #[serde(rename = "tool.finished")]
    ToolFinished {
        /// The call.
        call_id: String,
        /// The tool.
        name: String,
        /// Whether it succeeded.
        ok: bool,
        /// The result for the model, shortened.
        output: String,
    },
    /// A request to a model failed temporarily (rate limit, lost connection) and is repeated.
    #[serde(rename = "request.repeated")]
    RequestRepeated {
        /// Reason.
        reason: String,
        /// Delay before it; 0 if unknown.
        milliseconds: u64,
        /// Attempts so far, if known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        attempts: Option<u32>,
        /// Remaining attempts, if limited (`retry.max_attempts`).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        attempts_left: Option<u32>,
        /// Remaining time for retries (`retry.for_seconds`, `limits.timeout_seconds`), if known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        milliseconds_left: Option<u64>,
    },
    /// An answer was validated.
    #[serde(rename = "attempt.judged")]
    AttemptJudged {
        /// The attempt, without its text.
        attempt: Box<Attempt>,
    },
    /// The run waits for its children. It continues when they finish.
    #[serde(rename = "run.waiting")]
    RunWaiting {
        /// The children that have not finished.
        children: Vec<SessionId>,
        /// Until when it waits.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schema(value_type = Option<String>, format = DateTime)]
        until: Option<Timestamp>,
    },
    /// The run needs a person. It continues when somebody answers.
    #[serde(rename = "run.input_required")]
    RunInputRequired {
        /// The requests for input.
        inputs: Vec<InputId>,
        /// Until when it waits.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schema(value_type = Option<String>, format = DateTime)]
        until: Option<Timestamp>,
    },
    /// A request for input was answered, or its deadline passed.
    #[serde(rename = "input.closed")]
    InputClosed {
        /// The request.
        input_id: InputId,
        /// Its status now.
        status: InputStatus,
    },
    /// The run has a result: exactly one of the two is set.
    #[serde(rename = "result")]
    Result {
        /// The text answer of an agent without a contract.
        result_text: Option<String>,
        /// The validated value.
        #[schema(value_type = Option<Value>)]
        result_data: Option<Value>,
    },
    /// The run completed.
    #[serde(rename = "run.completed")]
    RunCompleted,
    /// The run failed.
    #[serde(rename = "run.failed")]
    RunFailed {
        /// Reason.
        error: Failure,
    },
    /// The run was stopped.
    #[serde(rename = "run.stopped")]
    RunStopped {
        /// Why, if nobody requested it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    /// Children's results went to their parent.
    #[serde(rename = "callback.delivered")]
    CallbackDelivered {
        /// The children.
        children: Vec<SessionId>,
        /// The run that resumes the parent.
        resumed_by: RunId,
    },
    /// Children ended, and their parent is not told by itself. It hears of them with the next run that somebody starts
    /// in it.
    #[serde(rename = "callback.held")]
    CallbackHeld {
        /// The children.
        children: Vec<SessionId>,
        /// Reason.
        reason: HeldReason,
        /// Why, for people.
        message: String,
    },
    /// A node of a workflow is at work.
    #[serde(rename = "workflow.node_started")]
    WorkflowNodeStarted {
        /// Id.
        node: String,
        /// What it does: `agent`, `check`, `map`, `planner`, `output`.
        kind: String,
        /// Which try, from 1.
        attempt: u32,
        /// Who does the work, where one run does all of it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        worker: Option<Worker>,
    },
    /// A node of a workflow has an output, failed, or was passed by.
    #[serde(rename = "workflow.node_finished")]
    WorkflowNodeFinished {
        /// Id.
        node: String,
        /// How it stands now.
        status: NodeStatus,
        /// The error, if it failed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        error: Option<WorkflowFailure>,
        /// Warnings of a check.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        warning: Option<String>,
    },
    /// Siblings contradict each other, in front of a node.
    #[serde(rename = "workflow.contradiction")]
    WorkflowContradiction {
        /// The node that they feed.
        node: String,
        /// What they say.
        contradiction: Box<Contradiction>,
    },
    /// Siblings said too much to be compared whole, in front of a node.
    #[serde(rename = "workflow.comparison_truncated")]
    WorkflowComparisonTruncated {
        /// The node that they feed.
        node: String,
        /// What was left out, by limit.
        truncated: Vec<Truncation>,
    },
    /// A workflow run is over.
    #[serde(rename = "workflow.finished")]
    WorkflowFinished {
        /// The workflow.
        workflow_name: String,
        /// Outcome.
        status: WorkflowStatus,
        /// The error, if it failed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        error: Option<WorkflowFailure>,
    },
}

impl Body {
    /// The name on the wire.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::SessionCreated { .. } => "session.created",
            Self::RunQueued { .. } => "run.queued",
            Self::RunClaimed { .. } => "run.claimed",
            Self::RunStarted => "run.started",
            Self::Message { .. } => "message",
            Self::OutputDelta { .. } => OUTPUT_DELTA,
            Self::ToolStarted { .. } => "tool.started",
            Self::ToolFinished { .. } => "tool.finished",
            Self::RequestRepeated { .. } => "request.repeated",
            Self::AttemptJudged { .. } => "attempt.judged",
            Self::RunWaiting { .. } => "run.waiting",
            Self::RunInputRequired { .. } => "run.input_required",
            Self::InputClosed { .. } => "input.closed",
            Self::Result { .. } => "result",
            Self::RunCompleted => "run.completed",
            Self::RunFailed { .. } => "run.failed",
            Self::RunStopped { .. } => "run.stopped",
            Self::CallbackDelivered { .. } => "callback.delivered",
            Self::CallbackHeld { .. } => "callback.held",
            Self::WorkflowNodeStarted { .. } => "workflow.node_started",
            Self::WorkflowNodeFinished { .. } => "workflow.node_finished",
            Self::WorkflowContradiction { .. } => "workflow.contradiction",
            Self::WorkflowComparisonTruncated { .. } => "workflow.comparison_truncated",
            Self::WorkflowFinished { .. } => "workflow.finished",
        }
    }
}

impl Serialize for Body {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Self::serialize(self, serializer)
    }
}

impl<'de> Deserialize<'de> for Body {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Value::deserialize(deserializer)?.try_into().map_err(D::Error::custom)
    }
}

impl TryFrom<Value> for Body {
    type Error = serde_json::Error;

    /// Arguments and results are values of others, so every number is kept as it is written.
    fn try_from(mut value: Value) -> Result<Self, Self::Error> {
        mark_numbers(&mut value);
        Self::deserialize(value)
    }
}

/// An event to be written.
#[derive(Debug, Clone, PartialEq)]
pub struct NewEvent {
    pub at: Timestamp,
    pub session_id: SessionId,
    pub run_id: Option<RunId>,
    pub body: Body,
}

/// An event as it was written. The body is JSON text with its `type`: it is passed on, not looked into.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// Event id; increases in order.
    pub id: EventId,
    pub at: Timestamp,
    /// The session; `None` for events of a workflow run.
    pub session_id: Option<SessionId>,
    pub run_id: Option<RunId>,
    /// The workflow run; `None` for events of a session.
    pub workflow_run_id: Option<WorkflowRunId>,
    /// Which kind: [`Body::kind`].
    pub kind: String,
    /// What, as JSON text.
    pub body: String,
}

#[cfg(test)]
mod tests {
    use utoipa::PartialSchema as _;

    use super::*;

    /// The types of events in a schema, by the value of `type`.
    fn kinds(schema: &Value, found: &mut Vec<String>) {
        let kind = schema.pointer("/properties/type/enum/0").or(schema.pointer("/properties/type/const"));
        found.extend(kind.and_then(Value::as_str).map(str::to_owned));
        for part in ["oneOf", "allOf"] {
            let parts = schema.get(part).and_then(Value::as_array).into_iter().flatten();
            parts.for_each(|part| kinds(part, found));
        }
    }

    #[test]
    fn the_guide_lists_every_type_of_event() {
        let guide = include_str!("../../../docs/guides/http-api.md");
        let list = guide.split("The types are ").nth(1).and_then(|rest| rest.split(". ").next()).unwrap();
        let listed: Vec<&str> = list.split('`').skip(1).step_by(2).collect();
        let mut known = Vec::new();
        kinds(&serde_json::to_value(Body::schema()).unwrap(), &mut known);
        assert!(known.len() > 20, "{known:?}");
        assert_eq!(listed, known);
    }

    #[test]
    fn numbers_keep_their_spelling() {
        for number in [
            "18446744073709551616",
            "1267650600228229401496703205376",
            "-1180591620717411303424",
            "1e+400",
            "-0",
        ] {
            for text in [
                format!(
                    r#"{{"type":"tool.started","call_id":"c","name":"n","arguments":{{"v":[{number}]}}}}"#
                ),
                format!(r#"{{"type":"result","result_text":null,"result_data":{number}}}"#),
                format!(
                    r#"{{"type":"workflow.contradiction","node":"n","contradiction":{{"kind":"different_values","key":{{"line":{number}}},"field":"f","sides":[{{"agent":"a","pointer":"","value":{number}}}]}}}}"#
                ),
            ] {
                let body: Body = serde_json::from_str(&text).unwrap();
                assert_eq!(serde_json::to_string(&body).unwrap(), text);
            }
        }
    }

    #[test]
    fn rejects_unknown_events() {
        for (text, error) in [
            (r#"{"type":"message","role":"user","text":"t","more":1}"#, "unknown field `more`"),
            (r#"{"type":"run.dreamt"}"#, "unknown variant `run.dreamt`"),
            (r#"{"call_id":"c"}"#, "missing field `type`"),
            (r#"{"type":"run.claimed","runner_id":"rnr_a","attempt":18446744073709551616}"#, "invalid type"),
        ] {
            let told = serde_json::from_str::<Body>(text).unwrap_err().to_string();
            assert!(told.contains(error), "{told}");
        }
    }
}
