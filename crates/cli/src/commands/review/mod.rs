//! `accord review`: a change, reviewed by a workflow.
//!
//! `git` and `change` get a diff and check it, the workflow does the work, `report` reads what came of it. What the command
//! needs of a workflow is its input, `{title, diff}`, and a list `findings` in its output; who failed and who contradicts
//! whom it learns from the run itself.

mod change;
mod git;
mod report;
mod severity;

use std::path::PathBuf;
use std::time::Duration;

use accord_api::{CreateWorkflowRun, ErrorName, WorkflowStatus};
use accord_client::Client;
use owo_colors::OwoColorize as _;
use serde_json::Value;

use super::workflow::{exit, follow, why_stopped};
use crate::connection::ConnectionArguments;
use crate::exit::Exit;
use crate::failure::{Failure, Problem};
use crate::follow::seconds;
use crate::own_coordinator::{self, Lasting};
use crate::view::text::line;
use crate::view::workflow;
use crate::{output, project, runtime};
use change::Change;
use report::Review;
use severity::Severity;

/// Review a change with a workflow of agents and print what they found
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Without REV, reviews the uncommitted changes of the git repository in the current folder, staged or
not. The findings go to stdout, progress and messages to stderr. The project must have the workflow:
`accord init --template code-review --model anthropic` (or another model) writes one. Without a
model its reviewers play recorded answers to one example.
Exit codes: 0 reviewed (or nothing to review), 1 usage or configuration error, 2 findings at or
above --fail-on, or a contract not met, 3 model, CLI or server failure (with --fail-on, also if a
reviewer failed and the others found nothing), 4 stopped or timed out.

Examples:
  accord review
  accord review HEAD
  accord review main..HEAD --fail-on major
  accord review HEAD -- src/lib.rs
  git diff --staged | accord review -
  accord review --diff .accord/inputs/change.diff --json | jq .findings")]
pub(crate) struct Arguments {
    /// Commit, or range A..B; - reads a diff from stdin [default: the uncommitted changes]
    rev: Option<String>,
    /// Review only these files and folders
    #[arg(last = true, value_name = "PATH", conflicts_with = "diff")]
    paths: Vec<String>,
    /// Review a unified diff from a file; - reads stdin
    #[arg(long, value_name = "FILE", conflicts_with = "rev")]
    diff: Option<PathBuf>,
    /// Workflow to use
    #[arg(long, value_name = "NAME", default_value = "code-review")]
    workflow: String,
    /// What the change is about [default: the subject of the commit]
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// Exit with 2 if a finding has at least this severity: blocker, major, minor or nit
    #[arg(long, value_name = "SEVERITY", value_parser = Severity::named)]
    fail_on: Option<Severity>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Stop the review after this many seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    timeout: Option<u64>,
    #[command(flatten)]
    connection: ConnectionArguments,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    let change = Change::read(arguments)?;
    output::message(&change.left_out());
    if change.diff.is_empty() {
        match arguments.json {
            true => output::json(&Review::of_nothing(&change))?,
            false => output::show("Nothing to review.\n")?,
        }
        return Ok(Exit::Success);
    }
    let folder = arguments.connection.project.find()?;
    if arguments.connection.coordinator.is_none()
        && let Some(problem) = project::missing(&folder)
    {
        return Err(problem.hint(ADVICE).into());
    }
    let config = arguments.connection.config(Vec::new())?;
    let look = async |client: &Client| client.workflow(&arguments.workflow).await.map(drop);
    let work = async |client: &Client| with(client, arguments, &change).await;
    let result = runtime::block_on(own_coordinator::work(&config, Lasting::No, look, work));
    result.map_err(|failure| match failure {
        Failure::Problem(problem) if problem.is(ErrorName::WorkflowNotFound) => {
            problem.hint(format!("{ADVICE}, or name a workflow with --workflow")).into()
        }
        other => other,
    })
}

/// How to get the workflow.
const ADVICE: &str = "run `accord init --template code-review` to add one";

async fn with(client: &Client, arguments: &Arguments, change: &Change) -> Result<Exit, Failure> {
    let request = CreateWorkflowRun { input: Some(change.input()), ..CreateWorkflowRun::default() };
    let limit = arguments.timeout.map(Duration::from_secs);
    let document = client.workflow(&arguments.workflow).await?.workflow;
    let ending = follow(client, &arguments.workflow, &request, None, limit).await?;
    let exit = exit(client, &ending).await?;
    let review = Review::of(&ending.run, change, arguments.fail_on);
    let exit = review.exit(exit);
    if arguments.json {
        output::json(&review)?;
        return Ok(exit);
    }
    let is_complete = ending.run.status == WorkflowStatus::Completed;
    if is_complete && !review.has_findings_list {
        let message = format!("the output of workflow '{}' has no list 'findings'", arguments.workflow);
        return Err(Problem::new(message).hint("name a workflow that reviews with --workflow").into());
    }
    output::show(&review.text())?;
    if exit == Exit::Stopped {
        output::message(&format!("{}\n", why_stopped(&ending.run, ending.interruption)));
    } else if !is_complete && !review.has_no_reviewer() {
        output::message(&workflow::failure(&ending.run));
    }
    if review.is_incomplete() {
        output::message(&recorded(client, &document).await);
    }
    Ok(exit)
}

/// The advice about agents that only replay a recording: they can only answer the example.
async fn recorded(client: &Client, workflow: &Value) -> String {
    let nodes = workflow.get("nodes").and_then(Value::as_object).into_iter().flatten();
    let mut names = Vec::new();
    for name in nodes.filter_map(|(_, node)| node.get("agent")?.as_str()) {
        // Without an answer there is nothing to advise.
        let Ok(agent) = client.agent(name).await else { continue };
        if agent.blueprint.pointer("/executor/type").is_some_and(|kind| kind == "replay") {
            names.push(line(name));
        }
    }
    match names.is_empty() {
        true => String::new(),
        false => format!(
            "{} these agents replay recordings, which answer only the example: {}. To review other changes, give them a \
             model: executor: {{ type: llm, provider: PROVIDER, model: MODEL }} in .accord/agents/NAME/agent.yaml\n",
            "hint:".cyan().bold(),
            names.join(", ")
        ),
    }
}
