//! `accord workflows validate`.

use std::path::Path;

use accord_api::{WorkflowSummary, WorkflowView};
use serde::Serialize;

use super::examine::workflows_in;
use crate::config::Config;
use crate::exit::Exit;
use crate::failure::{Failure, Problem};
use crate::project::ProjectArguments;
use crate::view::workflow;
use crate::{file_selection, output, runtime};

/// Validate workflow files: structure, agents, templates, conditions, schemas
#[derive(Debug, clap::Args)]
#[command(after_help = "\
All errors are reported in one pass, with file, line and column. No coordinator is needed: agents
are looked up in the files of the project.
Exit codes: 0 all are valid, 1 one is invalid, or has a warning with --deny-warnings.

Examples:
  accord workflows validate
  accord workflows validate code-review
  accord workflows validate --deny-warnings drafts/review.yaml")]
pub(crate) struct Arguments {
    /// Workflow names or files [default: all workflows of the project]
    #[arg(value_name = "NAME|FILE")]
    workflows: Vec<String>,
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
    workflows: Vec<WorkflowSummary>,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    let config = Config::load(&arguments.project.find()?, Vec::new())?;
    let found = runtime::block_on(chosen(&config, &arguments.workflows))?;
    if found.is_empty() {
        let message = format!("no workflows found in {}", config.workflows_dir().display());
        return Err(Problem::new(message)
            .hint("a workflow is a file NAME.yaml or NAME.json in that folder")
            .into());
    }
    let workflows: Vec<WorkflowSummary> = found.into_iter().map(|workflow| workflow.summary).collect();
    let passes = |workflow: &WorkflowSummary| {
        file_selection::passes(workflow.valid, &workflow.problems, arguments.deny_warnings)
    };
    let valid = workflows.iter().all(passes);
    if arguments.json {
        output::json(&Validated { valid, workflows })?;
    } else {
        output::show(&workflows.iter().map(workflow::report).collect::<String>())?;
    }
    Ok(if valid { Exit::Success } else { Exit::Usage })
}

async fn chosen(config: &Config, wanted: &[String]) -> Result<Vec<WorkflowView>, Failure> {
    let known = workflows_in(config, config.workflows_dir()).await?;
    if wanted.is_empty() {
        return Ok(known);
    }
    let mut chosen = Vec::new();
    for text in wanted {
        if let Some(workflow) = known.iter().find(|workflow| workflow.summary.name == *text) {
            chosen.push(workflow.clone());
        } else if let Some(path) = file_selection::path(text) {
            chosen.push(at(config, path).await?);
        } else {
            let names = known.iter().map(|workflow| workflow.summary.name.as_str());
            let folder = config.workflows_dir();
            return Err(
                file_selection::unknown("workflow", text, &folder, names, "there are no workflows").into()
            );
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
            .hint("expected a file that ends in .yaml, .yml or .json")
    };
    Ok(found.ok_or_else(absent)?)
}
