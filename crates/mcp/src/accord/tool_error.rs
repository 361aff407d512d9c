//! Errors with messages that a model can act on.

use accord_api::{ErrorBody, ErrorName, PageQuery};
use accord_client::ClientError;
use serde_json::Value;

use super::Accord;
use crate::caller::Question;

/// Names that are listed where one was not found. More would drown the advice.
const MOST_NAMES: u32 = 100;

#[derive(Debug)]
pub(super) enum ToolError {
    /// The arguments do not fit the tool.
    Arguments(String),
    /// The coordinator refused, or did not answer.
    Client(ClientError),
    Message(String),
    /// Waiting for something that was started failed.
    Lost {
        id: String,
        error: ClientError,
    },
    /// The user of the client has to answer these before the call can go on.
    Ask {
        questions: Vec<Question>,
        state: String,
    },
    /// The request is wrong in what is not an argument.
    Refused(String),
}

impl From<ClientError> for ToolError {
    fn from(error: ClientError) -> Self {
        Self::Client(error)
    }
}

impl Accord {
    /// The message for the model: what happened, then what to do.
    pub(super) async fn message(&self, trouble: ToolError) -> String {
        match trouble {
            ToolError::Arguments(why) => {
                format!(
                    "Invalid arguments: {why}. Call again with arguments that match the tool's inputSchema."
                )
            }
            ToolError::Message(words) | ToolError::Refused(words) => words,
            ToolError::Lost { id, error } => format!(
                "{id} was started, but waiting for it failed: {error}. Check it later with get_agent_session_status, or call run_workflow with its workflow_run_id; do not start it again."
            ),
            ToolError::Ask { state, .. } => format!("{state} needs an answer from a person"),
            ToolError::Client(ClientError::Api(body)) => self.refusal(&body).await,
            ToolError::Client(error @ ClientError::Unreachable { .. }) => {
                format!("{error}. Try again in a moment; if it persists, Accord must be started (accord up).")
            }
            ToolError::Client(error) => error.to_string(),
        }
    }

    async fn refusal(&self, body: &ErrorBody) -> String {
        let named = ErrorName::ALL.iter().find(|name| name.as_str() == body.error);
        let advice = match named {
            Some(ErrorName::AgentNotFound) => self.agent_names().await,
            Some(ErrorName::SchemaNotFound) => self.schema_names().await,
            Some(ErrorName::WorkflowNotFound) => self.workflow_names().await,
            Some(ErrorName::WorkflowRunNotFound) => {
                "Start one with run_workflow and the workflow's name.".to_owned()
            }
            Some(ErrorName::WorkflowBroken) => {
                "The workflow is invalid and must be fixed by a person; use another.".to_owned()
            }
            Some(ErrorName::ParameterValidationFailed) => {
                "Call again with a value that conforms to this schema; all errors are listed.".to_owned()
            }
            Some(ErrorName::OutputSchemaConflict) => {
                "Call again without output_schema and output_schema_name: the agent's own schema applies.".to_owned()
            }
            Some(ErrorName::InvalidSchema) => {
                "Call again with an output_schema that is a valid JSON Schema.".to_owned()
            }
            Some(ErrorName::SessionNotFound) => {
                "Call list_agent_sessions to see the existing sessions.".to_owned()
            }
            Some(ErrorName::SessionNotFinished) => not_finished(body),
            Some(ErrorName::ContractViolation) => {
                "Call again with an answer that conforms to the schema of the request.".to_owned()
            }
            Some(ErrorName::InputNotFound | ErrorName::InputClosed) => {
                "Call list_inputs to see the open requests.".to_owned()
            }
            Some(ErrorName::SessionBusy) => {
                "Wait until get_agent_session_status returns finished or idle, or stop it with stop_agent_session."
                    .to_owned()
            }
            Some(ErrorName::AgentBroken) => {
                "The agent is invalid and must be fixed by a person; use another agent.".to_owned()
            }
            Some(ErrorName::Unauthorized | ErrorName::Forbidden) => {
                "You cannot fix this: tell the person who set up this connection.".to_owned()
            }
            Some(
                ErrorName::StoreUnavailable
                | ErrorName::Overloaded
                | ErrorName::UnreadAnswers
                | ErrorName::Internal,
            ) => "Try again in a moment.".to_owned(),
            _ => String::new(),
        };
        let mut words = format!("{}: {}", body.error, body.message);
        if !advice.is_empty() {
            words = format!("{words}\n{advice}");
        }
        match &body.details {
            Some(details) => format!("{words}\n{details:#}"),
            None => words,
        }
    }

    async fn agent_names(&self) -> String {
        let page = PageQuery { limit: Some(MOST_NAMES), cursor: None };
        match self.client.agents(&[], &page).await {
            Ok(page) => {
                let usable = page.items.into_iter().filter(|agent| agent.valid);
                listed("agents", usable.map(|agent| agent.name).collect())
            }
            Err(_) => "Call list_agents to see the available agents.".to_owned(),
        }
    }

    async fn workflow_names(&self) -> String {
        let page = PageQuery { limit: Some(MOST_NAMES), cursor: None };
        match self.client.workflows(&page).await {
            Ok(page) => {
                let usable = page.items.into_iter().filter(|workflow| workflow.valid);
                let described = usable.map(|workflow| match workflow.description.is_empty() {
                    true => workflow.name,
                    false => format!("{} ({})", workflow.name, workflow.description),
                });
                listed("workflows", described.collect())
            }
            Err(_) => String::new(),
        }
    }

    async fn schema_names(&self) -> String {
        let page = PageQuery { limit: Some(MOST_NAMES), cursor: None };
        match self.client.schemas(&page).await {
            Ok(page) => listed("schemas", page.items.into_iter().map(|schema| schema.name).collect()),
            Err(_) => "Call list_schemas to see the registered schemas.".to_owned(),
        }
    }
}

fn listed(what: &str, names: Vec<String>) -> String {
    match names.is_empty() {
        true => format!("There are no {what} yet."),
        false => format!("Available {what}: {}.", names.join(", ")),
    }
}

fn not_finished(body: &ErrorBody) -> String {
    let status = body.details.as_ref().and_then(|details| details.get("status")).and_then(Value::as_str);
    let advice = match status {
        Some("failed" | "stopped") => {
            "Resume it with resume_agent_session, or start another with start_agent_session. A procedural agent has no memory: start it again."
        }
        _ => {
            "Call get_agent_session_status until the status is finished, then get_agent_session_result again."
        }
    };
    advice.to_owned()
}
