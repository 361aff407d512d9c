//! Accord's tools: each a call of the coordinator's API.

mod arguments;
mod follow;
mod forms;
mod inputs;
mod list;
mod own;
mod schemas;
mod start;
mod table;
mod tasks;
mod tool_error;
mod workflow;

use accord_api::SessionId;
use accord_client::{Client, ClientError};
use async_trait::async_trait;
use serde_json::{Map, Value};

use self::table::{Row, TOOLS};
use self::tool_error::ToolError;
use crate::caller::Caller;
use crate::toolset::{Answer, Outcome, Tasks, Tool, Toolset, Unavailable};

const INSTRUCTIONS: &str = "\
Accord runs other agents under contract: a result conforms to the agent's output schema, or the call fails with a clear error. Call list_agents first: it describes each agent and its parameters. Start one with start_agent_session. With mode sync (the default) the call waits and returns the result. With mode async_poll it returns immediately: poll get_agent_session_status, then call get_agent_session_result. With mode async_callback, which only agents that run under Accord can use, the result is delivered to you later. To continue a session that has finished, use resume_agent_session. run_workflow runs a graph of agents and returns its output. Each agent and workflow is also a tool of its own (agent__NAME, workflow__NAME), which takes its parameters and returns its result. If a call returns inputs, a person has to answer first: show the inputs to the user and call answer_input.";

/// The tools of one coordinator, for one caller.
#[derive(Debug, Clone)]
pub struct Accord {
    client: Client,
    /// The parent session, if the connection names one. The model cannot choose it.
    parent: Option<SessionId>,
}

impl Accord {
    /// The tools, with the access of the client's key. Started sessions get this parent.
    pub fn new(client: Client, parent: Option<SessionId>) -> Self {
        Self { client, parent }
    }
}

/// Sets a member of an object; other values are left as they are.
fn set(object: &mut Value, key: &str, value: Value) {
    if let Value::Object(members) = object {
        members.insert(key.to_owned(), value);
    }
}

#[async_trait]
impl Toolset for Accord {
    fn instructions(&self) -> Option<String> {
        Some(INSTRUCTIONS.to_owned())
    }

    /// All or none: with some of them missing, a model would do something else than what it was asked.
    async fn tools(&self) -> Result<Vec<Tool>, Unavailable> {
        let own = self.own_tools().await.map_err(|error| {
            let message = format!("the agents and workflows cannot be listed: {error}");
            tracing::warn!("{message}");
            Unavailable { message, may_pass: is_away(&error) }
        })?;
        Ok(TOOLS.iter().map(Row::tool).chain(own).collect())
    }

    async fn call(&self, name: &str, arguments: Map<String, Value>, caller: &Caller) -> Option<Outcome> {
        let Some(row) = TOOLS.iter().find(|row| row.name == name) else {
            return self.call_own_tool(name, arguments, caller).await;
        };
        let answered = (row.call)(self, arguments, caller).await;
        Some(self.outcome(answered.map(|value| Answer::value(value).into()), caller).await)
    }

    fn tasks(&self) -> Option<&dyn Tasks> {
        Some(self)
    }
}

impl Accord {
    async fn outcome(&self, answered: Result<Outcome, ToolError>, caller: &Caller) -> Outcome {
        match answered {
            Ok(outcome) => outcome,
            Err(ToolError::Ask { questions, state }) => Outcome::Ask { questions, state },
            Err(ToolError::Refused(message)) => Outcome::Refused(message),
            // A client that sends a key can repeat the call; what it started goes on meanwhile.
            Err(ToolError::Client(error) | ToolError::Lost { error, .. })
                if caller.key.is_some() && is_away(&error) =>
            {
                Outcome::Unavailable(Unavailable { message: error.to_string(), may_pass: true })
            }
            Err(trouble) => Answer::error(self.message(trouble).await).into(),
        }
    }
}

/// Whether the coordinator did not answer, or said to come back later. An internal error is not among these: it can be there
/// each time.
fn is_away(error: &ClientError) -> bool {
    match error {
        ClientError::Unreachable { .. } => true,
        ClientError::Api(body) => matches!(body.status_code, 408 | 429 | 502..=504),
        ClientError::Unreadable { .. } | ClientError::Settings(_) => false,
    }
}
