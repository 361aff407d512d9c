//! `accord record`: one run with a live model, kept as a cassette.

use std::path::{Path, PathBuf};

use accord_api::{Attempt, CreateRun, RunQuery};
use accord_blueprint::resolve_tiers;
use accord_client::Client;
use accord_executor::{Cassette, RecordedFile};
use serde_json::{Value, json};

use crate::commands::run::{self, Report};
use crate::config::Config;
use crate::connection::{self, Access};
use crate::exit::Exit;
use crate::failure::{Failure, Problem};
use crate::host::{self, Embedded};
use crate::output;
use crate::runtime;
use crate::view::text;

/// Run an agent with a live model and record the exchange in a cassette
#[derive(Debug, clap::Args)]
#[group(id = "record")]
#[command(after_help = "\
A cassette is a JSON file with each request, each answer and how the answer was validated. API keys
are never written to it. `accord replay` plays it back offline; an agent with executor: { type:
replay, cassette: FILE } always answers from it. To be recorded, an agent needs an llm executor. The
run is not stored. Exit codes are those of `accord run`.

Examples:
  accord record ticket-triage --param ticket=\"The invoice is wrong\" --output triage.json
  accord replay triage.json")]
pub(crate) struct Arguments {
    /// Agent name
    #[arg(add = crate::candidates::agents())]
    agent: String,
    #[command(flatten)]
    run: run::RequestArguments,
    /// File to write the cassette to
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,
    /// Overwrite an existing file
    #[arg(long)]
    force: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    let config = arguments.run.connection.config(Vec::new())?;
    runtime::block_on(async {
        let project = connection::reach(&config, Access::Look).await?;
        let blueprint = project.agent(&arguments.agent).await?.blueprint;
        let blueprint = standing_alone(&project, &arguments.agent, blueprint, &config).await?;
        let place = OutputFile::take(&arguments.output, arguments.force)?;
        let store = crate::store::memory_store()?;
        let addresses: Vec<&str> =
            models(&blueprint).filter_map(|settings| settings.get("base_url")?.as_str()).collect();
        let (executors, recorder, providers) = host::recording_executors(&config, &addresses)?;
        // The agent is put in below: one of a file would win over it.
        let alone = config.without_agents();
        let (embedded, client) = Embedded::start(&alone, store, executors).await?;
        let recorded = record(&client, &project, blueprint, arguments).await;
        embedded.end().await;
        let Recorded { blueprint, request, report, attempts, files } = recorded?;
        let parameters = request.parameters.clone().unwrap_or_default();
        if recorder.spells_a_secret() {
            let problem =
                Problem::new("the model or a tool repeated an API key, so the recording would contain it");
            return Err(Failure::Remote(
                problem.hint("nothing was written; change the input, and rotate the key"),
            ));
        }
        let recorded = |settings: &Value| {
            let name = settings.get("provider").and_then(Value::as_str)?;
            // A fallback may be the name of a model alone.
            let model = |model| Value::as_str(model).or_else(|| model.get("model")?.as_str());
            let models: Vec<&str> = models(&blueprint).filter_map(model).collect();
            Some(recorder.provider(name, providers.get(name)?, &models))
        };
        let provider = blueprint.get("executor").and_then(recorded);
        let fallback_providers = models(&blueprint).skip(1).filter_map(recorded).collect();
        let mut cassette = recorder.cassette(blueprint, parameters, comparable(&attempts));
        cassette.provider = provider;
        cassette.fallback_providers = fallback_providers;
        cassette.ended = report.ended();
        cassette.contract = contract(&request);
        cassette.files = files;
        let text = cassette.to_text().map_err(|error| Problem::new(error.to_string()))?;
        place.write(&text)?;
        let exchanges = text::counted(cassette.exchanges.len() as u64, "exchange");
        let path = arguments.output.display();
        output::message(&format!("Recorded {exchanges} in {path}.\n"));
        report.of_no_store().print(arguments.run.json)
    })
}

struct Recorded {
    blueprint: Value,
    request: CreateRun,
    report: Report,
    attempts: Vec<Attempt>,
    files: Vec<RecordedFile>,
}

/// The agent of a project, with nothing that only this project knows: what has a name in the registry is written out, and so are
/// tiers.
pub(crate) async fn standing_alone(
    project: &Client,
    name: &str,
    mut blueprint: Value,
    config: &Config,
) -> Result<Value, Failure> {
    let executor = blueprint.pointer("/executor/type").and_then(Value::as_str).unwrap_or_default();
    if executor != "llm" {
        let message = format!("cannot record agent '{name}': expected the executor llm, got {executor}");
        return Err(Problem::new(message).hint(to_record(executor, &blueprint, &config.project)).into());
    }
    for part in ["output_schema", "default_output_schema"] {
        if let Some(Value::String(name)) = blueprint.get(part).cloned() {
            set(&mut blueprint, part, project.schema(&name).await?.schema);
        }
    }
    resolve_tiers(&mut blueprint, &config.values.tiers).map_err(|error| Problem::new(error.to_string()))?;
    Ok(blueprint)
}

/// The settings of an agent's model and of its fallback models.
fn models(blueprint: &Value) -> impl Iterator<Item = &Value> {
    let fallbacks = blueprint.get("escalate_to").and_then(Value::as_array).into_iter().flatten();
    blueprint.get("executor").into_iter().chain(fallbacks)
}

/// What has to be done before an agent can be recorded. One that is replayed was recorded with a model once.
fn to_record(executor: &str, blueprint: &Value, folder: &Path) -> String {
    if executor != "replay" {
        return "only agents with the executor llm can be recorded".to_owned();
    }
    let live = recorded_executor(blueprint, folder).map_or_else(
        || "{ type: llm, provider: PROVIDER, model: MODEL }".to_owned(),
        |executor| executor.to_string(),
    );
    format!("set executor: {live} in the agent, record, then restore the replay executor")
}

/// The executor that an agent's recording was made with; none if the agent plays no recording.
pub(crate) fn recorded_executor(blueprint: &Value, folder: &Path) -> Option<Value> {
    let cassette = blueprint.pointer("/executor/cassette").and_then(Value::as_str)?;
    let text = std::fs::read_to_string(folder.join(cassette)).ok()?;
    Cassette::from_text(&text).ok()?.agent.get("executor").cloned()
}

async fn record(
    client: &Client,
    project: &Client,
    mut blueprint: Value,
    arguments: &Arguments,
) -> Result<Recorded, Failure> {
    client.create_agent(&blueprint).await?;
    let mut request = run::request(client, &arguments.agent, &arguments.run).await?;
    if let Some(name) = request.output_schema_name.take() {
        request.output_schema = Some(project.schema(&name).await?.schema);
    }
    let (report, attempts) = run::ask(client, &request, None, arguments.run.time_limit()).await?;
    if let (Some(model), Some(executor)) = (&request.model, blueprint.get_mut("executor")) {
        set(executor, "model", json!(model));
    }
    let files = files(client).await?;
    Ok(Recorded { blueprint, request, report, attempts, files })
}

/// The files of the only run that there is.
async fn files(client: &Client) -> Result<Vec<RecordedFile>, Failure> {
    let mut files = Vec::new();
    for run in client.runs(&RunQuery::default()).await?.items {
        for file in client.run(&run.run_id).await?.files {
            let content = client.file_of_run(&run.run_id, &file.id).await?;
            files.push(RecordedFile::new(file.name, &content));
        }
    }
    Ok(files)
}

/// What the caller demanded of the answer.
fn contract(request: &CreateRun) -> Value {
    match &request.output_schema {
        Some(schema) => json!({
            "output_schema": schema,
            "output_schema_options": request.output_schema_options.clone().unwrap_or_default(),
        }),
        None => Value::Null,
    }
}

pub(crate) fn set(value: &mut Value, name: &str, member: Value) {
    if let Some(members) = value.as_object_mut() {
        members.insert(name.to_owned(), member);
    }
}

/// The fields of an attempt that must be equal in a replay: the verdict, its reasons, and the cost.
/// Requests are compared with the recording when they are made.
pub(crate) fn comparable(attempts: &[Attempt]) -> Value {
    let one = |attempt: &Attempt| {
        json!({
            "number": attempt.number,
            "strategy": attempt.strategy,
            "model": attempt.model,
            "outcome": attempt.outcome,
            "errors": attempt.errors,
            "repairs": attempt.repairs,
            "source": attempt.source,
            "usage": attempt.usage,
            "text": attempt.text,
        })
    };
    attempts.iter().map(one).collect()
}

/// The destination of the cassette, checked before the first request, because answers may cost
/// money.
struct OutputFile<'a> {
    path: &'a Path,
    /// It was made to see whether it can be.
    is_new: bool,
}

impl<'a> OutputFile<'a> {
    fn take(path: &'a Path, force: bool) -> Result<Self, Problem> {
        let is_new = !path.exists();
        if !is_new && !force {
            let message = format!("{} already exists", path.display());
            return Err(Problem::new(message).hint("use --force to overwrite it"));
        }
        let place = Self { path, is_new };
        std::fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(path)
            .map_err(|error| place.closed(&error))?;
        Ok(place)
    }

    fn write(mut self, text: &str) -> Result<(), Problem> {
        std::fs::write(self.path, text).map_err(|error| self.closed(&error))?;
        self.is_new = false;
        Ok(())
    }

    fn closed(&self, error: &std::io::Error) -> Problem {
        Problem::new(format!("cannot write {}: {error}", self.path.display()))
    }
}

impl Drop for OutputFile<'_> {
    fn drop(&mut self) {
        if self.is_new {
            // A leftover empty file does no harm.
            let _ = std::fs::remove_file(self.path);
        }
    }
}
