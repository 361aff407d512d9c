//! Requests that a coordinator refuses, each with what to do next.

use accord_api::{ErrorBody, ErrorName};
use accord_client::ClientError;
use serde_json::Value;

use crate::failure::{Failure, Problem};
use crate::store;
use crate::view::agent;
use crate::view::text::unescaped;

impl From<ClientError> for Failure {
    fn from(error: ClientError) -> Self {
        let message = error.to_string();
        match error {
            ClientError::Api(body) if body.status_code < 500 => refused(&body).into(),
            ClientError::Settings(_) => Problem::new(message).into(),
            ClientError::Unreachable { .. } => {
                Self::Remote(Problem::new(message).hint("is it running? Start one with `accord up`"))
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

/// The problem of operations that a command's embedded coordinator cannot do, because it ends with
/// the command.
pub(crate) fn needs_coordinator() -> Problem {
    Problem::new(
        "--no-wait and --idempotency-key require a running coordinator, and none runs for this project",
    )
    .hint("start one with `accord up`, or omit --no-wait and --idempotency-key")
}

fn refused(body: &ErrorBody) -> Problem {
    // A hint about HTTP does not help here: the hint names the command.
    let mut message = unescaped(&for_people(&body.message));
    for line in further_errors(body).into_iter().chain(problems(body)) {
        message.push_str("\n  ");
        message.push_str(&unescaped(&line));
    }
    let problem = Problem::new(message).answered(body);
    match hint(body) {
        Some(hint) => problem.hint(hint),
        None => problem,
    }
}

/// A message without what only users of the HTTP API can follow: its routes, and the fields of its answers.
fn for_people(message: &str) -> String {
    let is_of_api =
        |text: &str| ["GET /", "POST /", "PUT /", "details.problems"].iter().any(|each| text.contains(each));
    let clauses: Vec<&str> = message.split("; ").filter(|clause| !is_of_api(clause)).collect();
    let whole = match clauses.is_empty() {
        true => message.to_owned(),
        false => clauses.join("; "),
    };
    match message.rsplit_once(" (") {
        Some((before, aside)) if is_of_api(aside) && !is_of_api(before) => before.to_owned(),
        _ => whole,
    }
}

/// The first name in quotes, which is what a message is about.
fn quoted(message: &str) -> Option<&str> {
    message.split('\'').nth(1).filter(|name| !name.is_empty())
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

fn hint(body: &ErrorBody) -> Option<String> {
    let detail =
        |name: &str| body.details.as_ref().and_then(|details| details.get(name)).and_then(Value::as_str);
    let known = ErrorName::ALL.iter().find(|known| known.as_str() == body.error)?;
    let name = quoted(&body.message).unwrap_or("NAME");
    Some(match known {
        ErrorName::AgentNotFound => "run `accord agents list` to see available agents".to_owned(),
        ErrorName::WorkflowNotFound => "run `accord workflows list` to see available workflows".to_owned(),
        ErrorName::ParameterValidationFailed => match (detail("agent_name"), detail("workflow_name")) {
            (Some(agent), _) => {
                format!("run `accord agents show {agent}` to see its parameters; pass --param KEY=VALUE")
            }
            (None, Some(workflow)) => {
                format!(
                    "run `accord workflows show {workflow} --json` to see its input; pass --param KEY=VALUE"
                )
            }
            (None, None) => {
                "resume a session with a prompt: `accord sessions resume SESSION PROMPT`".to_owned()
            }
        },
        ErrorName::RunNotFound => "run `accord runs list` to see existing runs".to_owned(),
        ErrorName::WorkflowRunNotFound => {
            "run `accord workflows runs` to see existing workflow runs".to_owned()
        }
        ErrorName::SessionNotFound => "run `accord sessions list` to see existing sessions".to_owned(),
        ErrorName::SchemaNotFound => "run `accord schemas list` to see registered schemas".to_owned(),
        ErrorName::KeyNotFound => "run `accord keys list` to see existing keys".to_owned(),
        ErrorName::Unauthorized => "pass a key with --key-file FILE or ACCORD_KEY".to_owned(),
        ErrorName::OutputSchemaConflict => "omit --schema and --schema-name".to_owned(),
        ErrorName::AgentBroken => format!("run `accord agents validate {name}` for details"),
        ErrorName::WorkflowBroken => format!("run `accord workflows validate {name}` for details"),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_error_has_a_message_and_a_fitting_hint() {
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
            "hint": "run `accord agents show triage` to see its parameters; pass --param KEY=VALUE",
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
        assert_eq!(told["hint"], Value::Null);
        let told =
            refused(&named("AgentNotFound", "there is no agent 'x'; GET /agents lists those that are there"));
        let told = serde_json::to_value(told).unwrap();
        assert!(told["message"].as_str().unwrap().starts_with("there is no agent 'x'\n"), "{told}");
        let broken = named("AgentBroken", "the agent 'x' is broken; see 'details.problems'");
        let told = serde_json::to_value(refused(&broken)).unwrap();
        assert!(told["message"].as_str().unwrap().starts_with("the agent 'x' is broken\n"), "{told}");
        assert_eq!(told["hint"], "run `accord agents validate x` for details");
    }

    #[test]
    fn messages_do_not_mention_the_api() {
        for (message, expected) in [
            ("no agent 'x'; GET /agents lists them", "no agent 'x'"),
            ("it is broken; see 'details.problems'", "it is broken"),
            ("bad: $.a: no (and 2 more in 'details.problems')", "bad: $.a: no"),
            ("bad: $.a (line 2); fix it", "bad: $.a (line 2); fix it"),
            ("use POST /runs", "use POST /runs"),
        ] {
            assert_eq!(for_people(message), expected);
        }
    }
}
