//! `accord agents validate`.

use accord_api::{AgentSummary, AgentView, ErrorName, Problem as Finding, Severity};
use serde::Serialize;
use serde_json::Value;

use crate::config::Config;
use crate::connection::{self, Access};
use crate::exit::Exit;
use crate::failure::{Failure, Problem};
use crate::project::ProjectArguments;
use crate::view::agent;
use crate::view::text::line;
use crate::{file_selection, local_agents, output, runtime};

/// Validate agent files: fields, schemas, invariants
#[derive(Debug, clap::Args)]
#[command(after_help = "\
All errors are reported in one pass, with file, line and column. No coordinator is needed. A schema
that an agent names but that is not registered is a warning.
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
    let mut agents = chosen(&arguments.agents, &config)?;
    warn_of_unregistered(&mut agents, &config);
    let agents = local_agents::summaries(&agents);
    if agents.is_empty() {
        let message = format!("no agents found in {}", config.agents_dir().display());
        return Err(Problem::new(message).hint("create one with `accord agents new NAME`").into());
    }
    let passes =
        |agent: &AgentSummary| file_selection::passes(agent.valid, &agent.problems, arguments.deny_warnings);
    let valid = agents.iter().all(passes);
    if arguments.json {
        output::json(&Validated { valid, agents })?;
    } else {
        output::show(&report(&agents))?;
    }
    Ok(if valid { Exit::Success } else { Exit::Usage })
}

fn chosen(wanted: &[String], config: &Config) -> Result<Vec<AgentView>, Problem> {
    let known = local_agents::agents_of(config);
    if wanted.is_empty() {
        return Ok(known);
    }
    let find = |text: &String| {
        if let Some(agent) = known.iter().find(|agent| agent.summary.name == *text) {
            return Ok(agent.clone());
        }
        if let Some(path) = file_selection::path(text) {
            return local_agents::agent_at(path, config);
        }
        let names = known.iter().map(|agent| agent.summary.name.as_str());
        let none = "there are no agents; create one with `accord agents new NAME`";
        Err(file_selection::unknown("agent", text, &config.agents_dir(), names, none))
    };
    wanted.iter().map(find).collect()
}

/// The schema that a field of an agent names, where it does not hold one itself.
fn named<'a>(agent: &'a AgentView, field: &str) -> Option<&'a str> {
    agent.blueprint.get(field).and_then(Value::as_str)
}

/// Adds a warning for each schema that is named and not registered in the project's database. Where that cannot be read, nothing
/// is known of it.
fn warn_of_unregistered(agents: &mut [AgentView], config: &Config) {
    const FIELDS: [&str; 2] = ["output_schema", "default_output_schema"];
    let names: Vec<String> = agents
        .iter()
        .flat_map(|agent| FIELDS.iter().filter_map(|field| named(agent, field)))
        .map(str::to_owned)
        .collect();
    if names.is_empty() {
        return;
    }
    let missing = runtime::block_on(async {
        let client = connection::reach(config, Access::Look).await?;
        let mut missing = Vec::new();
        for name in names {
            match client.schema(&name).await {
                Ok(_) => {}
                Err(error) if error.is(ErrorName::SchemaNotFound) => missing.push(name),
                Err(error) => return Err(error.into()),
            }
        }
        Ok(missing)
    });
    let missing = missing.unwrap_or_default();
    for agent in agents {
        for field in FIELDS {
            let Some(name) = named(agent, field).filter(|name| missing.iter().any(|each| each == name))
            else {
                continue;
            };
            let message = format!(
                "schema '{name}' is not registered; register it with `accord schemas add {name} FILE`"
            );
            agent.summary.problems.push(Finding {
                severity: Severity::Warning,
                path: format!("$.{field}"),
                message,
                file: agent.file.clone(),
                line: None,
                column: None,
            });
        }
    }
}

fn report(agents: &[AgentSummary]) -> String {
    let entry = |agent: &AgentSummary| {
        let (tone, verdict) = agent::verdict(agent);
        format!("{}  {}\n{}", tone.paint(&verdict), line(&agent.name), agent::problems(&agent.problems))
    };
    agents.iter().map(entry).collect()
}
