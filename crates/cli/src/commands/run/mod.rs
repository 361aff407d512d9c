//! `accord run`: one run, from the question to the exit code.

mod files;
mod parameters;
mod report;
mod task;

use std::path::PathBuf;
use std::time::Duration;

use accord_api::{
    Attempt, CreateRun, CreatedRun, Embedded, ExtractJson, InputQuery, Strategy, ValidationMode, contract,
};
use accord_client::Client;

use crate::commands::agents::examples;
use crate::connection::ConnectionArguments;
use crate::document::Input;
use crate::exit::Exit;
use crate::failure::{Failure, Problem};
use crate::follow::{Follower, OnSignal, Seen, seconds};
use crate::own_coordinator::{self, Lasting};
use crate::progress::Progress;
use crate::unclaimed_runs::{self, Awaited};
use crate::{open_inputs, output, runtime};

pub(crate) use files::upload_recorded;
pub(crate) use parameters::value as parameter;
pub(crate) use report::Report;

/// Run an agent and print its result
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The result goes to stdout, progress and messages to stderr. Uses the coordinator that runs for this
project, or starts a temporary one. Ctrl-C stops the run. Exit codes: 0 conforming result, 1 usage
or configuration error, 2 contract not met, 3 model, CLI or server failure, 4 stopped or timed out.
With --json, the field \"interruption\" is signal or timeout if this command stopped the run.
With --task, a planner makes a plan of subtasks for the project's agents, and its model is set with
--model PROVIDER/MODEL.

Examples:
  accord run summarizer \"Summarise the attached minutes\"
  accord run word-count --param text=\"one two three\"
  accord run ticket-triage --params .accord/inputs/ticket.json
  accord run invoice-reader --file invoice.pdf \"Read this invoice\"
  accord run ticket-triage --recorded
  accord run release-notes --params commits.json --json | jq .result_data
  accord run writer \"Plan the launch\" --schema task.schema.json --max-retries 3
  accord run --task \"Find out why the build is slow, and fix it\" --agents researcher,implementer
  accord run summarizer --no-wait \"Read everything\" | xargs accord runs watch")]
pub(crate) struct Arguments {
    /// Agent name
    #[arg(required_unless_present = "goal", add = crate::candidates::agents())]
    agent: Option<String>,
    #[command(flatten)]
    request: RequestArguments,
    /// Let a planner split a task among the project's agents; - reads it from stdin
    #[arg(long = "task", value_name = "TEXT", conflicts_with_all = [
        "agent", "task", "param", "params", "schema", "schema_name", "max_retries", "strategy", "mode", "extract",
        "embedded", "no_wait", "priority", "idempotency_key",
    ])]
    goal: Option<String>,
    /// Agents the planner can use, separated by commas [default: all that take a prompt]
    #[arg(long, value_name = "NAMES", value_delimiter = ',', requires = "goal")]
    agents: Vec<String>,
    /// Agent that makes the plan [default: a built-in one with the model of --model or of an agent]
    #[arg(long, value_name = "AGENT", requires = "goal", conflicts_with = "model")]
    planner: Option<String>,
    /// Print the run id immediately instead of waiting for the result
    #[arg(long, conflicts_with = "timeout")]
    no_wait: bool,
    /// Priority in the queue; higher numbers run first [default: 0]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    priority: Option<i32>,
    /// Return the existing run if this key was used before, instead of starting another
    #[arg(long, value_name = "KEY")]
    idempotency_key: Option<String>,
}

/// The input of an agent
#[derive(Debug, clap::Args)]
pub(crate) struct RequestArguments {
    #[command(flatten)]
    pub(crate) connection: ConnectionArguments,
    /// Set the parameter 'prompt' (short for --param prompt=TASK); - reads it from stdin
    pub(crate) task: Option<String>,
    /// Set a parameter; parsed as JSON unless the agent expects a string
    #[arg(long = "param", value_name = "KEY=VALUE")]
    pub(crate) param: Vec<String>,
    /// Read parameters from a JSON file; - reads stdin
    #[arg(long, value_name = "FILE")]
    pub(crate) params: Option<PathBuf>,
    /// Give the agent this file: an image, a PDF or a text. Can be repeated
    #[arg(long = "file", value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Use the input that was recorded, for an agent that plays a recording
    #[arg(long, conflicts_with_all = ["task", "param", "params"])]
    recorded: bool,
    /// JSON Schema file that the result must conform to
    #[arg(long, value_name = "FILE")]
    schema: Option<PathBuf>,
    /// Name of a registered schema that the result must conform to
    #[arg(long, value_name = "NAME", conflicts_with = "schema")]
    schema_name: Option<String>,
    /// Maximum number of retries, 0 to 10; requires --schema or --schema-name
    #[arg(long, value_name = "N")]
    max_retries: Option<u32>,
    /// How to request structured output: auto, native, tool or prompt
    #[arg(long, value_name = "STRATEGY", value_parser = strategy)]
    strategy: Option<Strategy>,
    /// Whether to repair damaged JSON before validating: strict (no) or lenient (lossless repairs only)
    #[arg(long, value_name = "MODE", value_parser = mode)]
    mode: Option<ValidationMode>,
    /// Where the value may be besides alone: true, false, fence, prose
    #[arg(long, value_name = "FROM")]
    extract: Option<ExtractJson>,
    /// What to do with a value found in prose: accept or confirm
    #[arg(long, value_name = "ACTION", value_parser = embedded)]
    embedded: Option<Embedded>,
    /// Use this model instead of the agent's
    #[arg(long, value_name = "MODEL")]
    model: Option<String>,
    /// Print JSON with all details
    #[arg(long)]
    pub(crate) json: bool,
    /// Stop the run after this many seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    timeout: Option<u64>,
}

impl RequestArguments {
    /// What is asked of the contract's enforcement.
    pub(crate) fn options(&self) -> contract::Options {
        contract::Options {
            max_retries: self.max_retries,
            strategy: self.strategy,
            validation_mode: self.mode,
            extract_json: self.extract,
            embedded: self.embedded,
            ..contract::Options::default()
        }
    }

    /// How long the run may take.
    pub(crate) fn time_limit(&self) -> Option<Duration> {
        self.timeout.map(Duration::from_secs)
    }
}

pub(crate) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    if let Some(goal) = &arguments.goal {
        return task::run(arguments, goal);
    }
    let agent = arguments.agent.as_deref().unwrap_or_default();
    let config = arguments.request.connection.config(Vec::new())?;
    let lasting = Lasting::of(arguments.no_wait, arguments.idempotency_key.as_ref());
    let look = async |client: &Client| client.agent(agent).await.map(drop);
    let work = async |client: &Client| with(client, agent, arguments).await;
    runtime::block_on(own_coordinator::work(&config, lasting, look, work))
}

async fn with(client: &Client, agent: &str, arguments: &Arguments) -> Result<Exit, Failure> {
    let asked = request(client, agent, &arguments.request).await?;
    let request = CreateRun { priority: arguments.priority, ..asked };
    let key = arguments.idempotency_key.as_deref();
    let json = arguments.request.json;
    if arguments.no_wait {
        let created = client.create_run(&request, key).await?;
        match json {
            true => output::json(&created)?,
            false => output::show(&format!("{}\n", created.run_id))?,
        }
        return Ok(Exit::Success);
    }
    let (report, _) = ask(client, &request, key, arguments.request.time_limit()).await?;
    report.print(json)
}

/// Makes a run and follows it to its end. A signal or the time limit stops it.
pub(crate) async fn ask(
    client: &Client,
    request: &CreateRun,
    idempotency_key: Option<&str>,
    time_limit: Option<Duration>,
) -> Result<(Report, Vec<Attempt>), Failure> {
    let create = async { Ok(client.create_run(request, idempotency_key).await?) };
    followed(client, create, time_limit).await
}

/// Follows the run that a request makes to its end. A signal or the time limit stops it.
pub(crate) async fn followed(
    client: &Client,
    create: impl Future<Output = Result<CreatedRun, Failure>>,
    time_limit: Option<Duration>,
) -> Result<(Report, Vec<Attempt>), Failure> {
    let follower = Follower::new(client, OnSignal::Stop)?.time_limit(time_limit);
    let created = create.await?;
    let mut progress = Progress::new();
    let (above, bottom) = (progress.above(), progress.bottom());
    let inputs = InputQuery { root_session_id: Some(created.session_id.clone()), ..InputQuery::default() };
    let tell = |event: Seen<'_>| {
        progress.tell(event);
        Ok(())
    };
    let ending = tokio::select! {
        ending = follower.follow(&created.run_id, tell) => ending?,
        never = unclaimed_runs::announce(client, Awaited::Run(&created.run_id), above) => match never {},
        never = open_inputs::announce(client, inputs, bottom) => match never {},
    };
    progress.end(&ending.run);
    let attempts = client.attempts(&created.run_id).await?.items;
    let suggestion = examples::suggestion(client, &ending.run).await;
    Ok((Report::new(ending, &attempts).suggesting(suggestion), attempts))
}

/// The body of the request that these arguments mean.
pub(crate) async fn request(
    client: &Client,
    name: &str,
    arguments: &RequestArguments,
) -> Result<CreateRun, Failure> {
    let agent = client.agent(name).await?;
    let mut parameters = parameters::read(name, arguments, &agent.blueprint)?;
    let mut files = files::upload(client, &arguments.files).await?;
    if arguments.recorded {
        let project = arguments.connection.config(Vec::new())?.project;
        let recording = parameters::recording(name, &agent.blueprint, &project)?;
        files.extend(upload_recorded(client, &recording.files).await?);
    }
    files::upload_named(client, &mut parameters, &agent.blueprint).await?;
    let output_schema = match &arguments.schema {
        Some(file) => Some(Input::of(Some(file)).read()?.json("schema")?),
        None => None,
    };
    let options = arguments.options();
    let given = options != contract::Options::default();
    let is_ours = output_schema.is_some() || arguments.schema_name.is_some();
    let has_default = agent.blueprint.get("default_output_schema").is_some_and(|schema| !schema.is_null());
    if given && !is_ours && !has_default {
        let message = "--max-retries, --strategy, --mode, --extract and --embedded require --schema or --schema-name, or an agent with a default schema";
        return Err(Problem::new(message)
            .hint("add --schema FILE or --schema-name NAME, or set output_schema_options in the agent")
            .into());
    }
    Ok(CreateRun {
        agent_name: Some(name.to_owned()),
        parameters: Some(parameters),
        files,
        output_schema,
        output_schema_name: arguments.schema_name.clone(),
        output_schema_options: given.then_some(options),
        model: arguments.model.clone(),
        ..CreateRun::default()
    })
}

fn embedded(text: &str) -> Result<Embedded, String> {
    word(text, "accept or confirm")
}

fn strategy(text: &str) -> Result<Strategy, String> {
    word(text, "auto, native, tool or prompt")
}

fn mode(text: &str) -> Result<ValidationMode, String> {
    word(text, "strict or lenient")
}

fn word<T: serde::de::DeserializeOwned>(text: &str, known: &str) -> Result<T, String> {
    serde_json::from_value(serde_json::Value::String(text.to_owned()))
        .map_err(|_| format!("expected {known}"))
}
