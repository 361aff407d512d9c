//! `accord runs fork`.

use std::path::PathBuf;

use accord_api::{CreatedRun, ForkRun, RunId};
use accord_client::Client;

use super::again::{Callback, Waiting};
use crate::connection::{Access, ConnectionArguments};
use crate::document::Input;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::{id_prefix, runtime};

/// Continue a run from one of its steps, as a new run
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The new run keeps everything up to the step, in a session of its own; the original does not change.
A tool call without a result is made again, and its approval is asked for again. From the last step
of a finished run, the last answer is asked for again. The new run's id is printed, or with --wait
its result. If no coordinator runs for the project, the new run waits until one is started; with
--wait, a temporary one is started.

Examples:
  accord runs steps run_…
  accord runs fork run_… --from 3 --model claude-opus-4-6
  accord runs fork run_… --from 3 --system-prompt-file prompt.md --wait
  accord runs diff run_… run_…")]
pub(crate) struct Arguments {
    /// Run id, or a unique prefix of it
    run: RunId,
    /// The last step to keep; `accord runs steps` lists them
    #[arg(long, value_name = "STEP")]
    from: u32,
    /// Continue with this model
    #[arg(long, value_name = "MODEL")]
    model: Option<String>,
    /// Continue with this system prompt
    #[arg(long, value_name = "TEXT", conflicts_with = "system_prompt_file")]
    system_prompt: Option<String>,
    /// Read the system prompt from a file; - reads stdin
    #[arg(long, value_name = "FILE")]
    system_prompt_file: Option<PathBuf>,
    /// JSON Schema file that the result must conform to; only if the agent has no schema of its own
    #[arg(long, value_name = "FILE")]
    schema: Option<PathBuf>,
    #[command(flatten)]
    callback: Callback,
    #[command(flatten)]
    waiting: Waiting,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    connection: ConnectionArguments,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    let changes = changes(arguments)?;
    let fork = async |client: &Client| -> Result<CreatedRun, Failure> {
        let run = id_prefix::run(client, &arguments.run).await?;
        Ok(client.fork_run(&run.run_id, &changes).await?)
    };
    let config = arguments.connection.config(Vec::new())?;
    runtime::block_on(async {
        if arguments.waiting.wait {
            return arguments.waiting.follow(&config, &arguments.run, fork, arguments.json).await;
        }
        let client = arguments.connection.reach(Access::Look).await?;
        super::again::show(&fork(&client).await?, arguments.json)?;
        Ok(Exit::Success)
    })
}

fn changes(arguments: &Arguments) -> Result<ForkRun, Failure> {
    let system_prompt = match &arguments.system_prompt_file {
        Some(file) => Some(Input::of(Some(file)).read()?.text),
        None => arguments.system_prompt.clone(),
    };
    let output_schema = match &arguments.schema {
        Some(file) => Some(Input::of(Some(file)).read()?.json("schema")?),
        None => None,
    };
    let (from_step, model) = (arguments.from, arguments.model.clone());
    let callback = arguments.callback.callback;
    Ok(ForkRun { from_step, model, system_prompt, output_schema, callback })
}
