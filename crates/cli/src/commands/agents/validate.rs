//! `accord agents validate`.

use accord_api::AgentSummary;
use serde::Serialize;

use crate::config::Config;
use crate::exit::Exit;
use crate::failure::{Failure, Problem};
use crate::project::ProjectArguments;
use crate::view::agent;
use crate::view::words::line;
use crate::{local, output, validated};

/// Validate agent files: fields, schemas, invariants
#[derive(Debug, clap::Args)]
#[command(after_help = "\
All errors are reported in one pass, with file, line and column. No coordinator is needed.
Exit codes: 0 all are valid, 1 one is invalid, or has a warning with --deny-warnings.

Examples:
  accord agents validate
  accord agents validate ticket-triage
  accord agents validate --deny-warnings agents/*/agent.yaml")]
pub(crate) struct Arguments {
    /// Agent names, files or folders [default: all agents of the project]
    #[arg(value_name = "NAME|FILE")]
    agents: Vec<String>,
    /// Treat warnings as errors
    #[arg(long)]
    deny_warnings: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    project: ProjectArguments,
}

#[derive(Serialize)]
struct Validated {
    valid: bool,
    agents: Vec<AgentSummary>,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    let config = Config::load(&arguments.project.find()?, Vec::new())?;
    let agents = chosen(&arguments.agents, &config)?;
    if agents.is_empty() {
        let message = format!("no agents found in {}", config.agents_dir().display());
        return Err(Problem::new(message).hint("create one with `accord agents new NAME`").into());
    }
    let passes =
        |agent: &AgentSummary| validated::passes(agent.valid, &agent.problems, arguments.deny_warnings);
    let valid = agents.iter().all(passes);
    if arguments.json {
        output::json(&Validated { valid, agents })?;
    } else {
        output::show(&report(&agents))?;
    }
    Ok(if valid { Exit::Success } else { Exit::Usage })
}

fn chosen(wanted: &[String], config: &Config) -> Result<Vec<AgentSummary>, Problem> {
    let known = local::summaries(&local::agents_of(config));
    if wanted.is_empty() {
        return Ok(known);
    }
    let find = |text: &String| {
        if let Some(agent) = known.iter().find(|agent| agent.name == *text) {
            return Ok(agent.clone());
        }
        if let Some(path) = validated::path(text) {
            return local::agent_at(path, config).map(|agent| agent.summary);
        }
        let names = known.iter().map(|agent| agent.name.as_str());
        let none = "there are no agents; create one with `accord agents new NAME`";
        Err(validated::unknown("agent", text, &config.agents_dir(), names, none))
    };
    wanted.iter().map(find).collect()
}

fn report(agents: &[AgentSummary]) -> String {
    let entry = |agent: &AgentSummary| {
        let (tone, verdict) = agent::verdict(agent);
        format!("{}  {}\n{}", tone.paint(&verdict), line(&agent.name), agent::problems(&agent.problems))
    };
    agents.iter().map(entry).collect()
}
