//! The arguments of calls, read.

use accord_api::session::Status;
use accord_api::{ExecutionMode, SessionId, WorkflowRunId};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::trouble::Trouble;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Agents {
    pub(super) tags: Vec<String>,
    pub(super) cursor: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Start {
    pub(super) agent_name: String,
    pub(super) parameters: Option<Map<String, Value>>,
    pub(super) prompt: Option<String>,
    #[serde(default)]
    pub(super) mode: ExecutionMode,
    pub(super) output_schema: Option<Value>,
    pub(super) output_schema_name: Option<String>,
    pub(super) project_dir: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Resume {
    pub(super) session_id: SessionId,
    pub(super) prompt: String,
    #[serde(default)]
    pub(super) mode: ExecutionMode,
    pub(super) output_schema: Option<Value>,
    pub(super) output_schema_name: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Session {
    pub(super) session_id: SessionId,
}

/// Either a name, with what goes into the workflow, or a workflow run that was begun before.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Workflow {
    pub(super) name: Option<String>,
    pub(super) input: Option<Value>,
    #[serde(default)]
    pub(super) mode: WorkflowMode,
    pub(super) project_dir: Option<String>,
    pub(super) workflow_run_id: Option<WorkflowRunId>,
}

/// A workflow run brings nothing back by itself, so there is no callback.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum WorkflowMode {
    #[default]
    Sync,
    AsyncPoll,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Sessions {
    pub(super) status: Option<Status>,
    pub(super) agent_name: Option<String>,
    pub(super) limit: Option<u32>,
    pub(super) cursor: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Schemas {
    pub(super) cursor: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Name {
    pub(super) name: String,
}

/// Reads arguments. Models often write null for what they leave out.
pub(super) fn read<Arguments: DeserializeOwned>(arguments: Map<String, Value>) -> Result<Arguments, Trouble> {
    let given = arguments.into_iter().filter(|(_, value)| !value.is_null()).collect();
    serde_json::from_value(Value::Object(given)).map_err(|error| Trouble::Arguments(error.to_string()))
}
