//! `accord replay`: a cassette, played back offline.

mod changes;
mod current;

use std::path::{Path, PathBuf};

use accord_api::attempt::{Outcome, REPLAYED};
use accord_api::{Attempt, CreateRun};
use accord_executor::Cassette;
use owo_colors::OwoColorize as _;
use serde_json::{Value, json};

use self::current::Current;
use crate::commands::record::{comparable, set};
use crate::commands::run::{Report, ask, upload_recorded};
use crate::config::Config;
use crate::exit::Exit;
use crate::failure::{Failure, Problem};
use crate::host::{self, Embedded};
use crate::output;
use crate::project::ProjectArguments;
use crate::runtime;
use crate::view::text;

/// Replay a cassette offline and compare every attempt with the recording
#[derive(Debug, clap::Args)]
#[command(after_help = "\
No model is called, no tool is run and no API key is needed: every answer comes from the cassette.
Exit codes are those of the recorded run; 3 if an attempt differs, and then only the difference is
printed.

With --current, the project's agent of the same name takes the place of the recorded one. Its prompt
is not sent to a model: the recorded answers are validated by its contract. Prints what has changed
since the recording. Exit codes: 0 a recorded answer meets the current contract, 2 none does.

Examples:
  accord replay triage.json
  accord replay --json triage.json
  accord replay --current triage.json")]
pub(crate) struct Arguments {
    #[command(flatten)]
    project: ProjectArguments,
    /// Cassette file
    cassette: PathBuf,
    /// Validate the recorded answers with the agent as it is now, and show what has changed
    #[arg(long)]
    current: bool,
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
        let name = name.to_string_lossy();
        if arguments.current {
            let current = Current::of(&config, &cassette).await?;
            let playing = current::playing(&current.blueprint, &name);
            let asked = play(&config, folder, &playing, &cassette).await;
            return current::report(&current, asked.map(without_store), arguments.json);
        }
        let blueprint = replaying(cassette.agent.clone(), &name);
        let (report, attempts) = play(&config, folder, &blueprint, &cassette).await?;
        let recorded = without_marks(cassette.attempts.clone());
        let replayed = without_marks(as_far_as_recorded(&recorded, comparable(&attempts)));
        // A replay that differs from the recording has no result to print.
        if replayed != recorded {
            let cause = report.failure().map(|failure| failure.message.as_str());
            return Err(Failure::Remote(difference(&recorded, &replayed, cause)));
        }
        let exit = report.of_no_store().print(arguments.json)?;
        let count = text::counted(attempts.len() as u64, "attempt");
        output::message(&format!("Replayed {count}; all match the recording.\n"));
        let changes = current::noted_changes(&config, &cassette);
        if !changes.is_empty() {
            let named = changes::named(&changes);
            output::message(&format!(
                "{} the agent has changed since the recording ({named}); pass --current to validate the recorded answers with it\n",
                "note:".cyan().bold()
            ));
        }
        Ok(exit)
    })
}

/// Runs an agent whose answers are in a folder, on a coordinator that knows nothing else.
async fn play(
    config: &Config,
    folder: &Path,
    blueprint: &Value,
    cassette: &Cassette,
) -> Result<(Report, Vec<Attempt>), Failure> {
    let name = blueprint.get("name").and_then(Value::as_str);
    let name = name.ok_or_else(|| Problem::new("the agent in the cassette has no name"))?;
    let mut request = request(name, cassette)?;
    // The project's own agents are left aside too: one of the same name would win over this one.
    let mut config = config.offline();
    // An agent only reads recordings in its own folder.
    config.values.runner.project_dir = folder.display().to_string();
    let store = crate::store::memory_store()?;
    let (embedded, client) = Embedded::start(&config, store, host::replaying_executors()).await?;
    let asked = match client.create_agent(blueprint).await {
        Ok(_) => match upload_recorded(&client, &cassette.files).await {
            Ok(files) => {
                request.files = files;
                ask(&client, &request, None, None).await
            }
            Err(error) => Err(error),
        },
        Err(error) => Err(error.into()),
    };
    embedded.end().await;
    asked
}

fn without_store((report, attempts): (Report, Vec<Attempt>)) -> (Report, Vec<Attempt>) {
    (report.of_no_store(), attempts)
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

/// The recorded blueprint, with the recording instead of its model.
fn replaying(mut blueprint: Value, cassette: &str) -> Value {
    if let Some(members) = blueprint.as_object_mut() {
        members.insert("executor".to_owned(), json!({"type": "replay", "cassette": cassette}));
        // Runner requirements come from the recorded run.
        members.remove("demands");
    }
    blueprint
}

/// Older recordings do not have the usage of an attempt and the source of its value.
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

/// Attempts without what only a replay has: the mark of its models, and the messages about an unreachable provider. They say
/// for how long, and a replay does not wait.
fn without_marks(mut attempts: Value) -> Value {
    for attempt in attempts.as_array_mut().into_iter().flatten() {
        let model = attempt.get("model").and_then(Value::as_str);
        if let Some(model) = model.and_then(|model| model.strip_suffix(REPLAYED)).map(str::to_owned) {
            set(attempt, "model", json!(model));
        }
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
