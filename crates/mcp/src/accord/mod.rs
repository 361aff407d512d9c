//! Accord's tools: each a call of the coordinator's API.

mod arguments;
mod follow;
mod forms;
mod inputs;
mod list;
mod own;
mod schemas;
mod start;
mod tasks;
mod tool_error;
mod workflow;

use accord_api::SessionId;
use accord_client::{Client, ClientError};
use async_trait::async_trait;
use serde_json::{Map, Value};

use self::tool_error::ToolError;
use crate::caller::Caller;
use crate::toolset::{Answer, Hints, Outcome, Tasks, Tool, Toolset, Unavailable};

const INSTRUCTIONS: &str = "\
Accord runs other agents under contract: a result conforms to the agent's output schema, or the call fails with a clear error. Call list_agents first: it describes each agent and its parameters. Start one with start_agent_session. With mode sync (the default) the call waits and returns the result. With mode async_poll it returns immediately: poll get_agent_session_status, then call get_agent_session_result. With mode async_callback, which only agents that run under Accord can use, the result is delivered to you later. To continue a session that has finished, use resume_agent_session. run_workflow runs a graph of agents and returns its output. Each agent and workflow is also a tool of its own (agent__NAME, workflow__NAME), which takes its parameters and returns its result. If a call returns inputs, a person has to answer first: show the inputs to the user and call answer_input.";

/// The tools of one coordinator, for one caller.
#[derive(Debug, Clone)]
pub struct Accord {
    client: Client,
    /// The parent session, if the connection names one. The model cannot choose it.
    parent: Option<SessionId>,
    /// The contract that the client was written for (`Accord-Contract`).
    contract_hash: Option<String>,
}

impl Accord {
    /// The tools, with the access of the client's key. Started sessions get this parent.
    pub fn new(client: Client, parent: Option<SessionId>) -> Self {
        Self { client, parent, contract_hash: None }
    }

    /// The same for a client that names the contract of the agents that it calls.
    #[must_use]
    pub fn for_contract(self, contract_hash: Option<String>) -> Self {
        Self { contract_hash, ..self }
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
        Ok(KINDS.iter().map(|kind| kind.tool()).chain(own).collect())
    }

    async fn call(&self, name: &str, arguments: Map<String, Value>, caller: &Caller) -> Option<Outcome> {
        let Some(kind) = KINDS.iter().find(|kind| kind.name() == name) else {
            return self.call_own_tool(name, arguments, caller).await;
        };
        let answered = match kind {
            Kind::ListAgents => self.list_agents(arguments).await,
            Kind::StartAgentSession => self.start_agent_session(arguments, caller).await,
            Kind::ResumeAgentSession => self.resume_agent_session(arguments, caller).await,
            Kind::GetAgentSessionStatus => self.get_agent_session_status(arguments).await,
            Kind::GetAgentSessionResult => self.get_agent_session_result(arguments).await,
            Kind::StopAgentSession => self.stop_agent_session(arguments).await,
            Kind::ListAgentSessions => self.list_agent_sessions(arguments).await,
            Kind::ListSchemas => self.list_schemas(arguments).await,
            Kind::GetSchema => self.get_schema(arguments).await,
            Kind::RunWorkflow => self.run_workflow(arguments, caller).await,
            Kind::ListInputs => self.list_inputs(arguments).await,
            Kind::AnswerInput => self.answer_input(arguments).await,
        };
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

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    ListAgents,
    StartAgentSession,
    ResumeAgentSession,
    GetAgentSessionStatus,
    GetAgentSessionResult,
    StopAgentSession,
    ListAgentSessions,
    ListSchemas,
    GetSchema,
    RunWorkflow,
    ListInputs,
    AnswerInput,
}

const KINDS: [Kind; 12] = [
    Kind::ListAgents,
    Kind::StartAgentSession,
    Kind::ResumeAgentSession,
    Kind::GetAgentSessionStatus,
    Kind::GetAgentSessionResult,
    Kind::StopAgentSession,
    Kind::ListAgentSessions,
    Kind::ListSchemas,
    Kind::GetSchema,
    Kind::RunWorkflow,
    Kind::ListInputs,
    Kind::AnswerInput,
];

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::ListAgents => "list_agents",
            Self::StartAgentSession => "start_agent_session",
            Self::ResumeAgentSession => "resume_agent_session",
            Self::GetAgentSessionStatus => "get_agent_session_status",
            Self::GetAgentSessionResult => "get_agent_session_result",
            Self::StopAgentSession => "stop_agent_session",
            Self::ListAgentSessions => "list_agent_sessions",
            Self::ListSchemas => "list_schemas",
            Self::GetSchema => "get_schema",
            Self::RunWorkflow => "run_workflow",
            Self::ListInputs => "list_inputs",
            Self::AnswerInput => "answer_input",
        }
    }

    fn description(self) -> &'static str {
        match self {
            Self::ListAgents => {
                "Lists the available agents, each with its purpose, its parameters and the schema of its results."
            }
            Self::StartAgentSession => {
                "Starts a session with an agent and, with mode sync, waits for its result. Pass `parameters` that match the agent's parameters_schema, or `prompt` for an agent without one. For an agent without its own output schema, set `output_schema` or `output_schema_name` to get structured output."
            }
            Self::ResumeAgentSession => {
                "Resumes a session that has finished, failed or was stopped: the agent remembers the conversation. With mode sync, waits for the result. An agent of type procedural is a command without memory: start it again instead."
            }
            Self::GetAgentSessionStatus => {
                "Returns the status of a session and, if its last run failed, the error."
            }
            Self::GetAgentSessionResult => {
                "Returns the result of a session's last run: result_data if the agent has a contract, otherwise result_text."
            }
            Self::StopAgentSession => "Stops a session's run, if one is in progress.",
            Self::ListAgentSessions => "Lists sessions, newest first.",
            Self::ListSchemas => "Lists the registered output schemas.",
            Self::GetSchema => "Returns a registered output schema.",
            Self::RunWorkflow => {
                "Runs a workflow (a graph of agents) and, with mode sync, waits for its output. Pass `name` and `input`; for an unknown name the error lists the available workflows. To continue waiting for a started run, pass its `workflow_run_id` instead."
            }
            Self::ListInputs => {
                "Lists what agents ask people: approvals of tool calls, questions, corrections and tasks. Open requests by default, newest first."
            }
            Self::AnswerInput => {
                "Answers a request for input with what the user decided. Show the request to the user first: the answer is recorded as a person's. Pass an `answer` that matches the request's schema, and its `digest`."
            }
        }
    }

    fn hints(self) -> Hints {
        match self {
            Self::StartAgentSession | Self::ResumeAgentSession | Self::RunWorkflow => Hints::AddsOnce,
            Self::StopAgentSession => Hints::Ends,
            Self::AnswerInput => Hints::Decides,
            Self::ListAgents
            | Self::GetAgentSessionStatus
            | Self::GetAgentSessionResult
            | Self::ListAgentSessions
            | Self::ListSchemas
            | Self::GetSchema
            | Self::ListInputs => Hints::Reads,
        }
    }

    fn tool(self) -> Tool {
        let (input_schema, output_schema) = match self {
            Self::ListAgents => (schemas::which_agents(), schemas::agents()),
            Self::StartAgentSession => (schemas::start(), schemas::run()),
            Self::ResumeAgentSession => (schemas::resume(), schemas::run()),
            Self::GetAgentSessionStatus => (schemas::session_id(), schemas::status()),
            Self::GetAgentSessionResult => (schemas::session_id(), schemas::result()),
            Self::StopAgentSession => (schemas::session_id(), schemas::stopped()),
            Self::ListAgentSessions => (schemas::which_sessions(), schemas::sessions()),
            Self::ListSchemas => (schemas::which_schemas(), schemas::schemas()),
            Self::GetSchema => (schemas::name(), schemas::schema()),
            Self::RunWorkflow => (schemas::workflow(), schemas::workflow_run()),
            Self::ListInputs => (schemas::which_inputs(), schemas::inputs()),
            Self::AnswerInput => (schemas::given_answer(), schemas::answered()),
        };
        Tool {
            name: self.name().to_owned(),
            description: self.description().to_owned(),
            input_schema,
            output_schema: Some(output_schema),
            hints: self.hints(),
        }
    }
}
