//! Runs.

use accord_domain::attempt::Attempt;
use accord_domain::audit::RequestedBy;
use accord_domain::contract::{Options, Origin};
use accord_domain::demands::Demands;
use accord_domain::id::{RunId, RunnerId, SessionId};
use accord_domain::run::{Failure, Kind, Status, Validation};
use accord_domain::session::ExecutionMode;
use accord_domain::step::Step;
use accord_domain::usage::Usage;
use accord_json::mark_numbers;
use jiff::Timestamp;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::page::list_query;

/// Request to create a run.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CreateRun {
    /// Start or resume a session; `start_session` by default if no session is named.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<Kind>,
    /// Agent name. Not required to resume.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_name: Option<String>,
    /// Parameters of the agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub parameters: Option<Value>,
    /// Short for the parameters `{"prompt": …}`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// The session to resume.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// The project folder. Only a runner of this folder can take the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project_dir: Option<String>,
    /// Parent session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_session_id: Option<SessionId>,
    /// How the caller receives the result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub execution_mode: Option<ExecutionMode>,
    /// Output schema of the caller.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub output_schema: Option<Value>,
    /// Name of a registered output schema.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_schema_name: Option<String>,
    /// Options for the caller's output schema.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_schema_options: Option<Options>,
    /// Runner requirements in addition to the agent's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub additional_demands: Option<Demands>,
    /// Priority; higher runs first, 0 by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<i32>,
    /// Model override.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The contract that the caller was written for. Not in the body: it is sent as the header `Accord-Contract`.
    #[serde(skip)]
    pub contract_hash: Option<String>,
}

/// A created run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct CreatedRun {
    /// The run.
    pub run_id: RunId,
    /// Session.
    pub session_id: SessionId,
    /// Status.
    pub status: Status,
}

/// Request to run a finished run again.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RetryRun {
    /// Other parameters.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub parameters: Option<Value>,
    /// Another model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Whether the parent session of the run gets the outcome, as a callback. It is not told otherwise.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub callback: bool,
}

/// Request to continue a run from one of its steps, as a new run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ForkRun {
    /// The last step that is kept.
    pub from_step: u32,
    /// Another model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Another system prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system_prompt: Option<String>,
    /// Another output schema. Only if the agent has none of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub output_schema: Option<Value>,
    /// Whether the parent session of the run gets the outcome, as a callback. It is not told otherwise.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub callback: bool,
}

/// Wait parameter.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
pub struct WaitQuery {
    /// Seconds to wait, 300 at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wait: Option<u32>,
}

list_query! {
    /// Filter for runs.
    pub struct RunQuery {
        /// Filter by status.
        pub status: Status,
        /// Filter by agent.
        pub agent_name: String,
        /// Filter by session.
        pub session_id: SessionId,
    }
}

/// A run.
#[derive(Debug, Clone, Serialize, Deserialize, utoipa::ToSchema)]
pub struct RunView {
    /// Id.
    pub run_id: RunId,
    /// Session.
    pub session_id: SessionId,
    /// Whether it started or resumed the session.
    #[serde(rename = "type")]
    pub kind: Kind,
    /// Agent name.
    pub agent_name: String,
    /// Status.
    pub status: Status,
    /// How the caller receives the result.
    pub execution_mode: ExecutionMode,
    /// Runner requirements.
    pub demands: Demands,
    /// Priority; higher runs first.
    pub priority: i32,
    /// Number of deliveries to a runner.
    pub attempt: u32,
    /// Retries by the coordinator.
    pub retry_count: u32,
    /// The runner that executes it.
    pub runner_id: Option<RunnerId>,
    /// Who created it, if known; null if no API key was required.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requested_by: Option<RequestedBy>,
    /// The error, if it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Failure>,
    /// Usage.
    pub usage: Usage,
    /// Creation time.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    /// Time of the last claim by a runner.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub claimed_at: Option<Timestamp>,
    /// Time of the last start.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub started_at: Option<Timestamp>,
    /// Time it finished.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub finished_at: Option<Timestamp>,
    /// Until when it may wait for its children or for people, if it has waited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    pub waits_until: Option<Timestamp>,
    /// Beginning of the input, in one line of at most 160 characters.
    #[serde(default)]
    pub input_preview: String,
    /// The model that answered last, or the one that is asked; null for commands.
    #[serde(default)]
    pub model: Option<String>,
    /// Number of answers validated so far.
    #[serde(default)]
    pub attempts: u32,
    /// Parameters; only for a single run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub parameters: Option<Box<RawValue>>,
    /// The effective contract; only for a single run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub contract: Option<Box<RawValue>>,
    /// Source of the contract.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contract_origin: Option<Origin>,
    /// Result; only for a single completed run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<RunResult>,
}

/// Result of a completed run.
#[derive(Debug, Clone, Serialize, Deserialize, utoipa::ToSchema)]
pub struct RunResult {
    /// The text answer of an agent without a contract.
    pub result_text: Option<String>,
    /// The validated value.
    #[schema(value_type = Option<Value>)]
    pub result_data: Option<Box<RawValue>>,
    /// How the result was validated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema_validation: Option<Validation>,
}

impl RunResult {
    /// The validated value, deserialized. It is an error if the agent has no contract, or if the value
    /// does not match the type.
    pub fn data<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        let text = self.result_data.as_deref().map_or("null", RawValue::get);
        // By way of a value: tagged enums and flattened structs cannot read numbers straight from text here.
        let mut value: Value = serde_json::from_str(text)?;
        T::deserialize(&value).or_else(|error| {
            // Nor integers beyond 64 bits from a value, unless they are marked, which others cannot read.
            mark_numbers(&mut value);
            serde_json::from_value(value).map_err(|_| error)
        })
    }
}

/// The attempts of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct AttemptList {
    /// Items, in order.
    pub items: Vec<Attempt>,
    /// Cursor of the next page; null on the last page.
    #[serde(default)]
    pub next_cursor: Option<String>,
}

/// The steps of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct StepList {
    /// Items, in order.
    pub items: Vec<Step>,
    /// Cursor of the next page; null on the last page.
    #[serde(default)]
    pub next_cursor: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tagged_type_accepts_numbers_of_any_size() {
        #[derive(Debug, Serialize, Deserialize)]
        #[serde(tag = "kind")]
        enum Found {
            Number { value: Value, place: u32, share: f64 },
        }
        for number in
            ["18446744073709551616", "1267650600228229401496703205376", "-1180591620717411303424", "1e+400"]
        {
            let text = format!(r#"{{"kind":"Number","value":[{number}],"place":3,"share":0.5}}"#);
            let result_data = Some(RawValue::from_string(text.clone()).unwrap());
            let result = RunResult { result_text: None, result_data, schema_validation: None };
            assert_eq!(serde_json::to_string(&result.data::<Found>().unwrap()).unwrap(), text);
            assert_eq!(result.data::<Value>().unwrap().to_string(), text);
            let error = result.data::<Vec<u32>>().unwrap_err().to_string();
            assert!(error.contains("invalid type: map"), "{error}");
        }
    }
}
