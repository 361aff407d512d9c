//! The settings of executors.

use std::path::{Component, Path};

use accord_contract::Place;
use accord_contract::lower::Profile;
use accord_domain::agent::{Cli, Command, Executor, External, Llm, ProcessArguments, Replay};

use super::super::finding::Findings;

/// How a command gets its parameters.
const MODES: [&str; 3] = ["json", "flags", "both"];

/// How freely a model may be asked to answer: the widest range of any provider.
const HIGHEST_TEMPERATURE: f64 = 2.0;

pub(super) fn check(executor: &Executor, findings: &mut Findings) {
    match executor {
        Executor::Llm(settings) => llm(settings, findings),
        Executor::ClaudeCode(settings) | Executor::Codex(settings) => cli(settings, findings),
        Executor::Process(settings) => command(settings, findings),
        Executor::External(settings) => external(settings, findings),
        Executor::Replay(settings) => replay(settings, findings),
    }
}

fn at(field: &str) -> Place {
    Place::root().key("executor").key(field)
}

fn not_empty(field: &str, text: &str, findings: &mut Findings) {
    if text.trim().is_empty() {
        findings.error(at(field), format!("the {field} cannot be empty"));
    }
}

fn timeout(seconds: Option<u64>, findings: &mut Findings) {
    if seconds == Some(0) {
        findings.error(at("timeout_seconds"), "0 seconds leave no time to work; leave it out for no limit");
    }
}

fn llm(settings: &Llm, findings: &mut Findings) {
    not_empty("provider", &settings.provider, findings);
    not_empty("model", &settings.model, findings);
    timeout(settings.timeout_seconds, findings);
    if settings
        .base_url
        .as_ref()
        .is_some_and(|url| !url.starts_with("http://") && !url.starts_with("https://"))
    {
        findings.error(at("base_url"), "the address must begin with http:// or https://");
    }
    if let Some(unknown) = settings.schema_profile.as_ref().filter(|name| Profile::named(name).is_none()) {
        let known: Vec<&str> = Profile::all().iter().map(|profile| profile.name.as_str()).collect();
        findings.error(at("schema_profile"), format!("'{unknown}' is not one of {}", known.join(", ")));
    }
    if settings.max_tokens == Some(0) {
        findings.error(at("max_tokens"), "0 tokens leave no room for an answer");
    }
    if settings.temperature.is_some_and(|degree| !(0.0..=HIGHEST_TEMPERATURE).contains(&degree)) {
        findings.error(at("temperature"), format!("the temperature must be from 0 to {HIGHEST_TEMPERATURE}"));
    }
}

fn cli(settings: &Cli, findings: &mut Findings) {
    if let Some(model) = &settings.model {
        not_empty("model", model, findings);
    }
    if let Some(command) = &settings.command {
        not_empty("command", command, findings);
    }
    timeout(settings.timeout_seconds, findings);
}

fn command(settings: &Command, findings: &mut Findings) {
    not_empty("command", &settings.command, findings);
    timeout(settings.timeout_seconds, findings);
    let by_arguments = match &settings.args {
        Some(ProcessArguments::Mode(mode)) => Some(mode),
        _ => None,
    };
    for (field, mode) in [("args", by_arguments), ("parameters_as", settings.parameters_as.as_ref())] {
        if let Some(mode) = mode.filter(|mode| !MODES.contains(&mode.as_str())) {
            findings.error(at(field), format!("'{mode}' is not one of {}", MODES.join(", ")));
        }
    }
    if by_arguments.is_some()
        && settings.parameters_as.is_some()
        && by_arguments != settings.parameters_as.as_ref()
    {
        findings
            .error(at("parameters_as"), "'args' says how the parameters are given already, and otherwise");
    }
    working_dir(settings.working_dir.as_deref(), findings);
}

fn external(settings: &External, findings: &mut Findings) {
    not_empty("command", &settings.command, findings);
    timeout(settings.timeout_seconds, findings);
    working_dir(settings.working_dir.as_deref(), findings);
}

fn working_dir(folder: Option<&str>, findings: &mut Findings) {
    if let Some(folder) = folder {
        let inside = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
        if folder.is_empty() || !Path::new(folder).components().all(inside) {
            let message = format!("'{folder}' must be a folder inside the project, without '..'");
            findings.error(at("working_dir"), message);
        }
    }
}

fn replay(settings: &Replay, findings: &mut Findings) {
    not_empty("cassette", &settings.cassette, findings);
    if let Some(other) = settings.matching.as_ref().filter(|how| !["exact", "order"].contains(&how.as_str()))
    {
        findings.error(at("match"), format!("'{other}' is not one of exact, order"));
    }
}
