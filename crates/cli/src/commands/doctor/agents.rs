//! Whether the agents can be used.

use std::path::Path;

use accord_api::{AgentSummary, AgentView, PageQuery, Problem, Severity, Source};
use accord_client::Client;

use super::check::Check;
use crate::view::text::counted;

const NAME: &str = "agents";

pub(super) fn checks(agents: &[AgentSummary], folder: &Path) -> Vec<Check> {
    if let Err(error) = std::fs::read_dir(folder)
        && error.kind() != std::io::ErrorKind::NotFound
    {
        let message = format!("cannot read {}: {error}", folder.display());
        return vec![Check::fail(NAME, message, "check that it is a folder, its owner and its permissions")];
    }
    if agents.is_empty() {
        let message = format!("none found in {}", folder.display());
        let remedy = "create one with `accord agents new NAME`, or get examples with `accord init`";
        return vec![Check::warn(NAME, message, remedy)];
    }
    let bad: Vec<Check> = agents.iter().filter_map(of_agent).collect();
    let broken = agents.iter().filter(|agent| !agent.valid).count();
    let good = counted((agents.len() - broken) as u64, "agent");
    let mut checks = vec![Check::ok(NAME, format!("{good} valid"))];
    checks.extend(bad);
    checks
}

/// The agents in the store of the coordinator that runs. Files win over them, so those of the same name are not among them.
pub(super) async fn stored(coordinator: Option<&Client>) -> Vec<AgentSummary> {
    let Some(client) = coordinator else { return Vec::new() };
    // A key without read access is reported with the coordinator.
    let page = client.agents(&[], &PageQuery::default()).await;
    let agents = page.map(|page| page.items).unwrap_or_default();
    agents.into_iter().filter(|agent| agent.source == Source::Store).collect()
}

fn of_agent(agent: &AgentSummary) -> Option<Check> {
    let look = if agent.source == Source::Store { "show" } else { "validate" };
    let remedy = format!("run `accord agents {look} {}` for details", agent.name);
    verdict(NAME, &agent.name, agent.valid, &agent.problems, remedy)
}

/// The first of what is wrong with an agent or a workflow.
pub(super) fn verdict(
    check: &'static str,
    name: &str,
    valid: bool,
    problems: &[Problem],
    remedy: String,
) -> Option<Check> {
    let wanted = if valid { Severity::Warning } else { Severity::Error };
    let mut problems = problems.iter().filter(|problem| problem.severity == wanted);
    let first = problems.next()?;
    let more = match problems.count() {
        0 => String::new(),
        count => format!(" (and {count} more)"),
    };
    let message = format!("{name}: {}{more}", first.message);
    Some(match valid {
        true => Check::warn(check, message, remedy),
        false => Check::fail(check, message, remedy),
    })
}

/// Recordings that are not where their agents look for them. A runner elsewhere may have them.
pub(super) fn cassettes(agents: &[AgentView], folder: &Path) -> Vec<Check> {
    let missing = |agent: &AgentView| {
        let cassette = agent.blueprint.get("executor")?.get("cassette")?.as_str()?;
        let file = folder.join(cassette);
        let message = format!("{}: cassette {} does not exist", agent.summary.name, file.display());
        let remedy =
            "restore it, or give the agent its llm executor and record it again with `accord record`";
        (!file.exists()).then(|| Check::warn(NAME, message, remedy))
    };
    agents.iter().filter(|agent| agent.summary.valid).filter_map(missing).collect()
}
