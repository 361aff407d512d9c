//! Checks what the types of a blueprint cannot express: names, ranges, schemas that compile, parts that fit each other.

mod contract;
mod executor;
mod flags;
mod program;
mod servers;
mod url;

use accord_contract::{Condition, JsonPath};
use accord_domain::agent::{
    Approval, BUILT_IN_TOOLS, Blueprint, Executor, Fallback, KnownTools, Retry, ToolPattern, Type,
};
use accord_domain::nearest;

use super::contracts::Contracts;
use super::read::Readable;
use crate::finding::Findings;
use crate::labels::unmeetable;
use crate::name::{Named, new_name_error};

/// Retries of an agent's own contract if it does not say how many.
pub const BLUEPRINT_RETRIES: u32 = 1;

/// Checks a blueprint, and returns the contracts that compile.
pub(super) fn check(read: &Readable, findings: &mut Findings) -> Contracts {
    let blueprint = &read.blueprint;
    names(blueprint, findings);
    if read.executor_is_known {
        executor::check(&blueprint.executor, findings);
        depends_on_executor(blueprint, findings);
        demands(blueprint, findings);
        named_tools(blueprint, findings);
    }
    tools(blueprint, findings);
    approvals(blueprint, findings);
    flags::check(blueprint, findings);
    servers::check(blueprint, read.executor_is_known, findings);
    limits(blueprint, findings);
    retry(blueprint, findings);
    contract::check(blueprint, findings)
}

fn names(blueprint: &Blueprint, findings: &mut Findings) {
    if let Some(message) = new_name_error(Named::Agent, &blueprint.name) {
        findings.error(JsonPath::root().key("name"), message);
    }
    for (index, tag) in blueprint.tags.iter().enumerate() {
        if tag.is_empty() || tag.contains(',') {
            let place = JsonPath::root().key("tags").index(index);
            findings.error(place, format!("invalid tag {tag:?}: it is empty or contains a comma"));
        }
    }
}

/// Checks the parts that depend on the executor.
fn depends_on_executor(blueprint: &Blueprint, findings: &mut Findings) {
    let kind = blueprint.executor.kind();
    let at = JsonPath::root().key("type");
    match (blueprint.kind, &blueprint.executor) {
        // A recording can be of either type.
        (_, Executor::Replay(_)) => {}
        (Type::Procedural, Executor::Process(_)) => {}
        (Type::Autonomous, Executor::Process(_)) => {
            findings.error(at, "a process executor requires 'type: procedural'");
        }
        (Type::Procedural, _) => {
            let message = format!(
                "a procedural agent requires an executor of type process, got {kind}; use 'type: autonomous' for a model"
            );
            findings.error(at, message);
        }
        (Type::Autonomous, _) => {}
    }
    // A recording may contain answers of fallback models.
    let has_models = matches!(
        blueprint.executor,
        Executor::Llm(_)
            | Executor::ClaudeCode(_)
            | Executor::Codex(_)
            | Executor::Acp(_)
            | Executor::Replay(_)
    );
    let models = JsonPath::root().key("escalate_to");
    if !blueprint.escalate_to.is_empty() && !has_models {
        findings.error(models.clone(), format!("an executor of type {kind} has no fallback models"));
    }
    for (index, fallback) in blueprint.escalate_to.iter().enumerate() {
        match fallback {
            Fallback::Model(model) if model.trim().is_empty() => {
                findings.error(models.index(index), "model name is empty");
            }
            Fallback::Model(_) => {}
            Fallback::Llm(settings) => {
                executor::llm(settings, &models.index(index), findings);
                if !matches!(blueprint.executor, Executor::Llm(_) | Executor::Replay(_)) {
                    let message = format!(
                        "an executor of type {kind} cannot change its provider; name a model instead"
                    );
                    findings.error(models.index(index), message);
                }
            }
        }
    }
    unreachable_models(blueprint, &models, findings);
    tools_of_executor(blueprint, findings);
}

/// Warns about fallback models that no retry is left for. The retries of a caller's contract are not known here.
fn unreachable_models(blueprint: &Blueprint, place: &JsonPath, findings: &mut Findings) {
    let configured = blueprint.output_schema_options.as_ref().and_then(|options| options.max_retries);
    let retries = configured.unwrap_or(BLUEPRINT_RETRIES);
    let models = &blueprint.escalate_to;
    let reached = usize::try_from(retries).unwrap_or(usize::MAX);
    if let (Some(_), Some(fallback)) = (&blueprint.output_schema, models.get(reached)) {
        let message = format!(
            "'{}' is used only if a model refuses or a provider fails: after an answer that does not conform, each fallback model needs a retry, and output_schema_options.max_retries is {retries}; raise it to {}, or remove models",
            fallback.model(),
            models.len()
        );
        findings.warning(place.index(reached), message);
    }
}

/// Checks the built-in tools of an executor that does not run Accord's own loop.
fn tools_of_executor(blueprint: &Blueprint, findings: &mut Findings) {
    if blueprint.tools.is_empty() {
        return;
    }
    let kind = blueprint.executor.kind();
    let at = JsonPath::root().key("tools");
    let lists = |wanted: &str| blueprint.tools.iter().position(|tool| tool == wanted);
    match &blueprint.executor {
        // A recording offers the tools that the recorded agent had.
        Executor::Llm(_) | Executor::Replay(_) => {}
        Executor::Process(_) | Executor::External(_) | Executor::Acp(_) | Executor::Human(_) => {
            let message = format!("an executor of type {kind} does not support built-in tools; remove them");
            findings.error(at, message);
        }
        Executor::ClaudeCode(_) => {
            if let Some(index) = lists("run_command") {
                let message = "run_command is Claude Code's Bash here: it is not confined to the project folder and sees the runner's environment variables; to allow only some commands, list them in allowed_tools";
                findings.warning(at.index(index), message);
            }
        }
        Executor::Codex(_) => {
            let writes = lists("write_file").or(lists("run_command")).is_some();
            let reach = match writes {
                true => "writes to the project folder, '.accord' too, and to temporary ones",
                false => "writes nothing",
            };
            let message = format!(
                "Codex uses its own shell instead of these tools: it can read every file that the runner's user can, and {reach}"
            );
            findings.warning(at, message);
        }
    }
}

/// Rejects requirements that no runner with the agent's executor meets.
fn demands(blueprint: &Blueprint, findings: &mut Findings) {
    let kind = blueprint.executor.kind();
    if let Some(other) = blueprint.demands.executor_type.as_ref().filter(|demanded| *demanded != kind) {
        let message = format!(
            "the agent's executor is of type {kind}, so no runner matches a requirement of '{other}'; remove this"
        );
        findings.error(JsonPath::root().key("demands").key("executor_type"), message);
    }
    if let Some((field, name, reason)) = unmeetable(&blueprint.demands) {
        let message = format!("invalid name {name:?}: {reason}");
        findings.error(JsonPath::root().key("demands").key(field), message);
    }
}

/// The variable of the rules of `approve`.
const ARGUMENTS: &str = "arguments";

/// Checks the rules of `approve`.
fn approvals(blueprint: &Blueprint, findings: &mut Findings) {
    for (index, approval) in blueprint.approve.iter().enumerate() {
        if let Approval::Rule(rule) = approval
            && let Err(error) = Condition::compile(&rule.when, &[ARGUMENTS])
        {
            findings.error(JsonPath::root().key("approve").index(index).key("when"), error.to_string());
        }
    }
}

/// Checks that every entry that names a tool means one. A misspelled one would be about no call, and let it pass.
fn named_tools(blueprint: &Blueprint, findings: &mut Findings) {
    let known = KnownTools::of(blueprint);
    let at = |field: &str| JsonPath::root().key(field);
    let approve = blueprint.approve.iter().enumerate();
    let approve = approve.map(|(index, approval)| (at("approve").index(index), approval.tool()));
    let effects = blueprint.effects.keys().map(|tool| (at("effects").key(&tool.to_string()), tool));
    for (place, tool) in approve.chain(effects) {
        if ToolPattern::is_empty(tool) {
            findings.error(place, "the name of the tool is empty");
        } else if let Err(error) = known.check(tool) {
            findings.error(place, error.to_string());
        }
    }
    let allowed = match &blueprint.executor {
        Executor::ClaudeCode(settings) | Executor::Codex(settings) => settings.allowed_tools.as_deref(),
        _ => None,
    };
    let kind = blueprint.executor.executor_kind();
    for (index, tool) in allowed.into_iter().flatten().enumerate().filter(|(_, tool)| !tool.trim().is_empty())
    {
        let servers = blueprint.mcp_servers.keys().map(String::as_str);
        if let Err(error) = KnownTools::check_allowed(kind, servers, tool) {
            findings.error(executor::at("allowed_tools").index(index), error.to_string());
        }
    }
}

fn tools(blueprint: &Blueprint, findings: &mut Findings) {
    for (index, tool) in blueprint.tools.iter().enumerate() {
        let place = JsonPath::root().key("tools").index(index);
        let names = BUILT_IN_TOOLS.map(|(name, _)| name);
        if !names.contains(&tool.as_str()) {
            let message = match nearest(tool, names) {
                Some(meant) => format!("unknown built-in tool '{tool}'; did you mean '{meant}'?"),
                None => format!("unknown built-in tool '{tool}'; expected {}", names.join(", ")),
            };
            findings.error(place, message);
        } else if blueprint.tools.iter().take(index).any(|other| other == tool) {
            findings.warning(place, format!("duplicate tool '{tool}'"));
        }
    }
}

fn retry(blueprint: &Blueprint, findings: &mut Findings) {
    let at = |field| JsonPath::root().key("retry").key(field);
    let Retry { for_seconds, max_attempts } = blueprint.retry;
    if let Some(seconds) = for_seconds.filter(|seconds| *seconds > Retry::MOST_SECONDS) {
        let most = Retry::MOST_SECONDS;
        findings.error(at("for_seconds"), format!("expected 0 to {most} seconds, got {seconds}"));
    }
    if max_attempts == Some(0) {
        findings.error(at("max_attempts"), "expected 1 or more, got 0; 1 means no repeats");
    }
}

fn limits(blueprint: &Blueprint, findings: &mut Findings) {
    let at = |field| JsonPath::root().key("limits").key(field);
    let limits = &blueprint.limits;
    let zero = "expected more than 0; omit it for no limit";
    if limits.max_steps == Some(0) {
        findings.error(at("max_steps"), zero);
    }
    if limits.max_tokens_total == Some(0) {
        findings.error(at("max_tokens_total"), zero);
    }
    if limits.timeout_seconds == Some(0) {
        findings.error(at("timeout_seconds"), zero);
    }
    if limits.max_cost_usd.is_some_and(|cost| cost.is_nan() || cost <= 0.0) {
        findings.error(at("max_cost_usd"), "expected more than 0; omit it for no limit");
    }
    let unknown_cost = match blueprint.executor {
        Executor::Codex(_) => {
            Some("Codex does not report its cost, so it cannot be limited; use max_tokens_total")
        }
        Executor::Acp(_) => {
            Some("an ACP agent need not report its cost, so it cannot be limited; use timeout_seconds")
        }
        _ => None,
    };
    if let Some(message) = unknown_cost.filter(|_| limits.max_cost_usd.is_some()) {
        findings.error(at("max_cost_usd"), message);
    }
}
