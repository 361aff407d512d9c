//! Tools that the caller of a run brings. The model calls them like the agent's own; the caller makes the call.
//!
//! A call suspends the run until the caller has answered with its result, as a question to a person does
//! ([`crate::input_request::Purpose::ToolCall`]).

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A tool of the caller.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CallerTool {
    /// The name that the model calls it by: letters, digits, `_` and `-`. The agent has no tool of this name.
    pub name: String,
    /// What it is for, for the model.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Its parameters, as a JSON Schema. The caller gets no call whose arguments do not conform.
    #[serde(default = "any_object")]
    #[schema(value_type = Object)]
    pub parameters: Value,
    /// The schema of its result. Any value by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub output_schema: Option<Value>,
}

/// Whether the model has to call a tool of the caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ToolChoice {
    /// The model decides.
    #[default]
    Auto,
    /// An answer without a call is refused: the model is asked again.
    Required,
}

/// The tools of a run's caller, as they are kept with the run.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CallerTools {
    /// The tools.
    pub tools: Vec<CallerTool>,
    /// Whether the model has to call one of them.
    #[serde(default)]
    pub choice: ToolChoice,
    /// Hash of what else the caller asked with them. A request that asks for something else does not continue the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked: Option<String>,
}

impl CallerTools {
    pub fn get(&self, name: &str) -> Option<&CallerTool> {
        self.tools.iter().find(|tool| tool.name == name)
    }
}

/// The parameters of a tool that names none.
pub fn any_object() -> Value {
    serde_json::json!({"type": "object"})
}
