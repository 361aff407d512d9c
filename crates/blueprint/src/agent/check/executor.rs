//! Checks the settings of executors.

use std::path::{Component, Path};

use accord_contract::JsonPath;
use accord_contract::lower::Profile;
use accord_domain::agent::{Acp, Cli, Command, Executor, External, Llm, ProcessArguments, Replay, TIER};
use accord_domain::nearest;
use accord_domain::provider::{Capability, ProviderKind};
use serde_json::Value;

use super::{program, url};
use crate::finding::Findings;
use crate::shape::described;

/// How parameters are passed to a command.
const MODES: [&str; 3] = ["json", "flags", "both"];

/// The widest range of any provider.
const MAX_TEMPERATURE: f64 = 2.0;

pub(super) fn check(executor: &Executor, findings: &mut Findings) {
    match executor {
        Executor::Llm(settings) => llm(settings, &JsonPath::root().key("executor"), findings),
        Executor::ClaudeCode(settings) | Executor::Codex(settings) => cli(settings, findings),
        Executor::Acp(settings) => acp(settings, findings),
        Executor::Process(settings) => command(settings, findings),
        Executor::External(settings) => external(settings, findings),
        Executor::Human(_) => {}
        Executor::Replay(settings) => replay(settings, findings),
    }
}

pub(super) fn at(field: &str) -> JsonPath {
    JsonPath::root().key("executor").key(field)
}

pub(super) fn not_empty(field: &str, text: &str, findings: &mut Findings) {
    filled(&JsonPath::root().key("executor"), field, text, findings);
}

fn filled(place: &JsonPath, field: &str, text: &str, findings: &mut Findings) {
    if text.trim().is_empty() {
        findings.error(place.key(field), format!("the {field} is empty"));
    }
}

/// Checks the settings of a model provider at this place.
pub(super) fn llm(settings: &Llm, place: &JsonPath, findings: &mut Findings) {
    provider(settings, place, findings);
    filled(place, "model", &settings.model, findings);
    if settings.timeout_seconds == Some(0) {
        findings.error(place.key("timeout_seconds"), "expected more than 0 seconds; omit it for no limit");
    }
    if let Some(message) = settings.base_url.as_deref().and_then(url::url_error) {
        findings.error(place.key("base_url"), message);
    }
    if let Some(unknown) = settings.schema_profile.as_ref().filter(|name| Profile::named(name).is_none()) {
        let known: Vec<&str> = Profile::all().iter().map(|profile| profile.name.as_str()).collect();
        findings.error(
            place.key("schema_profile"),
            format!("expected one of {}, got '{unknown}'", known.join(", ")),
        );
    }
    if settings.max_tokens == Some(0) {
        findings.error(place.key("max_tokens"), "expected at least 1 token, got 0");
    }
    if let Some(degree) = settings.temperature.filter(|degree| !(0.0..=MAX_TEMPERATURE).contains(degree)) {
        let message = format!("expected a temperature from 0 to {MAX_TEMPERATURE}, got {degree}");
        findings.error(place.key("temperature"), message);
    }
    reasoning(settings, place, findings);
}

fn provider(settings: &Llm, place: &JsonPath, findings: &mut Findings) {
    filled(place, "provider", &settings.provider, findings);
    let provider = settings.provider.as_str();
    let kind = ProviderKind::named(provider);
    let has_no_address = |kind: ProviderKind| kind.row().base_url.or(kind.row().base_url_variable).is_none();
    if kind.is_some_and(has_no_address) && settings.base_url.is_none() {
        let message = format!(
            "'{provider}' has no default URL: set 'base_url' here, or in [providers.{provider}] of the runner's configuration"
        );
        findings.warning(place.key("base_url"), message);
    }
    // Runners may have configured others, which are not known here.
    if !provider.trim().is_empty() && kind.is_none() && provider != TIER {
        let meant = nearest(provider, ProviderKind::ALL.map(ProviderKind::name))
            .map(|name| format!("; did you mean '{name}'?"));
        let message = format!(
            "'{provider}' is not a built-in provider: it requires a runner with [providers.{provider}] in its configuration{}",
            meant.unwrap_or_default()
        );
        findings.warning(place.key("provider"), message);
    }
}

fn reasoning(settings: &Llm, place: &JsonPath, findings: &mut Findings) {
    let Some(value) = &settings.reasoning else { return };
    let kind = ProviderKind::named(&settings.provider);
    let takes_temperature = kind.is_none_or(|kind| kind.supports(Capability::TemperatureWithReasoning));
    match enables_reasoning(value) {
        None => {
            let message = format!(
                "expected off, low, medium, high, true, false, or a number of tokens from 1 to {1}; got {0}",
                described(value),
                u32::MAX
            );
            findings.error(place.key("reasoning"), message);
        }
        Some(true) if settings.temperature.is_some() && !takes_temperature => {
            let message =
                "this provider does not support 'temperature' together with 'reasoning'; remove one";
            findings.error(place.key("temperature"), message);
        }
        Some(_) => {}
    }
}

/// Whether a setting of `reasoning` enables it, or `None` if it is invalid.
fn enables_reasoning(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(on) => Some(*on),
        Value::String(word) => match word.as_str() {
            "off" => Some(false),
            "low" | "medium" | "high" => Some(true),
            _ => None,
        },
        other => {
            let budget = other.as_u64().and_then(|tokens| u32::try_from(tokens).ok());
            budget.filter(|tokens| *tokens > 0).map(|_| true)
        }
    }
}

fn cli(settings: &Cli, findings: &mut Findings) {
    for (field, text) in [("model", &settings.model), ("command", &settings.command)] {
        if let Some(text) = text {
            not_empty(field, text, findings);
            program::no_option(at(field), text, findings);
        }
    }
    allowed_tools(settings.allowed_tools.as_deref(), findings);
    program::timeout(settings.timeout_seconds, findings);
    program::arguments(&settings.args, findings);
    program::variables(&settings.env, findings);
}

fn allowed_tools(tools: Option<&[String]>, findings: &mut Findings) {
    for (index, tool) in tools.into_iter().flatten().enumerate() {
        let place = at("allowed_tools").index(index);
        if tool.trim().is_empty() {
            findings.error(place, "tool name is empty");
        } else {
            program::no_option(place, tool, findings);
        }
    }
}

fn acp(settings: &Acp, findings: &mut Findings) {
    let Acp { command, model, auth_method, env, allowed_tools: tools, timeout_seconds } = settings;
    match command.split_first() {
        None => {
            findings
                .error(at("command"), "expected the agent and its arguments, for example [gemini, --acp]");
        }
        Some((executable, _)) if executable.trim().is_empty() => {
            findings.error(at("command").index(0), "the command is empty");
        }
        Some((executable, _)) => program::no_option(at("command").index(0), executable, findings),
    }
    for (index, argument) in command.iter().enumerate().skip(1) {
        program::no_nul(at("command").index(index), argument, findings);
    }
    for (field, text) in [("model", model), ("auth_method", auth_method)] {
        if let Some(text) = text {
            not_empty(field, text, findings);
        }
    }
    allowed_tools(tools.as_deref(), findings);
    program::timeout(*timeout_seconds, findings);
    program::variables(env, findings);
}

fn command(settings: &Command, findings: &mut Findings) {
    program::command(&settings.command, findings);
    program::timeout(settings.timeout_seconds, findings);
    program::variables(&settings.env, findings);
    if let Some(ProcessArguments::List(arguments)) = &settings.args {
        program::arguments(arguments, findings);
    }
    let by_arguments = match &settings.args {
        Some(ProcessArguments::Mode(mode)) => Some(mode),
        _ => None,
    };
    for (field, mode) in [("args", by_arguments), ("parameters_as", settings.parameters_as.as_ref())] {
        if let Some(mode) = mode.filter(|mode| !MODES.contains(&mode.as_str())) {
            findings.error(at(field), format!("expected one of {}, got '{mode}'", MODES.join(", ")));
        }
    }
    if by_arguments.is_some()
        && settings.parameters_as.is_some()
        && by_arguments != settings.parameters_as.as_ref()
    {
        findings.error(
            at("parameters_as"),
            "'args' already specifies how parameters are passed, and differently",
        );
    }
    working_dir(settings.working_dir.as_deref(), findings);
}

fn external(settings: &External, findings: &mut Findings) {
    program::command(&settings.command, findings);
    program::timeout(settings.timeout_seconds, findings);
    program::arguments(&settings.args, findings);
    program::variables(&settings.env, findings);
    working_dir(settings.working_dir.as_deref(), findings);
}

fn working_dir(folder: Option<&str>, findings: &mut Findings) {
    if let Some(folder) = folder
        && (folder.is_empty() || folder.contains('\0') || !is_inside(folder))
    {
        let message = format!("expected a folder inside the project, without '..'; got '{folder}'");
        findings.error(at("working_dir"), message);
    }
}

/// Whether a relative path stays inside its folder.
fn is_inside(path: &str) -> bool {
    let inside = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
    Path::new(path).components().all(inside)
}

fn replay(settings: &Replay, findings: &mut Findings) {
    not_empty("cassette", &settings.cassette, findings);
    if settings.cassette.contains('\0') || !is_inside(&settings.cassette) {
        let message = format!(
            "expected a file path inside the project folder, relative to it and without '..'; got {:?}",
            settings.cassette
        );
        findings.error(at("cassette"), message);
    }
    if let Some(other) = settings.matching.as_ref().filter(|how| !["exact", "order"].contains(&how.as_str()))
    {
        findings.error(at("match"), format!("expected exact or order, got '{other}'"));
    }
}
