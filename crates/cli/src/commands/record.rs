//! `accord record`: one run with a live model, kept as a cassette.

use std::path::{Path, PathBuf};

use accord_api::{Attempt, CreateRun, CreateSchema};
use accord_client::Client;
use serde_json::{Value, json};

use crate::commands::run::{self, Report};
use crate::config::{Config, ProviderKind};
use crate::connection;
use crate::exit::Exit;
use crate::failure::{Failure, Problem};
use crate::host::{self, Embedded};
use crate::output;
use crate::runtime;
use crate::view::words;

/// Run an agent with a live model and keep what was said as a cassette
#[derive(Debug, clap::Args)]
#[group(id = "record")]
#[command(after_help = "\
A cassette is a readable file: what the model was asked, what it answered, how each answer was
judged. Keys never enter it. accord replay plays it back offline; an agent with
executor: { type: replay, cassette: FILE } always answers from it. The run itself is kept nowhere.
Exit codes are those of accord run.

Examples:
  accord record ticket-triage --param ticket=\"The invoice is wrong\" --output triage.json
  accord replay triage.json")]
pub(crate) struct Arguments {
    #[command(flatten)]
    run: run::Arguments,
    /// Where to write the cassette
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,
    /// Write over a file that is there
    #[arg(long)]
    force: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    if arguments.output.exists() && !arguments.force {
        let message = format!("{} is there already", arguments.output.display());
        return Err(Problem::new(message).hint("add --force to write over it").into());
    }
    let config = arguments.run.connection.config(Vec::new())?;
    runtime::block_on(async {
        let store = crate::store::memory_store()?;
        let (executors, recorder) = host::recording_executors(&config)?;
        let (embedded, client) = Embedded::start(&config, store, executors).await?;
        let recorded = record(&client, &config, &arguments.run).await;
        embedded.end().await;
        let Recorded { blueprint, request, report, attempts } = recorded?;
        let parameters = request.parameters.clone().unwrap_or_default();
        let mut cassette = recorder.cassette(blueprint, parameters, comparable(&attempts));
        cassette.contract = contract(&request);
        let text = cassette.to_text().map_err(|error| Problem::new(error.to_string()))?;
        write(&arguments.output, &text)?;
        let exchanges = words::counted(cassette.exchanges.len() as u64, "exchange");
        let path = arguments.output.display();
        output::talk(&format!("recorded {exchanges} in {path}; every answer is in there\n"));
        report.of_no_store().print(arguments.run.json)
    })
}

struct Recorded {
    blueprint: Value,
    request: CreateRun,
    report: Report,
    attempts: Vec<Attempt>,
}

async fn record(client: &Client, config: &Config, arguments: &run::Arguments) -> Result<Recorded, Failure> {
    let mut blueprint = client.agent(&arguments.agent).await?.blueprint;
    let mut request = run::request(client, arguments).await?;
    // A cassette stands alone: what has a name in the registry is written out.
    for part in ["output_schema", "default_output_schema"] {
        if let Some(Value::String(name)) = blueprint.get(part).cloned() {
            let schema = registered(config, &name).await?;
            let entry = CreateSchema { name, description: String::new(), schema: schema.clone() };
            client.create_schema(&entry).await?;
            set(&mut blueprint, part, schema);
        }
    }
    if let Some(name) = request.output_schema_name.take() {
        request.output_schema = Some(registered(config, &name).await?);
    }
    let (report, attempts) = run::ask(client, &request, arguments.time_limit()).await?;
    let mut blueprint = portable(blueprint, config);
    if let (Some(model), Some(executor)) = (&request.model, blueprint.get_mut("executor")) {
        set(executor, "model", json!(model));
    }
    Ok(Recorded { blueprint, request, report, attempts })
}

/// A schema by its name, from the project's registry.
async fn registered(config: &Config, name: &str) -> Result<Value, Failure> {
    if let Some(client) = connection::running(config).await? {
        return Ok(client.schema(name).await?.schema);
    }
    let store = crate::store::local_store(config).await?;
    let found = store.schema(name).await.map_err(|error| Failure::Remote(Problem::new(error.to_string())))?;
    let missing =
        || Problem::new(format!("Output schema '{name}' not found")).hint("accord schemas add registers one");
    let document = found.ok_or_else(missing)?.document;
    Ok(serde_json::from_str(&document)
        .map_err(|error| Problem::new(format!("the schema '{name}': {error}")))?)
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

fn set(value: &mut Value, name: &str, member: Value) {
    if let Some(members) = value.as_object_mut() {
        members.insert(name.to_owned(), member);
    }
}

/// What of an attempt must be the same when it is replayed: all but times, durations and prices.
pub(crate) fn comparable(attempts: &[Attempt]) -> Value {
    let one = |attempt: &Attempt| {
        json!({
            "number": attempt.number,
            "strategy": attempt.strategy,
            "model": attempt.model,
            "outcome": attempt.outcome,
            "errors": attempt.errors,
            "repairs": attempt.repairs,
            "text": attempt.text,
        })
    };
    attempts.iter().map(one).collect()
}

/// The blueprint with a provider that every machine knows: a configured name means nothing elsewhere.
fn portable(mut blueprint: Value, config: &Config) -> Value {
    let name = blueprint.pointer("/executor/provider").and_then(Value::as_str);
    let provider = name.and_then(|name| config.values.providers.get(name)).cloned();
    let executor = blueprint.get_mut("executor").and_then(Value::as_object_mut);
    if let (Some(provider), Some(executor)) = (provider, executor) {
        let kind = match provider.kind {
            ProviderKind::Anthropic => "anthropic",
            ProviderKind::Openai => "openai",
            ProviderKind::OpenaiChat => "openai-chat",
            ProviderKind::OpenaiCompatible => "openai-compatible",
            ProviderKind::Ollama => "ollama",
        };
        executor.insert("provider".to_owned(), json!(kind));
        if let (None, Some(base_url)) = (executor.get("base_url"), provider.base_url) {
            executor.insert("base_url".to_owned(), json!(base_url));
        }
        if let (None, Some(profile)) = (executor.get("schema_profile"), provider.schema_profile) {
            executor.insert("schema_profile".to_owned(), json!(profile));
        }
    }
    blueprint
}

fn write(path: &Path, text: &str) -> Result<(), Problem> {
    std::fs::write(path, text)
        .map_err(|error| Problem::new(format!("{} cannot be written: {error}", path.display())))
}
