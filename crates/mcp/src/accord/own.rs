//! Every agent and every workflow as a tool of its own, whose schemas are the contracts.

use accord_api::WorkId;
use accord_api::{
    CreateRun, CreateWorkflowRun, ErrorName, ExecutionMode, PageQuery, RunKind, RunStatus, WorkflowRunId,
};
use accord_client::ClientError;
use accord_contract::{Limits, Meter, Schema, Stop};
use futures_util::stream::{self, StreamExt as _, TryStreamExt as _};
use serde_json::{Map, Value, json};

use super::Accord;
use super::follow::{Followed, Work};
use super::inputs::shown;
use super::list::{AT_ONCE, document};
use super::start::{self, ended};
use super::tool_error::ToolError;
use super::workflow::{self, status_of};
use crate::caller::Caller;
use crate::toolset::{Answer, Hints, Outcome, Tool};

const AGENT: &str = "agent__";
const WORKFLOW: &str = "workflow__";

/// Agents and workflows that are tools. Models choose badly among more, and clients limit the number: Accord's own
/// takes 128 tools. The others are reached with `start_agent_session` and `run_workflow`.
const MOST_TOOLS: usize = 100;

/// The longest schema of a tool. Clients reject longer ones, Accord's own among them, and with them the whole list.
const LONGEST_SCHEMA: usize = 64 * 1024;

impl Accord {
    pub(super) async fn own_tools(&self) -> Result<Vec<Tool>, ClientError> {
        let mut tools = self.agent_tools().await?;
        let room = MOST_TOOLS.saturating_sub(tools.len());
        tools.extend(self.workflow_tools(room).await?);
        Ok(tools)
    }

    async fn agent_tools(&self) -> Result<Vec<Tool>, ClientError> {
        let page = PageQuery { limit: u32::try_from(MOST_TOOLS).ok(), cursor: None };
        let usable = self.client.agents(&[], &page).await?.items.into_iter().filter(|agent| agent.valid);
        let described = stream::iter(usable).map(|agent| self.described(agent)).buffered(AT_ONCE);
        let described: Vec<Option<Value>> = described.try_collect().await?;
        Ok(described.into_iter().flatten().filter_map(|agent| agent_tool(&agent)).collect())
    }

    async fn workflow_tools(&self, room: usize) -> Result<Vec<Tool>, ClientError> {
        let page = PageQuery { limit: u32::try_from(MOST_TOOLS).ok(), cursor: None };
        let usable = self.client.workflows(&page).await?.items.into_iter().filter(|workflow| workflow.valid);
        let whole = |name: String| async move {
            match self.client.workflow(&name).await {
                // Removed since it was listed.
                Err(error) if error.is(ErrorName::WorkflowNotFound) => Ok(None),
                found => found.map(Some),
            }
        };
        let views = stream::iter(usable.take(room)).map(|workflow| whole(workflow.name)).buffered(AT_ONCE);
        let views: Vec<Option<_>> = views.try_collect().await?;
        let tool = |view: accord_api::WorkflowView| {
            let name = format!("{WORKFLOW}{}", view.summary.name);
            let description = match view.summary.description.is_empty() {
                true => format!("Runs the workflow {} and returns its output.", view.summary.name),
                false => view.summary.description,
            };
            let input_schema = arguments_schema(&workflow_input(&view.workflow))?;
            let output_schema = tool_output(view.output_schema);
            Some(Tool { name, description, input_schema, output_schema, hints: Hints::AddsOnce })
        };
        Ok(views.into_iter().flatten().filter_map(tool).collect())
    }

    /// Calls an agent or a workflow by the name of its tool; `None` if there is none.
    pub(super) async fn call_own_tool(
        &self,
        name: &str,
        arguments: Map<String, Value>,
        caller: &Caller,
    ) -> Option<Outcome> {
        let begun = match (name.strip_prefix(AGENT), name.strip_prefix(WORKFLOW)) {
            (Some(agent), _) => self.begin_agent(agent, arguments, caller).await,
            (_, Some(workflow)) => self.begin_own_workflow(workflow, arguments, caller).await,
            (None, None) => return None,
        };
        let followed = match begun {
            Err(ToolError::Client(error))
                if error.is(ErrorName::AgentNotFound) || error.is(ErrorName::WorkflowNotFound) =>
            {
                return None;
            }
            Err(trouble) => Err(trouble),
            Ok(id) if caller.takes_tasks && caller.state.is_none() => {
                self.described_task(&id).await.map(Outcome::Task)
            }
            Ok(id) => self.own_answer(&id, caller).await.map(Outcome::Answer),
        };
        Some(self.outcome(followed, caller).await)
    }

    async fn begin_agent(
        &self,
        name: &str,
        arguments: Map<String, Value>,
        caller: &Caller,
    ) -> Result<WorkId, ToolError> {
        if let Some(state) = &caller.state {
            return self.begun_run(state, |view| view.agent_name == name).await;
        }
        let mode = if caller.takes_tasks { ExecutionMode::AsyncPoll } else { ExecutionMode::Sync };
        let run = CreateRun {
            kind: Some(RunKind::StartSession),
            agent_name: Some(name.to_owned()),
            parameters: Some(Value::Object(arguments)),
            parent_session_id: self.parent.clone(),
            execution_mode: Some(mode),
            contract_hash: self.contract_hash.clone(),
            ..CreateRun::default()
        };
        Ok(WorkId::Run(self.client.create_run(&run, Some(&caller.key())).await?.run_id))
    }

    async fn begin_own_workflow(
        &self,
        name: &str,
        arguments: Map<String, Value>,
        caller: &Caller,
    ) -> Result<WorkId, ToolError> {
        if let Some(state) = &caller.state {
            return self.begun_workflow(state, name).await;
        }
        let run = CreateWorkflowRun {
            input: Some(Value::Object(arguments)),
            parent_session_id: self.parent.clone(),
            ..CreateWorkflowRun::default()
        };
        Ok(WorkId::Workflow(self.begin_workflow(name, run, caller).await?.workflow_run_id))
    }

    async fn own_answer(&self, id: &WorkId, caller: &Caller) -> Result<Answer, ToolError> {
        match self.follow(id, caller).await? {
            Followed::Over(work) => self.finished(&work).await,
            Followed::NeedsInput(work, open) => {
                let inputs: Vec<Value> = open.iter().map(shown).collect();
                let next = match &work {
                    Work::Run(_) => start::ANSWER_FIRST,
                    Work::Workflow(_) => workflow::ANSWER_FIRST,
                };
                let text = format!("{}. {next}\n{:#}", work.message(), json!({ "inputs": inputs }));
                Ok(Answer::error(text).with_meta(ids(&work)))
            }
        }
    }

    /// The result of an agent or a workflow: the judged value and nothing else, or why there is none.
    pub(super) async fn finished(&self, work: &Work) -> Result<Answer, ToolError> {
        let answer = match work {
            Work::Run(view) => match (view.status, &view.result) {
                (RunStatus::Completed, Some(result)) => match &result.result_data {
                    Some(data) => Answer::value(document(Some(data))),
                    None => Answer::text(result.result_text.clone().unwrap_or_default()),
                },
                _ => return ended(view).map(Answer::value),
            },
            Work::Workflow(view) => {
                status_of(view)?;
                let schema = match self.client.workflow(&view.workflow_name).await {
                    // Removed since then: the tool is gone, and with it what it promised.
                    Err(error) if error.is(ErrorName::WorkflowNotFound) => None,
                    workflow => tool_output(workflow?.output_schema),
                };
                if let Some(schema) = schema {
                    conforms(view.workflow_run_id.clone(), view.output.clone(), schema).await?;
                }
                Answer::value(view.output.clone())
            }
        };
        Ok(answer.with_meta(ids(work)))
    }
}

/// Checks the output of a workflow against the output schema of its tool. That schema is inferred from the current agents,
/// and one of them may have changed during the run.
async fn conforms(id: WorkflowRunId, output: Value, schema: Value) -> Result<(), ToolError> {
    let work = move || conforms_within(&id, &output, &schema, &Meter::new(Limits::WHOLE, Stop::default()));
    tokio::task::spawn_blocking(work).await.map_err(|error| ToolError::Message(error.to_string()))?
}

fn conforms_within(
    id: &WorkflowRunId,
    output: &Value,
    schema: &Value,
    meter: &Meter,
) -> Result<(), ToolError> {
    let checked = Schema::compile(schema, meter).map(|schema| schema.check(output, meter));
    let problem = match checked {
        Ok(Ok(())) => return Ok(()),
        Ok(Err(violations)) => {
            let errors = violations.errors;
            let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
            format!("its output does not conform to the output schema of the tool: {}", errors.join("; "))
        }
        Err(error) => format!("the output schema of the tool cannot be enforced: {error}"),
    };
    Err(ToolError::Message(format!(
        "The workflow run {id} completed, but {problem}\nCall run_workflow with this workflow_run_id to see the output, or start the workflow again."
    )))
}

/// The ids of the work, for clients that want to look at it.
fn ids(work: &Work) -> Map<String, Value> {
    let named = |name: &str, id: &str| (format!("accord/{name}"), json!(id));
    match work {
        Work::Run(view) => Map::from_iter([
            named("session_id", view.session_id.as_str()),
            named("run_id", view.run_id.as_str()),
        ]),
        Work::Workflow(view) => Map::from_iter([named("workflow_run_id", view.workflow_run_id.as_str())]),
    }
}

fn agent_tool(agent: &Value) -> Option<Tool> {
    let text = |field: &str| agent.get(field).and_then(Value::as_str).unwrap_or_default();
    let schema = |field: &str| agent.get(field).cloned().unwrap_or_default();
    let description = match text("description") {
        "" => format!("Runs the agent {} and returns its result.", text("name")),
        description => description.to_owned(),
    };
    let parameters = match schema("parameters_schema") {
        Value::Null => json!({
            "type": "object",
            "required": ["prompt"],
            "properties": {"prompt": {"type": "string", "description": "The prompt for the agent."}},
            "additionalProperties": false,
        }),
        schema => schema,
    };
    Some(Tool {
        name: format!("{AGENT}{}", text("name")),
        description,
        input_schema: arguments_schema(&parameters)?,
        output_schema: tool_output(Some(schema("output_schema"))),
        hints: Hints::AddsOnce,
    })
}

/// The schema of a workflow's input; any object if it has none.
fn workflow_input(workflow: &Value) -> Value {
    let nodes = workflow.get("nodes").and_then(Value::as_object);
    let mut inputs = nodes.into_iter().flat_map(|nodes| nodes.values());
    let input = inputs.find(|node| node.get("type").is_some_and(|kind| kind == "input"));
    input.and_then(|input| input.get("schema")).cloned().unwrap_or(Value::Bool(true))
}

/// A schema as one of arguments, which are an object. `None` if it is too long, or if no object conforms.
fn arguments_schema(schema: &Value) -> Option<Value> {
    let mut schema = match schema {
        Value::Bool(true) => json!({}),
        Value::Object(_) if is_short(schema) => schema.clone(),
        _ => return None,
    };
    let takes_objects = match schema.get("type") {
        None => true,
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == "object"),
        Some(kind) => kind == "object",
    };
    super::set(&mut schema, "type", json!("object"));
    takes_objects.then_some(schema)
}

/// A schema as that of a tool's results; the protocol knows only objects as schemas.
fn tool_output(schema: Option<Value>) -> Option<Value> {
    schema.filter(Value::is_object).filter(is_short)
}

fn is_short(schema: &Value) -> bool {
    schema.to_string().len() <= LONGEST_SCHEMA
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_objects() {
        let object = json!({"type": "object"});
        assert_eq!(arguments_schema(&json!(true)), Some(object.clone()));
        assert_eq!(arguments_schema(&json!({"type": ["null", "object"]})), Some(object));
        let any = json!({"anyOf": [{"required": ["a"]}], "type": "object"});
        assert_eq!(arguments_schema(&json!({"anyOf": [{"required": ["a"]}]})), Some(any));
        for schema in [json!({"type": "string"}), json!(false), json!({"title": "x".repeat(LONGEST_SCHEMA)})]
        {
            assert_eq!(arguments_schema(&schema), None);
        }
    }

    #[test]
    fn a_nonconforming_output_is_an_error() {
        let id = WorkflowRunId::new("1");
        let schema = json!({"type": "object", "required": ["severity"]});
        assert!(conforms_within(&id, &json!({"severity": "high"}), &schema, &Meter::default()).is_ok());
        for (output, schema, expected) in [
            (json!({}), schema, "does not conform to the output schema of the tool: "),
            (json!({}), json!({"type": "nothing"}), "the output schema of the tool cannot be enforced: "),
        ] {
            let Err(ToolError::Message(text)) = conforms_within(&id, &output, &schema, &Meter::default())
            else {
                panic!("{output}")
            };
            assert!(text.contains(expected) && text.contains(&id.to_string()), "{text}");
        }
    }

    #[test]
    fn the_tool_of_an_agent_has_its_contracts() {
        let output = json!({"type": "object", "properties": {"severity": {"enum": ["low", "high"]}}});
        let agent =
            json!({"name": "triage", "description": "", "parameters_schema": null, "output_schema": output});
        let tool = agent_tool(&agent).unwrap();
        assert_eq!(tool.name, "agent__triage");
        assert_eq!(tool.description, "Runs the agent triage and returns its result.");
        assert_eq!(tool.input_schema.pointer("/properties/prompt/type"), Some(&json!("string")));
        assert_eq!(tool.output_schema, Some(output));
    }
}
