//! `accord workflow validate`.

use std::path::Path;

use accord_api::{Severity, WorkflowSummary, WorkflowView};
use serde::Serialize;

use super::examine::workflows_in;
use crate::config::Config;
use crate::exit::Exit;
use crate::failure::{Failure, Problem};
use crate::project::ProjectArguments;
use crate::view::workflow;
use crate::{output, runtime};

/// Examine workflow files: shape, agents, templates, conditions, contracts
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Every mistake is told at once, with file, line and column. No coordinator is needed: agents are
looked for in the files of the project.
Exit codes: 0 all can be run, 1 one cannot, or a warning with --deny-warnings.

Examples:
  accord workflow validate
  accord workflow validate code-review
  accord workflow validate --deny-warnings drafts/review.yaml")]
pub(crate) struct Arguments {
    /// Names of workflows, or their files [default: all of the project]
    #[arg(value_name = "NAME|FILE")]
    workflows: Vec<String>,
    /// Fail on warnings too
    #[arg(long)]
    deny_warnings: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    project: ProjectArguments,
}

#[derive(Serialize)]
struct Validated {
    valid: bool,
    workflows: Vec<WorkflowSummary>,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    let config = Config::load(&arguments.project.find()?, Vec::new())?;
    let found = runtime::block_on(chosen(&config, &arguments.workflows))?;
    if found.is_empty() {
        let message = format!("there is no workflow in {}", config.workflows_dir().display());
        return Err(Problem::new(message).hint("a workflow is a file NAME.yaml or NAME.json there").into());
    }
    let workflows: Vec<WorkflowSummary> = found.into_iter().map(|workflow| workflow.summary).collect();
    let stays = |workflow: &WorkflowSummary| {
        let warned = workflow.problems.iter().any(|problem| problem.severity == Severity::Warning);
        workflow.valid && !(arguments.deny_warnings && warned)
    };
    let valid = workflows.iter().all(stays);
    if arguments.json {
        output::json(&Validated { valid, workflows })?;
    } else {
        output::show(&workflows.iter().map(workflow::report).collect::<String>())?;
    }
    Ok(if valid { Exit::Success } else { Exit::Usage })
}

/// What has a separator or is there as a file is a path; everything else is a name.
async fn chosen(config: &Config, wanted: &[String]) -> Result<Vec<WorkflowView>, Failure> {
    let known = workflows_in(config, config.workflows_dir()).await?;
    if wanted.is_empty() {
        return Ok(known);
    }
    let mut chosen = Vec::new();
    for text in wanted {
        if let Some(workflow) = known.iter().find(|workflow| workflow.summary.name == *text) {
            chosen.push(workflow.clone());
        } else if text.contains(std::path::MAIN_SEPARATOR) || Path::new(text).exists() {
            chosen.push(at(config, Path::new(text)).await?);
        } else {
            let problem = Problem::new(format!(
                "there is no workflow '{text}' in {}",
                config.workflows_dir().display()
            ));
            let names: Vec<&str> = known.iter().map(|workflow| workflow.summary.name.as_str()).collect();
            let hint = if names.is_empty() {
                "there are none".to_owned()
            } else {
                format!("there are: {}", names.join(", "))
            };
            return Err(problem.hint(hint).into());
        }
    }
    Ok(chosen)
}

async fn at(config: &Config, path: &Path) -> Result<WorkflowView, Failure> {
    let real = path
        .canonicalize()
        .map_err(|error| Problem::new(format!("cannot read {}: {error}", path.display())))?;
    let folder = real.parent().unwrap_or(&real).to_owned();
    let name = real.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let found =
        workflows_in(config, folder).await?.into_iter().find(|workflow| workflow.summary.name == name);
    let absent = || {
        Problem::new(format!("{} is not a workflow file", path.display()))
            .hint("a workflow is a file that ends in .yaml, .yml or .json")
    };
    Ok(found.ok_or_else(absent)?)
}
