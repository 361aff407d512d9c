//! The arguments of calls, read.

use accord_api::session::Status;
use accord_api::{
    Checked, ExecutionMode, InputId, InputStatus, RunId, SessionId, WorkflowRunId, read_strictly,
};
use serde::de::{DeserializeOwned, Error, Unexpected};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use super::tool_error::ToolError;

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
    #[serde(default, deserialize_with = "object")]
    pub(super) parameters: Option<Map<String, Value>>,
    pub(super) prompt: Option<String>,
    #[serde(default)]
    pub(super) mode: ExecutionMode,
    #[serde(default, deserialize_with = "schema")]
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
    #[serde(default, deserialize_with = "schema")]
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

/// A workflow run has no callback.
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

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Inputs {
    pub(super) status: Option<InputStatus>,
    pub(super) run_id: Option<RunId>,
    pub(super) session_id: Option<SessionId>,
    pub(super) limit: Option<u32>,
    pub(super) cursor: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct GivenAnswer {
    pub(super) input_id: InputId,
    pub(super) answer: Value,
    pub(super) digest: Option<String>,
}

/// Reads arguments. Models often write null for what they leave out.
pub(super) fn read<Arguments: DeserializeOwned>(
    arguments: Map<String, Value>,
) -> Result<Arguments, ToolError> {
    let given: Map<String, Value> = arguments.into_iter().filter(|(_, value)| !value.is_null()).collect();
    let parse = |given: &Map<String, Value>| {
        serde_json::from_value::<Arguments>(Value::Object(given.clone())).map_err(|error| error.to_string())
    };
    parse(&given).map_err(|why| {
        // The argument that is meant is the one without which something else is said.
        let is_meant = |name: &&String| {
            let others = given.iter().filter(|(other, _)| other != name);
            let others = others.map(|(name, value)| (name.clone(), value.clone())).collect();
            parse(&others).err().as_ref() != Some(&why)
        };
        let meant = given.keys().find(is_meant).filter(|name| !why.contains(&format!("`{name}`")));
        ToolError::Arguments(meant.map_or_else(|| why.clone(), |name| format!("{name}: {why}")))
    })
}

/// An object. Models often write one as a text that holds it.
fn object<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Map<String, Value>>, D::Error> {
    match written_out(Value::deserialize(deserializer)?)? {
        Value::Object(members) => Ok(Some(members)),
        Value::String(text) => Err(D::Error::invalid_type(Unexpected::Str(&text), &"an object")),
        other => serde_json::from_value(other).map(Some).map_err(D::Error::custom),
    }
}

/// A schema. No text is one, so a text that holds an object is that object.
fn schema<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    written_out(Value::deserialize(deserializer)?).map(Some)
}

/// The object in a string; any other value unchanged. Duplicate keys are an error there too.
pub(super) fn written_out<E: Error>(value: Value) -> Result<Value, E> {
    let Value::String(text) = &value else { return Ok(value) };
    match Checked::new(text, crate::rpc::MESSAGE)
        .map_err(Into::into)
        .and_then(|text| read_strictly::<Value>(&text))
    {
        Ok(held) if held.is_object() => Ok(held),
        Err(error) if error.is_data() => Err(E::custom(error)),
        _ => Ok(value),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn told<Arguments: DeserializeOwned + std::fmt::Debug>(arguments: Value) -> String {
        let Value::Object(given) = arguments else { return "no arguments".to_owned() };
        match read::<Arguments>(given) {
            Err(ToolError::Arguments(why)) => why,
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn an_argument_that_does_not_fit_is_named() {
        let list = "tags: invalid type: string \"x\", expected a sequence";
        assert_eq!(told::<Agents>(json!({"tags": "x", "cursor": "c"})), list);
        let object = "parameters: invalid type: string \"x\", expected an object";
        assert_eq!(told::<Start>(json!({"agent_name": "a", "parameters": "x", "prompt": 5})), object);
        let numbers = told::<Start>(json!({"agent_name": "a", "parameters": [1]}));
        assert!(numbers.starts_with("parameters: "), "{numbers}");
        let prompt = "prompt: invalid type: number, expected a string";
        assert_eq!(told::<Start>(json!({"agent_name": "a", "prompt": 5})), prompt);
        let twice = told::<Start>(json!({"agent_name": "a", "parameters": "{\"k\": 1, \"k\": 2}"}));
        assert!(twice.starts_with("parameters: duplicate key \"k\""), "{twice}");
        // These say it themselves.
        assert_eq!(told::<Start>(json!({"prompt": "x"})), "missing field `agent_name`");
        assert!(told::<Name>(json!({"name": "x", "other": 1})).starts_with("unknown field `other`"));
    }

    #[test]
    fn an_object_may_come_as_a_text_that_holds_it() {
        let given = json!({"agent_name": "a", "parameters": "{\"n\": 1.0}", "output_schema": "{\"type\": \"object\"}"});
        let Value::Object(given) = given else { panic!("{given}") };
        let start: Start = read(given).unwrap();
        assert_eq!(start.parameters.map(Value::Object).unwrap().to_string(), r#"{"n":1.0}"#);
        assert_eq!(start.output_schema, Some(json!({"type": "object"})));
    }
}
