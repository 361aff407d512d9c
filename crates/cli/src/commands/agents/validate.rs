//! `accord agents validate`.

use accord_api::{AgentView, ErrorName, Problem as Finding, Severity};
use serde_json::Value;

use crate::config::Config;
use crate::connection::{self, Access};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::project::ProjectArguments;
use crate::{definitions, runtime};

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

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    let Arguments { agents, deny_warnings, json, project } = arguments;
    definitions::validate(project, agents, *deny_warnings, *json, warn_of_unregistered)
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
