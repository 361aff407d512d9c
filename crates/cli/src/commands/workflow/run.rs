//! `accord workflows run`.

use std::path::PathBuf;
use std::time::Duration;

use accord_api::{CreateWorkflowRun, ErrorName, FailureType, Worker, WorkflowRunView, WorkflowStatus};
use accord_client::Client;
use serde::Serialize;
use serde_json::{Map, Value};

use super::follow::{Ending, follow};
use crate::connection::ConnectionArguments;
use crate::document::Input;
use crate::exit::{Exit, Held};
use crate::failure::{Failure, Problem};
use crate::follow::{Interruption, seconds};
use crate::own_coordinator::{self, Lasting};
use crate::view::workflow;
use crate::{output, runtime, task_parameters};

/// Run a workflow, show its progress and print its output
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The output goes to stdout, progress and messages to stderr. Uses the coordinator that runs for this
project, or starts a temporary one. With `accord up` the run is durable and survives restarts; with
a temporary coordinator it ends with this command. Ctrl-C stops the run.
Exit codes: 0 success, 1 usage or configuration error, 2 contract or check not met, 3 model, CLI or
server failure, 4 stopped or timed out.

Examples:
  accord workflows run code-review --input change.json
  accord workflows run summary --param topic=tides
  accord workflows run code-review --input - --json < change.json | jq .output
  accord workflows run code-review --input change.json --no-wait")]
pub(crate) struct Arguments {
    /// Workflow name
    #[arg(add = crate::candidates::workflows())]
    workflow: String,
    /// Set the parameter 'prompt' (short for --param prompt=TASK); - reads it from stdin
    task: Option<String>,
    /// Set a field of the input; parsed as JSON unless the workflow expects a string
    #[arg(long = "param", value_name = "KEY=VALUE")]
    param: Vec<String>,
    /// Read the input from a JSON file; - reads stdin
    #[arg(long, value_name = "FILE")]
    input: Option<PathBuf>,
    /// Print JSON with every node
    #[arg(long)]
    json: bool,
    /// Stop the run after this many seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    timeout: Option<u64>,
    /// Print the run id immediately instead of waiting for the result
    #[arg(long, conflicts_with = "timeout")]
    no_wait: bool,
    /// Return the existing run if this key was used before, instead of starting another
    #[arg(long, value_name = "KEY")]
    idempotency_key: Option<String>,
    #[command(flatten)]
    connection: ConnectionArguments,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    let config = arguments.connection.config(Vec::new())?;
    let lasting = Lasting::of(arguments.no_wait, arguments.idempotency_key.as_ref());
    let look = async |client: &Client| client.workflow(&arguments.workflow).await.map(drop);
    let work = async |client: &Client| with(client, arguments).await;
    runtime::block_on(own_coordinator::work(&config, lasting, look, work))
}

async fn with(client: &Client, arguments: &Arguments) -> Result<Exit, Failure> {
    let workflow = client.workflow(&arguments.workflow).await?.workflow;
    let input = input(arguments, input_schema(&workflow))?;
    let request = CreateWorkflowRun { input: Some(input), ..CreateWorkflowRun::default() };
    let key = arguments.idempotency_key.as_deref();
    if arguments.no_wait {
        let created = client.run_workflow(&arguments.workflow, &request, key).await?;
        match arguments.json {
            true => output::json(&created)?,
            false => output::show(&format!("{}\n", created.workflow_run_id))?,
        }
        return Ok(Exit::Success);
    }
    let limit = arguments.timeout.map(Duration::from_secs);
    let ending = follow(client, &arguments.workflow, &request, key, limit).await?;
    report(client, ending, arguments.json).await
}

/// Prints what came of a run.
pub(crate) async fn report(client: &Client, ending: Ending, json: bool) -> Result<Exit, Failure> {
    let exit = exit(client, &ending).await?;
    if json {
        let interruption = ending.interruption.filter(|_| exit != Exit::Success);
        output::json(&Printed { run: &ending.run, interruption })?;
        return Ok(exit);
    }
    let Ending { run, interruption } = ending;
    output::message(&workflow::contradictions(&run));
    if run.status == WorkflowStatus::Completed {
        output::message(&workflow::gone_without(&run));
        print(&run.output)?;
    } else if exit == Exit::Stopped {
        output::message(&format!("{}\n", why_stopped(&run, interruption)));
    } else {
        output::message(&workflow::failure(&run));
    }
    Ok(exit)
}

/// A run, and what this command stopped it for.
#[derive(Serialize)]
struct Printed<'a> {
    #[serde(flatten)]
    run: &'a WorkflowRunView,
    interruption: Option<Interruption>,
}

/// A text as it is, everything else as JSON: indented where a person looks.
fn print(value: &Value) -> std::io::Result<()> {
    match value {
        Value::String(text) => output::result(None, Some(text)),
        _ if output::stdout_is_terminal() => output::pretty_json(value),
        _ => output::json(value),
    }
}

/// The input schema of a workflow; null if it has none.
fn input_schema(workflow: &Value) -> &Value {
    let nodes = workflow.get("nodes").and_then(Value::as_object).into_iter().flatten();
    let is_input = |node: &&Value| node.get("type").is_some_and(|kind| kind == "input");
    let mut schemas = nodes.map(|(_, node)| node).filter(is_input).filter_map(|node| node.get("schema"));
    schemas.next().unwrap_or(&Value::Null)
}

/// The file first, then single members, then the task.
fn input(arguments: &Arguments, schema: &Value) -> Result<Value, Failure> {
    let mut value = match &arguments.input {
        Some(file) => Input::of(Some(file)).read()?.json("input")?,
        None => Value::Object(Map::new()),
    };
    let given = task_parameters::members(&arguments.param, arguments.task.as_ref())?;
    let mut members: Vec<(String, Value)> = given
        .into_iter()
        .map(|(key, text)| (key.to_owned(), task_parameters::value(schema, key, text)))
        .collect();
    if let Some(task) = &arguments.task {
        members.push((task_parameters::TASK.to_owned(), Value::from(task_parameters::task(task)?)));
    }
    if !members.is_empty() {
        match &mut value {
            Value::Object(object) => object.extend(members),
            other => {
                let message = format!("expected a JSON object as input, got {}", accord_json::kind_of(other));
                return Err(Problem::new(message).hint("omit --param and TASK, or pass an object").into());
            }
        }
    }
    Ok(value)
}

/// Failures of the workflow itself, not of a model, CLI or server. They include the contract of an
/// agent that got another input.
const UNMET: [&str; 9] = [
    "check_failed",
    "condition_failed",
    "inputs_too_large",
    "no_output",
    "outputs_too_large",
    "plan_invalid",
    "template_failed",
    "too_many_items",
    "ParameterValidationFailed",
];

/// Errors of a workflow's references: agents, workflows and schemas that were removed or broken
/// since it was checked.
const MISSING: [ErrorName; 6] = [
    ErrorName::AgentNotFound,
    ErrorName::AgentBroken,
    ErrorName::WorkflowNotFound,
    ErrorName::WorkflowBroken,
    ErrorName::SchemaNotFound,
    ErrorName::OutputSchemaConflict,
];

pub(crate) async fn exit(client: &Client, ending: &Ending) -> Result<Exit, Failure> {
    let run = &ending.run;
    let kind = run.failure_kind().unwrap_or_default();
    Ok(match run.status {
        WorkflowStatus::Completed => Exit::Success,
        WorkflowStatus::Stopped => Exit::Stopped,
        _ if ending.interruption.is_some() => Exit::Stopped,
        WorkflowStatus::Failed if UNMET.contains(&kind) => Exit::ContractNotMet,
        WorkflowStatus::Failed if MISSING.iter().any(|name| name.as_str() == kind) => Exit::Usage,
        WorkflowStatus::Failed => {
            let known: Option<FailureType> = serde_json::from_value(Value::from(kind)).ok();
            match known {
                Some(known) => Exit::of_failure(known, held(client, run, kind).await?),
                None => Exit::Failed,
            }
        }
        WorkflowStatus::Running | WorkflowStatus::Stopping => Exit::Failed,
    })
}

/// What the run was held to that failed so: a run of an agent, perhaps in a workflow within this one.
async fn held(client: &Client, run: &WorkflowRunView, kind: &str) -> Result<Held, Failure> {
    let mut inner;
    let mut run = run;
    loop {
        let mut tasks = run.nodes.iter().flat_map(|node| &node.tasks);
        let failed = tasks.find(|task| task.error.as_ref().is_some_and(|error| error.kind == kind));
        match failed.and_then(|task| task.worker.as_ref()) {
            Some(Worker::Run { run_id, .. }) => return Ok(Held::from(&client.run(run_id).await?)),
            Some(Worker::Workflow { workflow_run_id }) => {
                inner = client.workflow_run(workflow_run_id).await?;
                run = &inner;
            }
            None => return Ok(Held::ToNothing),
        }
    }
}

pub(crate) fn why_stopped(run: &WorkflowRunView, interruption: Option<Interruption>) -> String {
    let id = &run.workflow_run_id;
    match (interruption, run.status.is_over()) {
        (Some(Interruption::Timeout), true) => {
            format!("{id} was stopped: it exceeded --timeout")
        }
        (_, true) => format!("{id} was stopped"),
        (_, false) => format!("{id} is still stopping; see `accord workflows show {id}`"),
    }
}
