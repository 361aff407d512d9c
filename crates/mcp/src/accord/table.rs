//! The table of tools: what a model is shown of each, and the call behind it.

use std::pin::Pin;

use serde_json::{Map, Value};

use super::tool_error::ToolError;
use super::{Accord, schemas};
use crate::caller::Caller;
use crate::toolset::{Hints, Tool};

type Answered<'a> = Pin<Box<dyn Future<Output = Result<Value, ToolError>> + Send + 'a>>;

pub(super) struct Row {
    pub(super) name: &'static str,
    description: &'static str,
    hints: Hints,
    /// Of its arguments, and of its answers.
    schemas: fn() -> (Value, Value),
    pub(super) call: for<'a> fn(&'a Accord, Map<String, Value>, &'a Caller) -> Answered<'a>,
}

pub(super) static TOOLS: &[Row] = &[
    Row {
        name: "list_agents",
        description: "Lists the available agents, each with its purpose, its parameters and the schema of its results.",
        hints: Hints::Reads,
        schemas: || (schemas::which_agents(), schemas::agents()),
        call: |accord, arguments, _| Box::pin(accord.list_agents(arguments)),
    },
    Row {
        name: "start_agent_session",
        description: "Starts a session with an agent and, with mode sync, waits for its result. Pass `parameters` that match the agent's parameters_schema, or `prompt` for an agent without one. For an agent without its own output schema, set `output_schema` or `output_schema_name` to get structured output.",
        hints: Hints::AddsOnce,
        schemas: || (schemas::start(), schemas::run()),
        call: |accord, arguments, caller| Box::pin(accord.start_agent_session(arguments, caller)),
    },
    Row {
        name: "resume_agent_session",
        description: "Resumes a session that has finished, failed or was stopped: the agent remembers the conversation. With mode sync, waits for the result. An agent of type procedural is a command without memory: start it again instead.",
        hints: Hints::AddsOnce,
        schemas: || (schemas::resume(), schemas::run()),
        call: |accord, arguments, caller| Box::pin(accord.resume_agent_session(arguments, caller)),
    },
    Row {
        name: "get_agent_session_status",
        description: "Returns the status of a session and, if its last run failed, the error.",
        hints: Hints::Reads,
        schemas: || (schemas::session_id(), schemas::status()),
        call: |accord, arguments, _| Box::pin(accord.get_agent_session_status(arguments)),
    },
    Row {
        name: "get_agent_session_result",
        description: "Returns the result of a session's last run: result_data if the agent has a contract, otherwise result_text.",
        hints: Hints::Reads,
        schemas: || (schemas::session_id(), schemas::result()),
        call: |accord, arguments, _| Box::pin(accord.get_agent_session_result(arguments)),
    },
    Row {
        name: "stop_agent_session",
        description: "Stops a session's run, if one is in progress.",
        hints: Hints::Ends,
        schemas: || (schemas::session_id(), schemas::stopped()),
        call: |accord, arguments, _| Box::pin(accord.stop_agent_session(arguments)),
    },
    Row {
        name: "list_agent_sessions",
        description: "Lists sessions, newest first.",
        hints: Hints::Reads,
        schemas: || (schemas::which_sessions(), schemas::sessions()),
        call: |accord, arguments, _| Box::pin(accord.list_agent_sessions(arguments)),
    },
    Row {
        name: "list_schemas",
        description: "Lists the registered output schemas.",
        hints: Hints::Reads,
        schemas: || (schemas::which_schemas(), schemas::schemas()),
        call: |accord, arguments, _| Box::pin(accord.list_schemas(arguments)),
    },
    Row {
        name: "get_schema",
        description: "Returns a registered output schema.",
        hints: Hints::Reads,
        schemas: || (schemas::name(), schemas::schema()),
        call: |accord, arguments, _| Box::pin(accord.get_schema(arguments)),
    },
    Row {
        name: "run_workflow",
        description: "Runs a workflow (a graph of agents) and, with mode sync, waits for its output. Pass `name` and `input`; for an unknown name the error lists the available workflows. To continue waiting for a started run, pass its `workflow_run_id` instead.",
        hints: Hints::AddsOnce,
        schemas: || (schemas::workflow(), schemas::workflow_run()),
        call: |accord, arguments, caller| Box::pin(accord.run_workflow(arguments, caller)),
    },
    Row {
        name: "list_inputs",
        description: "Lists what agents ask people: approvals of tool calls, questions, corrections and tasks. Open requests by default, newest first.",
        hints: Hints::Reads,
        schemas: || (schemas::which_inputs(), schemas::inputs()),
        call: |accord, arguments, _| Box::pin(accord.list_inputs(arguments)),
    },
    Row {
        name: "answer_input",
        description: "Answers a request for input with what the user decided. Show the request to the user first: the answer is recorded as a person's. Pass an `answer` that matches the request's schema, and its `digest`.",
        hints: Hints::Decides,
        schemas: || (schemas::given_answer(), schemas::answered()),
        call: |accord, arguments, _| Box::pin(accord.answer_input(arguments)),
    },
];

impl Row {
    pub(super) fn tool(&self) -> Tool {
        let (input_schema, output_schema) = (self.schemas)();
        Tool {
            name: self.name.to_owned(),
            description: self.description.to_owned(),
            input_schema,
            output_schema: Some(output_schema),
            hints: self.hints,
        }
    }
}
