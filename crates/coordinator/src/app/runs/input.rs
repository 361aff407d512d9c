//! The input contract.

use std::sync::LazyLock;

use accord_api::ErrorName;
use accord_blueprint::implicit_parameters;
use accord_contract::{Schema, SchemaError, Violation};
use accord_domain::agent::{Executor, Type};
use accord_domain::run::Opening;
use serde_json::{Value, json};

use crate::app::Agent;
use crate::error::Error;
use crate::work::{brief, violations};

/// The input contract of every resume, and of agents without one. Other fields are rejected,
/// because nothing would read them.
static PROMPT_ONLY: LazyLock<Result<Schema, SchemaError>> =
    LazyLock::new(|| Schema::compile(&implicit_parameters(), &brief()));

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::app) enum Expected {
    AgentParameters,
    /// A prompt, as for every resume. A procedural agent gets it as its parameters, so it must
    /// match both.
    Prompt,
}

/// The advice if a procedural agent cannot be resumed.
const START_AGAIN: &str = "; a procedural agent has no memory: start it again with its parameters";

/// Checks parameters before anything is queued.
pub(in crate::app) async fn check(
    agent: &Agent,
    expected: Expected,
    parameters: &Value,
) -> Result<(), Error> {
    match (expected, agent.blueprint.kind) {
        (Expected::Prompt, Type::Procedural) => {
            conforms(agent, Expected::AgentParameters, START_AGAIN, parameters).await?;
            conforms(agent, Expected::Prompt, START_AGAIN, parameters).await
        }
        (expected, _) => conforms(agent, expected, "", parameters).await,
    }
}

async fn conforms(agent: &Agent, expected: Expected, remedy: &str, parameters: &Value) -> Result<(), Error> {
    let own = agent.parameters.as_ref().filter(|_| expected == Expected::AgentParameters);
    let schema = match own {
        Some(schema) => schema,
        None => PROMPT_ONLY.as_ref().map_err(Error::internal)?,
    };
    let Some(violations) = violations(schema, parameters).await? else { return Ok(()) };
    let errors: Vec<Value> = violations.errors.iter().map(input_error).collect();
    let what = match expected {
        Expected::AgentParameters => format!("the parameters_schema of agent '{}'", agent.blueprint.name),
        Expected::Prompt => "the schema of a resume".to_owned(),
    };
    let first = violations.errors.first().map(ToString::to_string).unwrap_or_default();
    let message = format!("the parameters do not match {what}: {first}{remedy}");
    let mut details = json!({"errors": errors, "parameters_schema": schema.document()});
    if let (Expected::AgentParameters, Some(members)) = (expected, details.as_object_mut()) {
        members.insert("agent_name".to_owned(), json!(agent.blueprint.name));
    }
    Err(Error::new(ErrorName::ParameterValidationFailed, message).with_details(details))
}

/// The conversation of a run, for an agent that takes one. Commands and people get it in the prompt.
pub(super) fn open(agent: &Agent, opening: Opening, parameters: &mut Value) -> Option<Opening> {
    if opening.is_empty() {
        return None;
    }
    if !matches!(agent.blueprint.executor, Executor::Process(_) | Executor::Human(_)) {
        return Some(opening);
    }
    if let Some(Value::String(prompt)) = parameters.get_mut("prompt") {
        *prompt = opening.before(prompt);
    }
    None
}

/// An input error as data, so that a form can show it next to the field.
pub(in crate::app) fn input_error(error: &Violation) -> Value {
    json!({"path": error.path, "keyword": error.keyword, "message": error.message})
}

/// Parameters of a resume with another prompt, as JSON text.
pub(crate) fn with_prompt(parameters: &str, change: impl FnOnce(&str) -> String) -> Result<String, Error> {
    let mut value: Value = serde_json::from_str(parameters).map_err(Error::internal)?;
    if let Some(Value::String(prompt)) = value.get_mut("prompt") {
        *prompt = change(prompt);
    }
    Ok(value.to_string())
}

/// The parameters that a session was started with, with those of a resume in the place of members of the same name.
pub(super) fn merged(opening: &str, resume: &str) -> Result<String, Error> {
    let mut input: Value = serde_json::from_str(opening).map_err(Error::internal)?;
    let resume: Value = serde_json::from_str(resume).map_err(Error::internal)?;
    match (&mut input, resume) {
        (Value::Object(input), Value::Object(resume)) => input.extend(resume),
        (input, resume) => *input = resume,
    }
    Ok(input.to_string())
}
