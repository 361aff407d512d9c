//! `accord runs retry`.

use accord_api::{CreatedRun, ErrorName, RetryRun, RunId, RunView};
use accord_client::Client;
use serde_json::{Map, Value};

use super::again::{self, Callback, Waiting};
use crate::commands::run::parameter;
use crate::connection::{Access, ConnectionArguments};
use crate::exit::Exit;
use crate::failure::{self, Failure};
use crate::for_each::each;
use crate::{id_prefix, runtime, task_parameters};

/// Run finished runs again, with another input or model if you like
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Each new run has the agent, input and contract of the old one, as they were then, and its own id,
which is printed. --param and --prompt change single parameters; the others stay. If no coordinator
runs for the project, the new run waits until one is started; with --wait, a temporary one is
started.

Examples:
  accord runs retry run_…
  accord runs retry run_… --model claude-opus-4-6 --wait
  accord runs retry run_… --param focus=security
  accord runs list --status failed --json | jq -r '.items[].run_id' | xargs -r accord runs retry")]
pub(crate) struct Arguments {
    /// Run ids, or unique prefixes of them
    #[arg(value_name = "RUN", required = true)]
    runs: Vec<RunId>,
    /// Use this model
    #[arg(long, value_name = "MODEL")]
    model: Option<String>,
    /// Change a parameter; parsed as JSON unless the agent expects a string
    #[arg(long, value_name = "KEY=VALUE")]
    param: Vec<String>,
    /// Change the parameter 'prompt'; - reads it from stdin
    #[arg(long, value_name = "TEXT")]
    prompt: Option<String>,
    #[command(flatten)]
    callback: Callback,
    #[command(flatten)]
    waiting: Waiting,
    /// Print one JSON object per line; failures have an "error" field
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    connection: ConnectionArguments,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    let prompt = arguments.prompt.as_deref().map(task_parameters::task).transpose()?;
    let changed = task_parameters::members(&arguments.param, prompt.as_ref())?;
    let retry = async |client: &Client, id: &RunId| -> Result<CreatedRun, Failure> {
        let run = id_prefix::run(client, id).await?;
        let parameters = match changed.is_empty() && prompt.is_none() {
            true => None,
            false => Some(parameters(client, &run, &changed, prompt.as_ref()).await?),
        };
        let changes =
            RetryRun { parameters, model: arguments.model.clone(), callback: arguments.callback.callback };
        Ok(client.retry_run(&run.run_id, &changes).await?)
    };
    let config = arguments.connection.config(Vec::new())?;
    runtime::block_on(async {
        if !arguments.waiting.wait {
            let client = arguments.connection.reach(Access::Look).await?;
            let retry = async |id: &RunId| retry(&client, id).await;
            let show = |created: &CreatedRun| again::show(created, arguments.json);
            return each(&arguments.runs, "run_id", arguments.json, retry, show).await;
        }
        // Where one fails, the others still run.
        let mut first_failure = None;
        for id in &arguments.runs {
            let create = async |client: &Client| retry(client, id).await;
            let exit = arguments.waiting.follow(&config, id, create, arguments.json).await;
            let exit = exit.unwrap_or_else(|failure| failure::report(failure, arguments.json));
            if exit != Exit::Success {
                first_failure.get_or_insert(exit);
            }
        }
        Ok(first_failure.unwrap_or(Exit::Success))
    })
}

/// The parameters of a run with these changes.
async fn parameters(
    client: &Client,
    run: &RunView,
    changed: &[(&str, &str)],
    prompt: Option<&String>,
) -> Result<Value, Failure> {
    let kept = run.parameters.as_deref().and_then(|raw| serde_json::from_str(raw.get()).ok());
    let mut all: Map<String, Value> = kept.unwrap_or_default();
    let blueprint = match client.agent(&run.agent_name).await {
        Ok(agent) => agent.blueprint,
        Err(error) if error.is(ErrorName::AgentNotFound) => Value::Null,
        Err(error) => return Err(error.into()),
    };
    for (key, text) in changed {
        all.insert((*key).to_owned(), parameter(&blueprint, key, text));
    }
    if let Some(prompt) = prompt {
        all.insert(task_parameters::TASK.to_owned(), Value::String(prompt.clone()));
    }
    Ok(Value::Object(all))
}
