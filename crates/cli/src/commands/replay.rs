//! `accord replay`: a cassette, played back offline.

use std::path::PathBuf;

use accord_api::CreateRun;
use accord_api::attempt::Outcome;
use accord_executor::Cassette;
use serde_json::{Value, json};

use crate::commands::record::comparable;
use crate::commands::run::ask;
use crate::config::Config;
use crate::exit::Exit;
use crate::failure::{Failure, Problem};
use crate::host::{self, Embedded};
use crate::output;
use crate::project::ProjectArguments;
use crate::runtime;
use crate::view::words;

/// Replay a cassette offline and compare every attempt with the recording
#[derive(Debug, clap::Args)]
#[command(after_help = "\
No model is called, no tool is run and no API key is needed: every answer comes from the cassette.
Exit codes are those of the recorded run; 3 if an attempt differs, and then only the difference is
printed.

Examples:
  accord replay triage.json
  accord replay --json triage.json")]
pub(crate) struct Arguments {
    #[command(flatten)]
    project: ProjectArguments,
    /// Cassette file
    cassette: PathBuf,
    /// Print JSON with all details
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    let config = Config::load(&arguments.project.find()?, Vec::new())?;
    runtime::block_on(async {
        let file = arguments.cassette.display();
        let path = arguments.cassette.canonicalize();
        let path = path.map_err(|error| Problem::new(format!("cannot read {file}: {error}")))?;
        let cassette = Cassette::load(&path).await.map_err(|error| Problem::new(error.to_string()))?;
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(Problem::new(format!("{file} is not a file")).into());
        };
        let (name, blueprint) = replaying(cassette.agent.clone(), &name.to_string_lossy())?;
        let store = crate::store::memory_store()?;
        // The project's own agents are left aside too: one of the same name would win over the recorded one.
        let mut config = config.offline();
        // An agent reads recordings of its own folder only.
        config.values.runner.project_dir = folder.display().to_string();
        let (embedded, client) = Embedded::start(&config, store, host::replaying_executors()).await?;
        client.create_agent(&blueprint).await?;
        let request = request(&name, &cassette)?;
        let asked = ask(&client, &request, None, None).await;
        embedded.end().await;
        let (report, attempts) = asked?;
        let recorded = without_time(cassette.attempts);
        let replayed = without_time(as_far_as_recorded(&recorded, comparable(&attempts)));
        // What is not as recorded is no result: it is not printed.
        if replayed != recorded {
            let cause = report.failure().map(|failure| failure.message.as_str());
            return Err(Failure::Remote(difference(&recorded, &replayed, cause)));
        }
        let exit = report.of_no_store().print(arguments.json)?;
        let count = words::counted(attempts.len() as u64, "attempt");
        output::talk(&format!("Replayed {count}; all match the recording.\n"));
        Ok(exit)
    })
}

/// The same question under the same contract.
fn request(name: &str, cassette: &Cassette) -> Result<CreateRun, Problem> {
    let mut request = json!({"agent_name": name, "parameters": cassette.parameters});
    if let (Some(members), Some(contract)) = (request.as_object_mut(), cassette.contract.as_object()) {
        members.extend(contract.clone());
    }
    // By way of a text: out of a value some numbers come spelled in another way, and the recording knows them as they were.
    serde_json::from_str(&request.to_string())
        .map_err(|error| Problem::new(format!("the contract in the cassette is invalid: {error}")))
}

/// The recorded blueprint, with the recording in the place of its model.
fn replaying(mut blueprint: Value, cassette: &str) -> Result<(String, Value), Problem> {
    let name = blueprint.get("name").and_then(Value::as_str).map(str::to_owned);
    let name = name.ok_or_else(|| Problem::new("the agent in the cassette has no name"))?;
    if let Some(members) = blueprint.as_object_mut() {
        members.insert("executor".to_owned(), json!({"type": "replay", "cassette": cassette}));
        // Where it runs is for the recorded run to say.
        members.remove("demands");
    }
    Ok((name, blueprint))
}

/// Recordings that were made before these were kept say nothing of what an attempt used and where its value stood.
fn as_far_as_recorded(recorded: &Value, mut replayed: Value) -> Value {
    let pairs = replayed.as_array_mut().into_iter().flatten().zip(recorded.as_array().into_iter().flatten());
    for (replayed, recorded) in pairs {
        if let Some(members) = replayed.as_object_mut() {
            members.retain(|name, _| {
                !["usage", "source"].contains(&name.as_str()) || recorded.get(name).is_some()
            });
        }
    }
    replayed
}

/// Attempts without the words about a provider that was away: they say for how long, and a replay does not wait.
fn without_time(mut attempts: Value) -> Value {
    for attempt in attempts.as_array_mut().into_iter().flatten() {
        if attempt.get("outcome") == Some(&json!(Outcome::Transport))
            && let Some(members) = attempt.as_object_mut()
        {
            members.remove("errors");
        }
    }
    attempts
}

/// Where a replay differs, and why it failed, if it did.
fn difference(recorded: &Value, replayed: &Value, cause: Option<&str>) -> Problem {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let (recorded, replayed) = (list(recorded), list(replayed));
    let mut message = if recorded.len() == replayed.len() {
        let differs = recorded.iter().zip(&replayed).position(|(left, right)| left != right);
        format!("attempt {} differs from the recording", differs.unwrap_or_default() + 1)
    } else {
        format!("expected {} attempts as recorded, got {}", recorded.len(), replayed.len())
    };
    if let Some(cause) = cause {
        message.push_str(&format!("; the replayed run failed: {cause}"));
    }
    Problem::new(message).hint("record it again with `accord record`")
}
