//! The input contract.

use std::sync::LazyLock;

use accord_api::ErrorName;
use accord_contract::{Schema, SchemaError};
use serde_json::{Value, json};

use crate::app::Agent;
use crate::app::agents::implicit_parameters;
use crate::error::Error;

/// The contract of an agent that has none of its own, and of every resume. Other members are refused: they would reach
/// nobody.
static PROMPT_ONLY: LazyLock<Result<Schema, SchemaError>> =
    LazyLock::new(|| Schema::compile(&implicit_parameters()));

/// What the parameters have to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::app) enum Expected {
    /// What the agent says.
    AgentParameters,
    /// A prompt, as for every resume.
    Prompt,
}

/// Checks parameters before anything is queued.
pub(in crate::app) fn check(agent: &Agent, expected: Expected, parameters: &Value) -> Result<(), Error> {
    let own = agent.parameters.as_ref().filter(|_| expected == Expected::AgentParameters);
    let schema = match own {
        Some(schema) => schema,
        None => PROMPT_ONLY.as_ref().map_err(Error::internal)?,
    };
    if schema.is_valid(parameters) {
        return Ok(());
    }
    let violations = schema.violations(parameters);
    let errors: Vec<Value> =
        violations.errors.iter().map(|error| json!({"path": error.path, "message": error.message})).collect();
    let what = match expected {
        Expected::AgentParameters => format!("the input contract of agent '{}'", agent.blueprint.name),
        Expected::Prompt => "what a resume takes".to_owned(),
    };
    let first = violations.errors.first().map(ToString::to_string).unwrap_or_default();
    let message = format!("the parameters do not meet {what}: {first}");
    let details = json!({"errors": errors, "parameters_schema": schema.document()});
    Err(Error::new(ErrorName::ParameterValidationFailed, message).with_details(details))
}
