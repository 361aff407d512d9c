//! Steps: what a run has done so far, so that the next runner continues where the last one was.
//!
//! A step is written before the next one begins. A runner that gets a run with steps goes through the same code as the first
//! one and takes each recorded answer instead of asking for it, until no step is left. Nothing else has to be restored: the
//! conversation, the strategy and the retries follow from the answers.

pub mod again;

use accord_json::mark_numbers;
use jiff::Timestamp;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use crate::attempt::Outcome;
use crate::id::InputId;
use crate::input_request::{Purpose, ToolUse};
use crate::usage::Usage;

/// A step of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// Number within the run, from 1.
    pub number: u32,
    /// Delivery of the run to a runner, from 1; 0 if the coordinator wrote it.
    pub delivery: u32,
    /// Time.
    #[schema(value_type = String, format = DateTime)]
    pub at: Timestamp,
    /// What was done.
    pub body: Body,
}

/// A tool call in a model's answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Call {
    /// Id of the call; empty if the API has none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub id: String,
    /// The tool.
    pub name: String,
    /// Arguments, as the model wrote them.
    pub arguments: String,
}

/// Why a model's answer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// The answer is complete.
    Finished,
    /// The provider cut it off.
    Truncated,
    /// The model refused; the text is its reason.
    Refused,
    /// The provider asks to be called again to continue.
    Paused,
    /// The model called only unknown tools; the text names them.
    Astray,
    /// The model called the submit tool.
    Submitted,
}

/// How a request failed, by what is done next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum RequestError {
    /// The provider rejects this schema.
    SchemaRejected,
    /// The provider supports no schemas.
    FormatRejected,
    /// The provider rejects tools.
    ToolRejected,
    /// The provider could not be reached.
    Transport,
    /// The request failed for good.
    Failed,
}

/// What was done in a step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(remote = "Self", tag = "type", rename_all = "snake_case", deny_unknown_fields)]
#[schema(as = StepBody)]
pub enum Body {
    /// The work began.
    Opened {
        /// What was known about the endpoints, as the runner received it. A later runner decides by the same facts.
        #[schema(value_type = Value)]
        facts: Value,
    },
    /// A model answered one request.
    ModelAnswer {
        /// The text.
        text: String,
        /// Earlier messages, if the API has several in one answer.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        earlier: Vec<String>,
        /// Tool calls.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        calls: Vec<Call>,
        /// Why it ended.
        ending: Ending,
        /// The words of a refusal.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        refusal: Option<String>,
        /// The model.
        model: String,
        /// Usage, including requests that were repeated.
        usage: Usage,
        /// The message as the provider wants it back, if it is more than text and calls.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[schema(value_type = Vec<Value>)]
        kept: Vec<Value>,
    },
    /// A request to a model, or a whole turn of a CLI or program, failed.
    RequestFailed {
        /// How.
        error: RequestError,
        /// Message.
        message: String,
        /// Usage until then.
        usage: Usage,
    },
    /// A tool that may change something is about to run. If no result follows, it may or may not have run.
    ToolStarted {
        /// The call.
        call_id: String,
    },
    /// A tool finished.
    ToolResult {
        /// The call.
        call_id: String,
        /// The tool.
        name: String,
        /// Whether it succeeded.
        ok: bool,
        /// The result for the model.
        text: String,
    },
    /// A CLI started a conversation of its own, which a later runner can resume.
    Conversation {
        /// What the executor needs to resume it.
        #[schema(value_type = Value)]
        conversation: Value,
        /// The host that has it.
        host: String,
    },
    /// A CLI or program answered a turn.
    TurnAnswer {
        /// The text.
        text: String,
        /// What was said before the answer was cut off, if it was and went on.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        before: Vec<String>,
        /// Arguments of the submit tool.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        submissions: Vec<String>,
        /// A value returned apart from the text, as JSON text.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        structured: Option<String>,
        /// Why it ended.
        ending: Ending,
        /// The words of a refusal, or the names of unknown tools.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        detail: Option<String>,
        /// The model.
        model: String,
        /// Usage.
        usage: Usage,
        /// Whether tools were used.
        #[serde(default)]
        used_tools: bool,
        /// The conversation after it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schema(value_type = Option<Value>)]
        conversation: Option<Value>,
    },
    /// An answer was validated.
    Verdict {
        /// Delivery of the attempt.
        delivery: u32,
        /// Number of the attempt.
        attempt: u32,
        /// Outcome.
        outcome: Outcome,
    },
    /// The run waited for its children; this is what it is told next.
    Message {
        /// The text.
        text: String,
    },
    /// A person answered, or nobody did in time.
    Input {
        /// The request.
        input_id: InputId,
        /// What the run calls it.
        call_id: String,
        /// Why a person was asked.
        purpose: Purpose,
        /// The tool call to approve or to make.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tool: Option<ToolUse>,
        /// The answer, if there was one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schema(value_type = Option<Value>)]
        answer: Option<Value>,
    },
    /// The recorded steps do not lead here any more: the run started over, and the steps before this one do not count.
    Restarted {
        /// Why.
        reason: String,
    },
}

impl Body {
    /// The name on the wire.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Opened { .. } => "opened",
            Self::ModelAnswer { .. } => "model_answer",
            Self::RequestFailed { .. } => "request_failed",
            Self::ToolStarted { .. } => "tool_started",
            Self::ToolResult { .. } => "tool_result",
            Self::Conversation { .. } => "conversation",
            Self::TurnAnswer { .. } => "turn_answer",
            Self::Verdict { .. } => "verdict",
            Self::Message { .. } => "message",
            Self::Input { .. } => "input",
            Self::Restarted { .. } => "restarted",
        }
    }
}

impl Body {
    /// What the step cost.
    pub fn usage(&self) -> Usage {
        match self {
            Self::ModelAnswer { usage, .. }
            | Self::RequestFailed { usage, .. }
            | Self::TurnAnswer { usage, .. } => *usage,
            _ => Usage::default(),
        }
    }
}

impl Serialize for Body {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Self::serialize(self, serializer)
    }
}

impl<'de> Deserialize<'de> for Body {
    /// What providers wrote is passed on, so every number is kept as it is written.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut value = Value::deserialize(deserializer)?;
        mark_numbers(&mut value);
        Self::deserialize(value).map_err(D::Error::custom)
    }
}

/// The steps that count: the last restart and those after it.
pub fn current(steps: &[Step]) -> &[Step] {
    let restarted = steps.iter().rposition(|step| matches!(step.body, Body::Restarted { .. }));
    restarted.and_then(|last| steps.get(last..)).unwrap_or(steps)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(number: u32, body: &str) -> Step {
        let body = serde_json::from_str(body).unwrap();
        Step { number, delivery: 1, at: Timestamp::UNIX_EPOCH, body }
    }

    #[test]
    fn numbers_in_provider_blocks_are_kept_as_written() {
        let text = r#"{"type":"model_answer","text":"","ending":"finished","model":"m","usage":{"input_tokens":1,"output_tokens":2,"cost_usd":null},"kept":[{"n":18446744073709551616,"e":1e+400,"z":-0,"f":1.10}]}"#;
        let body: Body = serde_json::from_str(text).unwrap();
        let written = serde_json::to_string(&body).unwrap();
        assert!(written.contains(r#"{"n":18446744073709551616,"e":1e+400,"z":-0,"f":1.10}"#), "{written}");
        let kept: Step = serde_json::from_str(&serde_json::to_string(&step(1, text)).unwrap()).unwrap();
        assert_eq!(kept.body, body);
    }

    #[test]
    fn only_steps_after_the_last_restart_count() {
        let message = r#"{"type":"message","text":"t"}"#;
        let restart = r#"{"type":"restarted","reason":"r"}"#;
        let steps =
            [step(1, message), step(2, restart), step(3, message), step(4, restart), step(5, message)];
        assert_eq!(current(&steps).iter().map(|step| step.number).collect::<Vec<_>>(), [4, 5]);
        assert_eq!(current(&steps[..1]).len(), 1);
        assert_eq!(current(&steps[..2]).len(), 1);
    }
}
