//! `accord record`: one run with a live model, kept as a cassette.

use std::path::{Path, PathBuf};

use accord_api::Attempt;
use serde_json::{Value, json};

use crate::commands::run::{self, Report, follow};
use crate::config::{Config, ProviderKind};
use crate::exit::Exit;
use crate::failure::{Failure, Problem};
use crate::host::{self, Embedded};
use crate::output;
use crate::runtime;

/// Run an agent with a live model and keep what was said as a cassette
#[derive(Debug, clap::Args)]
#[group(id = "record")]
#[command(after_help = "\
A cassette is a readable file: what the model was asked, what it answered, how each answer was judged. Keys never enter
it. accord replay plays it back offline; an agent with executor: { type: replay, cassette: FILE } always answers from it.

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
        let agent = client.agent(&arguments.run.agent).await?;
        let request = run::request(&client, &arguments.run).await?;
        let created = client.create_run(&request, None).await?;
        let ending = follow(&client, &created.run_id, &arguments.run.agent, None).await?;
        embedded.end().await;
        let attempts = comparable(&ending.attempts);
        let blueprint = portable(agent.blueprint, &config);
        let parameters = request.parameters.unwrap_or_default();
        let cassette = recorder.cassette(blueprint, parameters, attempts);
        let text = cassette.to_text().map_err(|error| Problem::new(error.to_string()))?;
        write(&arguments.output, &text)?;
        let (exchanges, file) = (cassette.exchanges.len(), arguments.output.display());
        output::talk(&format!("recorded {exchanges} exchange(s) in {file}\n"));
        let report = Report::new(ending);
        report.show()?;
        Ok(report.exit())
    })
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
    }
    blueprint
}

fn write(path: &Path, text: &str) -> Result<(), Problem> {
    std::fs::write(path, text)
        .map_err(|error| Problem::new(format!("{} cannot be written: {error}", path.display())))
}
