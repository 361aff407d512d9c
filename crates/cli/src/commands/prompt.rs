//! `accord prompt`: what a model would be sent, without sending it.

use std::fmt::Write as _;

use accord_api::{Attempt, contract};
use accord_client::Client;
use accord_executor::Request;
use serde_json::{Value, json};

use crate::commands::record::{recorded_executor, set, standing_alone};
use crate::commands::run::{RequestArguments, request as requested};
use crate::connection::{self, Access};
use crate::exit::Exit;
use crate::failure::{Failure, Problem};
use crate::host::{self, Embedded};
use crate::{output, runtime};

/// Print what would be sent to an agent's model, without sending it
#[derive(Debug, clap::Args)]
#[group(id = "prompt")]
#[command(after_help = "\
Shows the first request of a run: system prompt, examples and message. Nothing is sent and nothing
is stored, and no API key is needed. For an agent that plays a recording, the model of the
recording is used. What a finished run sent is shown by accord runs attempts RUN --text.

Examples:
  accord prompt ticket-triage --param ticket=\"The invoice is wrong\"
  accord prompt ticket-triage --param ticket=\"The invoice is wrong\" --strategy prompt
  accord prompt ticket-triage --param ticket=\"The invoice is wrong\" --json | jq .body")]
pub(crate) struct Arguments {
    /// Agent name
    #[arg(add = crate::candidates::agents())]
    agent: String,
    #[command(flatten)]
    run: RequestArguments,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    let config = arguments.run.connection.config(Vec::new())?;
    runtime::block_on(async {
        let project = connection::reach(&config, Access::Look).await?;
        let mut blueprint = project.agent(&arguments.agent).await?.blueprint;
        if let Some(live) = recorded_executor(&blueprint, &config.project) {
            set(&mut blueprint, "executor", live);
        }
        let executor = blueprint.pointer("/executor/type").and_then(Value::as_str).unwrap_or_default();
        if executor != "llm" {
            let message =
                format!("cannot preview agent '{}': its executor is {executor}, not llm", arguments.agent);
            return Err(Problem::new(message)
                .hint("run it; `accord runs attempts RUN --text` shows what was sent")
                .into());
        }
        let mut blueprint = standing_alone(&project, &arguments.agent, blueprint, &config).await?;
        if arguments.run.options() != contract::Options::default() {
            let Value::Object(members) = &mut blueprint else {
                return Err(Problem::new("not an agent").into());
            };
            // A preview may try other options than the agent's own contract has: those of a default contract can be changed.
            for part in ["output_schema", "output_schema_options"] {
                if let Some(value) = members.shift_remove(part) {
                    members.insert(format!("default_{part}"), value);
                }
            }
        }
        let provider = blueprint.pointer("/executor/provider").and_then(Value::as_str).unwrap_or_default();
        let (executors, preview) = host::previewing_executors(&config, provider)?;
        let alone = config.without_agents();
        let (embedded, client) = Embedded::start(&alone, crate::store::memory_store()?, executors).await?;
        let attempts = ask(&client, &project, &blueprint, arguments).await;
        embedded.end().await;
        let (attempts, reason) = attempts?;
        let request = preview.first().ok_or_else(|| Problem::new(reason))?;
        if arguments.run.json {
            output::json(&json!({"url": request.url, "body": request.body}))?;
        } else {
            output::show(&readable(&request, attempts.first()))?;
        }
        Ok(Exit::Success)
    })
}

/// The attempts of a run that reaches no model, and why it failed.
async fn ask(
    client: &Client,
    project: &Client,
    blueprint: &Value,
    arguments: &Arguments,
) -> Result<(Vec<Attempt>, String), Failure> {
    client.create_agent(blueprint).await?;
    let mut request = requested(client, &arguments.agent, &arguments.run).await?;
    if let Some(name) = request.output_schema_name.take() {
        request.output_schema = Some(project.schema(&name).await?.schema);
    }
    let run = client.create_run_and_wait(&request, 60, None).await?;
    let reason = run.error.map_or_else(|| "the run asked no model".to_owned(), |error| error.message);
    Ok((client.attempts(&run.run_id).await?.items, reason))
}

fn readable(request: &Request, attempt: Option<&Attempt>) -> String {
    let mut text = format!("POST {}\n", request.url);
    let Some((attempt, sent)) = attempt.and_then(|attempt| Some((attempt, attempt.sent.as_ref()?))) else {
        let body = serde_json::to_string_pretty(&request.body).unwrap_or_else(|_| request.body.to_string());
        return format!("{text}\n{body}\n");
    };
    let _ = writeln!(text, "model {}, strategy {}", attempt.model, attempt.strategy.as_str());
    let mut part = |title: &str, content: &str| {
        let _ = write!(text, "\n--- {title} ---\n{}\n", content.trim_end());
    };
    if !sent.system_prompt.is_empty() {
        part("system", &sent.system_prompt);
    }
    for example in &sent.examples {
        part("example: user", &example.prompt);
        part("example: assistant", &example.answer);
    }
    part("user", &sent.prompt);
    text
}
