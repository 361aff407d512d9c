//! `accord replay --current`: the recorded answers, judged by the agent as it is now.

use std::path::Path;

use accord_api::{AgentView, Attempt, ErrorName, RunStatus};
use accord_client::Client;
use accord_executor::Cassette;
use serde::Serialize;
use serde_json::{Value, json};

use super::changes::{self, Change};
use crate::commands::record::{set, standing_alone};
use crate::commands::run::Report;
use crate::config::Config;
use crate::connection::{self, Access};
use crate::exit::Exit;
use crate::failure::{Failure, Problem};
use crate::view::{Tone, attempt};
use crate::{definitions, output};

/// The agent of the project that a recording is of.
pub(super) struct Current {
    pub(super) blueprint: Value,
    pub(super) changes: Vec<Change>,
}

impl Current {
    /// The agent as the project has it, with what its contract is now.
    pub(super) async fn of(config: &Config, cassette: &Cassette) -> Result<Self, Failure> {
        let name = name(&cassette.agent);
        let project = connection::reach(config, Access::Look).await?;
        let agent = agent(&project, name, &config.project).await?;
        let blueprint = live(agent, &cassette.agent);
        let blueprint = standing_alone(&project, name, blueprint, config).await?;
        let changes = changes::between(&cassette.agent, &blueprint);
        Ok(Self { blueprint, changes })
    }
}

/// How the recorded agent differs from the one in the project's files, if there is one.
pub(super) fn noted_changes(config: &Config, cassette: &Cassette) -> Vec<Change> {
    let name = name(&cassette.agent);
    let mut agents = definitions::of_project::<AgentView>(config).into_iter();
    let Some(agent) = agents.find(|agent| agent.summary.name == name && agent.summary.valid) else {
        return Vec::new();
    };
    let mut changes = changes::between(&cassette.agent, &live(agent.blueprint, &cassette.agent));
    // A recording contains the schema where the project's file has its name.
    changes.retain(|change| {
        let is_schema = ["output_schema", "default_output_schema"].contains(&change.path.as_str());
        !(is_schema && change.current.as_ref().is_some_and(Value::is_string))
    });
    changes
}

fn name(agent: &Value) -> &str {
    agent.get("name").and_then(Value::as_str).unwrap_or_default()
}

async fn agent(project: &Client, name: &str, folder: &Path) -> Result<Value, Failure> {
    match project.agent(name).await {
        Ok(agent) => Ok(agent.blueprint),
        Err(error) if error.is(ErrorName::AgentNotFound) => {
            let message = format!("the recorded agent '{name}' is not in the project {}", folder.display());
            Err(Problem::new(message).hint("pass its project with --dir, or omit --current").into())
        }
        Err(error) => Err(error.into()),
    }
}

/// An agent that answers from a recording has the settings of its model in there.
fn live(mut blueprint: Value, recorded: &Value) -> Value {
    let is_replay = blueprint.pointer("/executor/type").is_some_and(|kind| kind == "replay");
    if let Some(executor) = recorded.get("executor").filter(|_| is_replay) {
        set(&mut blueprint, "executor", executor.clone());
    }
    blueprint
}

/// What came of it. The names are part of the API.
#[derive(Serialize)]
struct Outcome<'a> {
    /// Whether a recorded answer meets the contract of the agent as it is now.
    conforms: bool,
    /// The reason, if there is no run that could report it.
    reason: Option<String>,
    changes: &'a [Change],
    run: Option<&'a Report>,
}

/// Says what has changed, and whether the recorded answers still do.
pub(super) fn report(
    current: &Current,
    asked: Result<(Report, Vec<Attempt>), Failure>,
    json: bool,
) -> Result<Exit, Failure> {
    let changes = &current.changes;
    output::message(&match changes.is_empty() {
        true => "The agent is as it was recorded.\n".to_owned(),
        false => format!("Changed since the recording:\n{}", changes::list(changes)),
    });
    let (report, attempts) = match asked {
        Ok(asked) => asked,
        Err(Failure::Problem(problem)) => {
            // The coordinator refused the recorded input, or the contract that its caller brought.
            let (reason, _) = problem.into_parts();
            output::message(&format!("{} {reason}\n", Tone::Bad.paint("The recorded run is refused:")));
            if json {
                output::json(&Outcome { conforms: false, reason: Some(reason), changes, run: None })?;
            }
            return Ok(Exit::ContractNotMet);
        }
        Err(failure) => return Err(failure),
    };
    let conforms = report.status() == RunStatus::Completed;
    if json {
        output::json(&Outcome { conforms, reason: None, changes, run: Some(&report) })?;
    } else if conforms {
        report.print(false)?;
    }
    if conforms {
        output::message("The recorded answer meets the current contract.\n");
        return Ok(Exit::Success);
    }
    for attempt in &attempts {
        let findings = attempt::findings(attempt, "  ");
        output::message(&format!("{} {}\n{findings}", Tone::Bad.paint("✗"), attempt::head(attempt)));
    }
    if attempts.is_empty() && !json {
        report.print(false)?;
    }
    output::message("No recorded answer meets the current contract; record it again with `accord record`.\n");
    Ok(Exit::ContractNotMet)
}

/// The current agent, answering from the recording in its order, whatever it asks.
pub(super) fn playing(blueprint: &Value, cassette: &str) -> Value {
    let mut blueprint = super::replaying(blueprint.clone(), cassette);
    if let Some(executor) = blueprint.get_mut("executor") {
        set(executor, "match", json!("order"));
    }
    blueprint
}
