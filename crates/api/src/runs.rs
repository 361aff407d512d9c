//! Runs.

use accord_domain::attempt::Attempt;
use accord_domain::audit::RequestedBy;
use accord_domain::contract::{Options, Origin};
use accord_domain::demands::Demands;
use accord_domain::id::{RunId, RunnerId, SessionId};
use accord_domain::json;
use accord_domain::run::{Failure, Kind, Status, Validation};
use accord_domain::session::ExecutionMode;
use accord_domain::usage::Usage;
use jiff::Timestamp;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

/// A run to be made.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CreateRun {
    /// Whether it begins a session; `start_session` where nothing is said and no session is named.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<Kind>,
    /// The agent. Not needed to resume.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_name: Option<String>,
    /// The parameters.
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
    /// The session that starts this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_session_id: Option<SessionId>,
    /// What happens at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub execution_mode: Option<ExecutionMode>,
    /// The caller's contract.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub output_schema: Option<Value>,
    /// The caller's contract, by its name in the registry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_schema_name: Option<String>,
    /// Options of the caller's contract.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_schema_options: Option<Options>,
    /// Demands beside the agent's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub additional_demands: Option<Demands>,
    /// Higher priorities run first; 0 where nothing is said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<i32>,
    /// Another model than the blueprint names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

/// A run that was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct CreatedRun {
    /// The run.
    pub run_id: RunId,
    /// Its session.
    pub session_id: SessionId,
    /// Where it stands.
    pub status: Status,
}

/// How long to wait for a run's end.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
pub struct WaitQuery {
    /// Seconds, 300 at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wait: Option<u32>,
}

/// Which runs.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
pub struct RunQuery {
    /// Those that stand so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<Status>,
    /// Those of this agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_name: Option<String>,
    /// Those of this session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// Those made at this time or later.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[param(value_type = Option<String>)]
    pub since: Option<Timestamp>,
    /// Maximum number to return.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// The `next_cursor` of the page before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// A run.
#[derive(Debug, Clone, Serialize, Deserialize, utoipa::ToSchema)]
pub struct RunView {
    /// Its id.
    pub run_id: RunId,
    /// Its session.
    pub session_id: SessionId,
    /// Whether it began the session.
    #[serde(rename = "type")]
    pub kind: Kind,
    /// Its agent.
    pub agent_name: String,
    /// Where it stands.
    pub status: Status,
    /// What happens at its end.
    pub execution_mode: ExecutionMode,
    /// What it asks of a runner.
    pub demands: Demands,
    /// Higher priorities run first.
    pub priority: i32,
    /// How often it was handed to a runner.
    pub attempt: u32,
    /// How often the coordinator asked again.
    pub retry_count: u32,
    /// Who works on it.
    pub runner_id: Option<RunnerId>,
    /// Who asked for it, where that is known: nobody is where no key was needed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requested_by: Option<RequestedBy>,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Failure>,
    /// What it used.
    pub usage: Usage,
    /// When it was made.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    /// When a runner took it last.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub claimed_at: Option<Timestamp>,
    /// When the work began last.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub started_at: Option<Timestamp>,
    /// When it was over.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub finished_at: Option<Timestamp>,
    /// Its parameters; only where one run is asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub parameters: Option<Box<RawValue>>,
    /// The contract in force; only where one run is asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub contract: Option<Box<RawValue>>,
    /// Who set the contract.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contract_origin: Option<Origin>,
    /// Its result; only where one run is asked for, and it is completed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<RunResult>,
}

/// What a completed run has to show.
#[derive(Debug, Clone, Serialize, Deserialize, utoipa::ToSchema)]
pub struct RunResult {
    /// The text answer of an agent without a contract.
    pub result_text: Option<String>,
    /// The conforming value.
    #[schema(value_type = Option<Value>)]
    pub result_data: Option<Box<RawValue>>,
    /// How the result was validated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema_validation: Option<Validation>,
}

impl RunResult {
    /// The conforming value as a type of yours. An agent without a contract has none: that is an error, as a value that
    /// does not fit the type is.
    pub fn data<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        let text = self.result_data.as_deref().map_or("null", RawValue::get);
        // By way of a value: tagged enums and flattened structs cannot read numbers straight from text here.
        let mut value: Value = serde_json::from_str(text)?;
        T::deserialize(&value).or_else(|error| {
            // Nor integers beyond 64 bits from a value, unless they are marked, which others cannot read.
            json::mark_numbers(&mut value);
            serde_json::from_value(value).map_err(|_| error)
        })
    }
}

/// The attempts of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct AttemptList {
    /// In order.
    pub items: Vec<Attempt>,
    /// The cursor of the next page, if there is one.
    #[serde(default)]
    pub next_cursor: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tagged_type_takes_numbers_of_any_size() {
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
