//! The tools of a run's caller: checked before anything is queued, and asked for when the model calls one.

use accord_api::{CallerTool, CallerTools, NewInput, ToolChoice};
use accord_contract::prompt::SUBMIT_TOOL;
use accord_domain::agent::{Blueprint, Executor};
use accord_domain::id::RunId;
use accord_domain::input_request::Purpose;
use accord_domain::run::Assignment;
use serde_json::json;

use super::Runs;
use super::people::{Asked, InputOptions};
use crate::app::contracts::{Contracts, invalid_schema};
use crate::error::{Error, refuse};

/// OpenAI's own limit.
const MOST_TOOLS: usize = 128;

/// The longest name that every provider takes.
const LONGEST_NAME: usize = 64;

/// Longer descriptions are documents, and every request to the model would carry them.
const LONGEST_DESCRIPTION: usize = 16 * 1024;

/// The tools of a request as they are kept with its run, if the agent can be given them.
pub(super) async fn of_request(
    contracts: &Contracts,
    agent: &Blueprint,
    given: CallerTools,
) -> Result<Option<String>, Error> {
    if given.tools.is_empty() {
        return match given.choice {
            ToolChoice::Auto => Ok(None),
            ToolChoice::Required => Err(refuse("tool_choice required needs tools; send some, or omit it")),
        };
    }
    if !matches!(agent.executor, Executor::Llm(_) | Executor::Replay(_)) {
        return Err(refuse(format!(
            "tools: agent '{}' has the executor {}, which cannot call tools of the caller; omit tools, or use an agent with the executor llm",
            agent.name,
            agent.executor.kind()
        )));
    }
    if given.tools.len() > MOST_TOOLS {
        let count = given.tools.len();
        return Err(refuse(format!("tools: expected at most {MOST_TOOLS}, got {count}")));
    }
    for (index, tool) in given.tools.iter().enumerate() {
        check_name(agent, tool, given.tools.get(..index).unwrap_or_default())?;
        let length = tool.description.len();
        if length > LONGEST_DESCRIPTION {
            return Err(refuse(format!(
                "tools: the description of '{}' has {length} bytes; the limit is {LONGEST_DESCRIPTION}",
                tool.name
            )));
        }
        let parameters = contracts.sent_schema(&tool.parameters).await?;
        parameters.map_err(|error| invalid_schema(&format!("tools[{index}].parameters"), &error))?;
        if let Some(output) = &tool.output_schema {
            let output = contracts.sent_schema(output).await?;
            output.map_err(|error| invalid_schema(&format!("tools[{index}].output_schema"), &error))?;
        }
    }
    serde_json::to_string(&given).map(Some).map_err(Error::internal)
}

fn check_name(agent: &Blueprint, tool: &CallerTool, before: &[CallerTool]) -> Result<(), Error> {
    let name = tool.name.as_str();
    let is_letter = |letter: u8| letter.is_ascii_alphanumeric() || matches!(letter, b'_' | b'-');
    if !(1..=LONGEST_NAME).contains(&name.len()) || !name.bytes().all(is_letter) {
        let shown: String = name.chars().take(LONGEST_NAME).collect();
        return Err(refuse(format!(
            "tools: expected a name of 1 to {LONGEST_NAME} letters, digits, '_' and '-', got '{shown}'"
        )));
    }
    if before.iter().any(|other| other.name == name) {
        return Err(refuse(format!("tools: two have the name '{name}'; rename one")));
    }
    let is_of_server =
        |server: &String| name.strip_prefix(server.as_str()).is_some_and(|rest| rest.starts_with("__"));
    let is_own = name == SUBMIT_TOOL
        || agent.tools.iter().any(|own| own == name)
        || agent.mcp_servers.keys().any(is_of_server);
    match is_own {
        true => Err(refuse(format!(
            "tools: agent '{}' has a tool '{name}' of its own; rename the caller's",
            agent.name
        ))),
        false => Ok(()),
    }
}

/// What the caller is asked to do.
pub(super) fn call(new: NewInput, assignment: &Assignment, options: &InputOptions) -> Result<Asked, Error> {
    let NewInput { call_id, message, tool, .. } = new;
    let tools = read(assignment)?.unwrap_or_default();
    let called = tool.as_ref().and_then(|tool| tools.get(&tool.name));
    let Some(called) = called else {
        return Err(refuse("expected an input with purpose tool_call and a tool of the run's caller"));
    };
    Ok(Asked {
        call_id,
        purpose: Purpose::ToolCall,
        message,
        schema: called.output_schema.clone().unwrap_or_else(|| json!({})),
        default: None,
        errors: Vec::new(),
        input: None,
        tool,
        // Nobody else can make the call.
        failure: Some(options.timed_out()),
    })
}

fn read(assignment: &Assignment) -> Result<Option<CallerTools>, Error> {
    let read = |text: &str| serde_json::from_str::<CallerTools>(text).map_err(Error::internal);
    assignment.tools.as_deref().map(read).transpose()
}

impl Runs {
    /// The tools that the caller of a run brought.
    pub(crate) async fn caller_tools(&self, run_id: &RunId) -> Result<Option<CallerTools>, Error> {
        read(&self.store.assignment(run_id).await?)
    }
}

/// Takes the tools out of a request.
pub(super) fn take(request: &mut accord_api::CreateRun) -> CallerTools {
    CallerTools {
        tools: std::mem::take(&mut request.tools),
        choice: request.tool_choice.unwrap_or_default(),
        asked: request.tools_asked.take(),
    }
}
