//! Agents and workflows in files, checked without a coordinator.

use std::path::{MAIN_SEPARATOR, Path, PathBuf};

use accord_api::{AgentView, Severity, WorkflowView};
use accord_domain::nearest;
use serde_json::json;

use super::{Definition, Summary};
use crate::config::{Config, FOLDER};
use crate::exit::Exit;
use crate::failure::{Failure, Problem};
use crate::output;
use crate::project::ProjectArguments;
use crate::view::agent;
use crate::view::text::line;

/// Every agent or workflow in the files of a project, by name.
pub(crate) fn of_project<D: Definition>(config: &Config) -> Vec<D> {
    in_folder(&D::folder(config), config)
}

/// Every agent or workflow of a folder, by name.
pub(crate) fn in_folder<D: Definition>(folder: &Path, config: &Config) -> Vec<D> {
    relative(D::load(folder, config))
}

/// The same, with paths relative to the current folder.
pub(crate) fn relative<D: Definition>(mut all: Vec<D>) -> Vec<D> {
    let Ok(here) = std::env::current_dir() else { return all };
    for each in &mut all {
        let (file, problems) = each.file();
        for file in std::iter::once(file).chain(problems.iter_mut().map(|problem| &mut problem.file)) {
            let inside = file.as_deref().and_then(|file| Path::new(file).strip_prefix(&here).ok());
            if let Some(inside) = inside.map(|path| path.display().to_string()) {
                *file = Some(inside);
            }
        }
    }
    all
}

/// The folder of agents or workflows that a folder is or holds.
pub(crate) fn folder_in<D: Definition>(folder: &Path) -> PathBuf {
    let inside = folder.join(FOLDER).join(format!("{}s", D::NOUN));
    if inside.is_dir() { inside } else { folder.to_owned() }
}

/// The agent that a path names: its file, or its folder.
pub(super) fn agent_at(path: &Path, config: &Config) -> Result<AgentView, Problem> {
    let unreadable = |error: std::io::Error| {
        Problem::new(format!("cannot read {}: {error}", path.display()))
            .hint("pass the name of an agent, its folder, or its agent.yaml")
    };
    let real = path.canonicalize().map_err(unreadable)?;
    let folder = if real.is_dir() { real.as_path() } else { real.parent().unwrap_or(&real) };
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let agents = folder.parent().map(|parent| in_folder::<AgentView>(parent, config)).unwrap_or_default();
    agents.into_iter().find(|agent| agent.summary.name == name).ok_or_else(|| {
        Problem::new(format!("no agent found in {}", folder.display()))
            .hint("an agent is a folder with an agent.yaml (or agent.json)")
    })
}

/// The workflow in a file.
pub(super) fn workflow_at(path: &Path, config: &Config) -> Result<WorkflowView, Problem> {
    let real = path
        .canonicalize()
        .map_err(|error| Problem::new(format!("cannot read {}: {error}", path.display())))?;
    let name = real.file_stem().unwrap_or_default().to_string_lossy();
    let workflows = in_folder::<WorkflowView>(real.parent().unwrap_or(&real), config);
    workflows.into_iter().find(|workflow| workflow.summary.name == name).ok_or_else(|| {
        Problem::new(format!("{} is not a workflow file", path.display()))
            .hint("expected a file that ends in .yaml, .yml or .json")
    })
}

/// Validates those with these names or at these paths, or all of the project. `add_warnings` may look at more than files.
pub(crate) fn validate<D: Definition>(
    project: &ProjectArguments,
    wanted: &[String],
    deny_warnings: bool,
    json: bool,
    add_warnings: impl FnOnce(&mut [D], &Config),
) -> Result<Exit, Failure> {
    let config = Config::load(&project.find()?, Vec::new())?;
    let mut chosen: Vec<D> = chosen(wanted, &config)?;
    add_warnings(&mut chosen, &config);
    if chosen.is_empty() {
        let message = format!("no {}s found in {}", D::NOUN, D::folder(&config).display());
        return Err(Problem::new(message).hint(D::HOW_TO_CREATE).into());
    }
    let summaries = || chosen.iter().map(|each| D::summary(each.listed()));
    let warns = |summary: &Summary| summary.problems.iter().any(|each| each.severity == Severity::Warning);
    let valid = summaries().all(|summary| summary.valid && !(deny_warnings && warns(&summary)));
    if json {
        let listed: Vec<_> = chosen.iter().map(Definition::listed).collect();
        output::json(&json!({"valid": valid, (format!("{}s", D::NOUN)): listed}))?;
    } else {
        output::show(&summaries().map(|summary| report(&summary)).collect::<String>())?;
    }
    Ok(if valid { Exit::Success } else { Exit::Usage })
}

fn report(Summary { name, valid, problems, .. }: &Summary) -> String {
    let (tone, verdict) = agent::verdict(*valid, problems);
    format!("{}  {}\n{}", tone.paint(&verdict), line(name), agent::problems(problems))
}

fn chosen<D: Definition>(wanted: &[String], config: &Config) -> Result<Vec<D>, Problem> {
    let known = of_project::<D>(config);
    if wanted.is_empty() {
        return Ok(known);
    }
    let name = |each: &D| D::summary(each.listed()).name.to_owned();
    let find = |text: &String| {
        if let Some(each) = known.iter().find(|each| name(each) == *text) {
            return Ok(each.clone());
        }
        let path = Path::new(text);
        // Text with a separator, or that names an existing file, is a path; everything else is a name.
        if text.contains(MAIN_SEPARATOR) || path.exists() {
            return D::at(path, config);
        }
        let names: Vec<String> = known.iter().map(name).collect();
        let hint = match nearest(text, names.iter().map(String::as_str)) {
            Some(similar) => format!("did you mean '{similar}'?"),
            None if names.is_empty() => D::NONE_KNOWN.to_owned(),
            None => format!("available: {}", names.join(", ")),
        };
        let message = format!("no {} '{text}' in {}", D::NOUN, D::folder(config).display());
        Err(Problem::new(message).hint(hint))
    };
    wanted.iter().map(find).collect()
}
