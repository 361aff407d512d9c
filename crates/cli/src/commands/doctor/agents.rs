//! Whether the agents can be used.

use std::path::Path;

use accord_api::{AgentSummary, Severity};

use super::Check;
use crate::view::words::counted;

const NAME: &str = "agents";

pub(super) fn checks(agents: &[AgentSummary], folder: &Path) -> Vec<Check> {
    if let Err(error) = std::fs::read_dir(folder)
        && error.kind() != std::io::ErrorKind::NotFound
    {
        let message = format!("{} cannot be read: {error}", folder.display());
        return vec![Check::fail(NAME, message, "check what it is, its owner and its mode")];
    }
    if agents.is_empty() {
        let message = format!("there is none in {}", folder.display());
        return vec![Check::warn(NAME, message, "accord init writes examples, accord agents new NAME one")];
    }
    let bad: Vec<Check> = agents.iter().filter_map(of_agent).collect();
    let broken = agents.iter().filter(|agent| !agent.valid).count();
    let good = counted((agents.len() - broken) as u64, "agent");
    let mut checks = vec![Check::ok(NAME, format!("{good} can be used"))];
    checks.extend(bad);
    checks
}

fn of_agent(agent: &AgentSummary) -> Option<Check> {
    let wanted = if agent.valid { Severity::Warning } else { Severity::Error };
    let mut problems = agent.problems.iter().filter(|problem| problem.severity == wanted);
    let first = problems.next()?;
    let more = match problems.count() {
        0 => String::new(),
        count => format!(" (and {count} more)"),
    };
    let message = format!("{}: {}{more}", agent.name, first.message);
    let remedy = format!("accord agents validate {} says where", agent.name);
    Some(match agent.valid {
        true => Check::warn(NAME, message, remedy),
        false => Check::fail(NAME, message, remedy),
    })
}
