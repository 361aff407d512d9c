//! What a coordinator refuses, told with what to do next.

use std::path::Path;

use accord_api::{ErrorBody, ErrorName};
use accord_client::ClientError;
use serde_json::Value;

use crate::config::FOLDER;
use crate::failure::{Failure, Problem};
use crate::store;
use crate::view::agent;

impl From<ClientError> for Failure {
    fn from(error: ClientError) -> Self {
        let message = error.to_string();
        match error {
            ClientError::Api(body) if body.status_code < 500 => refused(&body).into(),
            ClientError::Settings(_) => Problem::new(message).into(),
            ClientError::Unreachable { .. } => {
                Self::Remote(Problem::new(message).hint("is it running? accord up starts one"))
            }
            ClientError::Api(body) => {
                let is_store = body.error == ErrorName::StoreUnavailable.as_str();
                let ours = is_store.then(store::failed).flatten();
                Self::Remote(ours.unwrap_or_else(|| Problem::new(message)).answered(&body))
            }
            ClientError::Unreadable { .. } => Self::Remote(Problem::new(message)),
        }
    }
}

/// What is not there in a folder that is no project.
pub(crate) fn absent(error: ClientError, project: &Path) -> Failure {
    let is_absent = error.is(ErrorName::AgentNotFound) || error.is(ErrorName::WorkflowNotFound);
    if !is_absent || project.join(FOLDER).is_dir() {
        return error.into();
    }
    Problem::new(format!("there is no {FOLDER} folder here or above, and so no agent and no workflow"))
        .hint("accord init makes one; --dir names another project, --coordinator a coordinator")
        .into()
}

/// What a command's own coordinator, which ends with it, cannot do.
pub(crate) fn needs_coordinator() -> Problem {
    Problem::new("no coordinator runs for this project, and --no-wait and --idempotency-key need one")
        .hint("start one with accord up, or leave --no-wait and --idempotency-key away")
}

fn refused(body: &ErrorBody) -> Problem {
    // What to ask over HTTP is of no use here: the hint names the command.
    let mut message = body.message.split("; GET /").next().unwrap_or_default().to_owned();
    for line in further_errors(body).into_iter().chain(problems(body)) {
        message.push_str("\n  ");
        message.push_str(&line);
    }
    Problem::new(message).hint(hint(body)).answered(body)
}

/// The message has the first error in it; these are the others.
fn further_errors(body: &ErrorBody) -> Vec<String> {
    let errors = body.details.as_ref().and_then(|details| details.get("errors")).and_then(Value::as_array);
    let text = |error: &Value, name: &str| error.get(name).and_then(Value::as_str).map(str::to_owned);
    let line = |error: &Value| Some(format!("{}: {}", text(error, "path")?, text(error, "message")?));
    errors.into_iter().flatten().skip(1).filter_map(line).collect()
}

/// The mistakes of an agent or a workflow, each with its place.
fn problems(body: &ErrorBody) -> Vec<String> {
    let problems = body.details.as_ref().and_then(|details| details.get("problems")).cloned();
    let problems: Vec<accord_api::Problem> =
        problems.and_then(|all| serde_json::from_value(all).ok()).unwrap_or_default();
    agent::plain_problems(&problems).lines().map(str::to_owned).collect()
}

fn hint(body: &ErrorBody) -> String {
    let name = body.error.as_str();
    let detail =
        |name: &str| body.details.as_ref().and_then(|details| details.get(name)).and_then(Value::as_str);
    let known = ErrorName::ALL.iter().find(|known| known.as_str() == name);
    let hint = match known {
        Some(ErrorName::AgentNotFound) => "accord agents list shows what there is",
        Some(ErrorName::WorkflowNotFound) => "accord workflow list shows what there is",
        Some(ErrorName::ParameterValidationFailed) => {
            return match (detail("agent_name"), detail("workflow_name")) {
                (Some(agent), _) => {
                    format!("accord agents show {agent} shows what it takes: --param KEY=VALUE")
                }
                (None, Some(workflow)) => {
                    format!("accord workflow show {workflow} --json shows what it takes: --param KEY=VALUE")
                }
                (None, None) => {
                    "a session goes on with a text: accord sessions resume SESSION TEXT".to_owned()
                }
            };
        }
        Some(ErrorName::RunNotFound) => "accord runs list shows what there is",
        Some(ErrorName::WorkflowRunNotFound) => "accord workflow runs shows what there is",
        Some(ErrorName::SessionNotFound) => "accord sessions list shows what there is",
        Some(ErrorName::SchemaNotFound) => "accord schemas list shows what there is",
        Some(ErrorName::KeyNotFound) => "accord keys list shows what there is",
        Some(ErrorName::Unauthorized) => "show a key with --key-file FILE or ACCORD_KEY",
        Some(ErrorName::OutputSchemaConflict) => "leave --schema and --schema-name away",
        Some(ErrorName::AgentBroken) => "accord agents validate NAME draws each place",
        _ => return format!("{name} is explained in docs/errors/{name}.md"),
    };
    hint.to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_error_is_told_and_the_hint_fits() {
        let body = ErrorBody {
            error: "ParameterValidationFailed".to_owned(),
            message: "no: $.a: is missing".to_owned(),
            status_code: 400,
            details: Some(json!({"agent_name": "triage", "errors": [
                {"path": "$.a", "message": "is missing"}, {"path": "$.b", "message": "is not a number"}
            ]})),
        };
        let told = serde_json::to_value(refused(&body)).unwrap();
        let expected = json!({
            "message": "no: $.a: is missing\n  $.b: is not a number",
            "hint": "accord agents show triage shows what it takes: --param KEY=VALUE",
            "place": null,
            "name": "ParameterValidationFailed",
            "status_code": 400,
            "details": body.details,
        });
        assert_eq!(told, expected);
        let problem = json!({"path": "$.a", "file": "agent.yaml", "line": 2, "column": 3,
            "message": "is missing", "severity": "error"});
        let body = ErrorBody { details: Some(json!({"problems": [problem]})), ..body };
        let told = serde_json::to_value(refused(&body)).unwrap();
        let expected = "no: $.a: is missing\n  agent.yaml:2:3: error: is missing (at $.a)";
        assert_eq!(told["message"], expected, "without colours, which are not for data");
        let named = |name: &str, message: &str| ErrorBody {
            error: name.to_owned(),
            message: message.to_owned(),
            ..body.clone()
        };
        let told = serde_json::to_value(refused(&named("SchemaInUse", "it is"))).unwrap();
        assert_eq!(told["hint"], "SchemaInUse is explained in docs/errors/SchemaInUse.md");
        let told =
            refused(&named("AgentNotFound", "there is no agent 'x'; GET /agents lists those that are there"));
        let told = serde_json::to_value(told).unwrap();
        assert!(told["message"].as_str().unwrap().starts_with("there is no agent 'x'\n"), "{told}");
    }
}
