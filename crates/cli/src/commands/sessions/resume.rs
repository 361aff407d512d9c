//! `accord sessions resume`.

use std::path::Path;

use accord_api::{CreateRun, InputQuery, RunKind, SessionId};

use crate::connection::ConnectionArguments;
use crate::document::Input;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::follow::{Follower, OnSignal, Seen};
use crate::progress::Progress;
use crate::view::run;
use crate::{id_prefix, open_inputs, output, runtime};

/// Resume a session with a new prompt and print the result
#[derive(Debug, clap::Args)]
#[command(after_help = "\
On a terminal, progress goes to stderr. Ctrl-C stops waiting and does not affect the run.
Exit codes: 0 conforming result, 1 usage error, 2 contract not met, 3 other failure, 4 stopped or
timed out.

Examples:
  accord sessions resume ses_… \"And in French?\"
  accord sessions resume ses_… - < question.txt
  accord sessions resume ses_… --no-wait \"Go on\" --json | jq -r .run_id")]
pub(crate) struct Arguments {
    /// Session id, or a unique prefix of it
    session: SessionId,
    /// Prompt; '-' reads it from stdin
    prompt: String,
    /// Print the run id immediately instead of waiting for the result
    #[arg(long)]
    no_wait: bool,
    /// Print JSON: the run, or with --no-wait its ids
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    connection: ConnectionArguments,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    let prompt = match arguments.prompt.as_str() {
        "-" => Input::of(Some(Path::new("-"))).read()?.text,
        prompt => prompt.to_owned(),
    };
    runtime::block_on(async {
        let client = arguments.connection.client().await?;
        let follower = Follower::new(&client, OnSignal::Leave)?;
        let session = id_prefix::session(&client, &arguments.session).await?;
        let request = CreateRun {
            kind: Some(RunKind::ResumeSession),
            session_id: Some(session.session_id),
            prompt: Some(prompt),
            ..CreateRun::default()
        };
        let created = client.create_run(&request, None).await?;
        if arguments.no_wait {
            match arguments.json {
                true => output::json(&created)?,
                false => output::show(&format!("{}\n", created.run_id))?,
            }
            return Ok(Exit::Success);
        }
        let mut progress = Progress::new();
        let bottom = progress.bottom();
        let inputs =
            InputQuery { root_session_id: Some(created.session_id.clone()), ..InputQuery::default() };
        let tell = |event: Seen<'_>| {
            progress.tell(event);
            Ok(())
        };
        let ending = tokio::select! {
            ending = follower.follow(&created.run_id, tell) => ending?,
            never = open_inputs::announce(&client, inputs, bottom) => match never {},
        };
        progress.end(&ending.run);
        let ended = &ending.run;
        if ending.interruption.is_some() && !ended.status.is_over() {
            output::message(&format!(
                "{0} is still running; follow it with `accord runs watch {0}`.\n",
                ended.run_id
            ));
            return Ok(ending.exit());
        }
        if arguments.json {
            output::json(ended)?;
        } else if let Some(result) = &ended.result {
            output::result(result.result_data.as_deref(), result.result_text.as_deref())?;
        }
        if let Some(failure) = &ended.error {
            output::message(&run::failure(failure));
        }
        Ok(ending.exit())
    })
}
