//! Workflows and their runs.

use std::fmt::Write as _;

use accord_api::comparison::{ContradictionKind, Side, Truncation};
use accord_api::{
    Contradiction, NodeStatus, Worker, WorkflowFailure, WorkflowNodeView, WorkflowRunSummary,
    WorkflowRunView, WorkflowStatus, WorkflowSummary, WorkflowTaskView, WorkflowView,
};
use owo_colors::OwoColorize as _;
use serde_json::Value;

use super::Tone;
use super::agent::{problems, verdict};
use super::text::{self, Times, fields, line, paragraph, short};
use crate::table;

/// A description is a hint here; `workflow show` has all of it.
const DESCRIPTION_CHARACTERS: usize = 60;

/// How much of a node's text is shown in a table.
const SAID_CHARACTERS: usize = 80;

/// Why a task failed, in a line; its run has all of it.
const FAILED_CHARACTERS: usize = 200;

/// How many failed tasks are listed.
const MOST_FAILED_TOLD: usize = 10;

/// Workflows as a table, and below it what is wrong with them.
pub(crate) fn list(workflows: &[WorkflowSummary]) -> String {
    let columns = ["workflow", "status", "nodes", "source", "description"];
    let mut table = table::new(&columns).spare(&["source", "nodes"]).free_text("description");
    for workflow in workflows {
        let (tone, verdict) = verdict(workflow.valid, &workflow.problems);
        table.add_row([
            Tone::Plain.cell(&line(&workflow.name)),
            tone.cell(&verdict),
            Tone::Plain.cell(&workflow.nodes.to_string()),
            Tone::Plain.cell(super::agent::source(workflow.source)),
            Tone::Plain.cell(&short(&workflow.description, DESCRIPTION_CHARACTERS)),
        ]);
    }
    let mut text = table.text();
    let found: String = workflows.iter().map(|workflow| problems(&workflow.problems)).collect();
    if !found.is_empty() {
        let _ = write!(text, "\n{found}");
    }
    text
}

/// One workflow: its nodes and edges, its verdict, and its newest runs.
pub(crate) fn view(workflow: &WorkflowView, runs: &[WorkflowRunSummary], times: &Times) -> String {
    let (tone, verdict) = verdict(workflow.summary.valid, &workflow.summary.problems);
    let home = workflow.file.as_deref().map_or_else(|| "the database".to_owned(), line);
    let rows = [
        ("description", line(&workflow.summary.description)),
        ("defined in", home),
        ("changed", workflow.modified_at.map(|at| times.at(at)).unwrap_or_default()),
        ("hash", line(&workflow.hash)),
    ];
    let mut text = format!("{}  {}\n{}", line(&workflow.summary.name), tone.paint(&verdict), fields(&rows));
    let _ = write!(text, "\n{}", drawn(&workflow.workflow));
    if !workflow.summary.problems.is_empty() {
        let _ = write!(text, "\n{}", problems(&workflow.summary.problems));
    }
    if !runs.is_empty() {
        let _ = write!(text, "\n{}", self::runs(runs, times));
    }
    text
}

/// Runs of workflows as a table.
pub(crate) fn runs(runs: &[WorkflowRunSummary], times: &Times) -> String {
    let columns = ["run", "workflow", "status", "created", "took", "input"];
    let mut table = table::new(&columns).spare(&["took", "input"]).free_text("input");
    for run in runs {
        table.add_row([
            Tone::Plain.cell(run.workflow_run_id.as_str()),
            Tone::Plain.cell(&line(&run.workflow_name)),
            Tone::from(run.status).cell(run.status.as_str()),
            Tone::Plain.cell(&times.at(run.created_at)),
            Tone::Plain.cell(&times.since(run.created_at, run.finished_at)),
            Tone::Plain.cell(&line(&run.input_preview)),
        ]);
    }
    table.text()
}

/// The nodes of a document, each with who feeds it.
fn drawn(document: &Value) -> String {
    let mut table = table::new(&["node", "type", "agent", "inputs from"]);
    let text = |value: Option<&Value>| value.and_then(Value::as_str).map(line).unwrap_or_default();
    let edges: Vec<&Value> = document.get("edges").and_then(Value::as_array).into_iter().flatten().collect();
    for (id, node) in document.get("nodes").and_then(Value::as_object).into_iter().flatten() {
        let fed: Vec<String> = edges
            .iter()
            .filter(|edge| edge.get("to").and_then(Value::as_str) == Some(id))
            .map(|edge| match edge.get("when") {
                Some(when) => format!("{} (when {})", text(edge.get("from")), text(Some(when))),
                None => text(edge.get("from")),
            })
            .collect();
        let agent = match (node.get("agent"), node.get("workflow")) {
            (Some(Value::Object(inline)), _) => {
                inline.get("name").map_or("inline".to_owned(), |name| text(Some(name)))
            }
            (agent, None) => text(agent),
            (_, workflow) => format!("workflow {}", text(workflow)),
        };
        table.add_row([line(id), text(node.get("type")), agent, fed.join(", ")]);
    }
    table.text()
}

/// One run: the status of each node, and the contradictions between siblings.
pub(crate) fn run(run: &WorkflowRunView, times: &Times) -> String {
    let status = Tone::from(run.status).paint(run.status.as_str());
    let rows = [
        ("workflow", line(&run.workflow_name)),
        ("part of", run.parent_workflow_run_id.as_ref().map(ToString::to_string).unwrap_or_default()),
        ("created", times.at(run.created_at)),
        ("requested by", run.requested_by.as_ref().map(text::requested_by).unwrap_or_default()),
        ("took", times.since(run.created_at, run.finished_at)),
        ("error", run.error.as_ref().map(|error| paragraph(&error.message, "")).unwrap_or_default()),
        ("input", text::json(&run.input)),
        ("output", if run.output.is_null() { String::new() } else { text::json(&run.output) }),
    ];
    let mut table = table::new(&["node", "type", "status", "runs", "output"]).free_text("output");
    for node in &run.nodes {
        let (tone, state) = state(node);
        table.add_row([
            Tone::Plain.cell(&line(&node.id)),
            Tone::Plain.cell(&line(&node.kind)),
            tone.cell(&state),
            Tone::Plain.cell(&node.tasks.iter().map(|task| task.attempts).sum::<u32>().to_string()),
            Tone::Plain.cell(&short(&detail(node), SAID_CHARACTERS)),
        ]);
    }
    let head = format!("{}  {status}\n{}", run.workflow_run_id, fields(&rows));
    format!("{head}\n{}{}{}", table.text(), contradictions(run), gone_without(run))
}

/// The status of a node, and how many of its items failed without failing it.
fn state(node: &WorkflowNodeView) -> (Tone, String) {
    let failed = node.tasks.iter().filter(|task| task.status == NodeStatus::Failed).count();
    match (node.status, &node.warning, failed) {
        (NodeStatus::Completed, Some(_), 0) => (Tone::Warning, "completed, warning".to_owned()),
        (NodeStatus::Completed, _, 1..) => (Tone::Warning, format!("completed, {failed} failed")),
        (status, _, _) => (Tone::from(status), status.as_str().to_owned()),
    }
}

/// What failed without failing the run, one line each. Why a run itself failed is shown elsewhere.
pub(crate) fn gone_without(run: &WorkflowRunView) -> String {
    let went_on =
        |node: &&WorkflowNodeView| [NodeStatus::Completed, NodeStatus::Running].contains(&node.status);
    let nodes = run.nodes.iter().filter(|node| run.status == WorkflowStatus::Completed || went_on(node));
    let tasks = nodes.flat_map(|node| node.tasks.iter().map(move |task| (node, task)));
    let failed = tasks.filter(|(_, task)| task.status == NodeStatus::Failed);
    let lines: Vec<String> =
        failed.filter_map(|(node, task)| Some(failed_line(node, task, task.error.as_ref()?))).collect();
    let more = match lines.len().saturating_sub(MOST_FAILED_TOLD) {
        0 => String::new(),
        more => format!("and {more} more failures; use --json to see all\n"),
    };
    lines.into_iter().take(MOST_FAILED_TOLD).chain([more]).collect()
}

fn failed_line(node: &WorkflowNodeView, task: &WorkflowTaskView, error: &WorkflowFailure) -> String {
    let head = Tone::Warning.paint("failed:");
    // People count from 1, as the messages do.
    let item = task.name.strip_prefix("item ").and_then(|index| index.parse::<usize>().ok());
    let part = match (item, task.name.as_str()) {
        (Some(index), _) => format!(", item {}", index + 1),
        (None, "whole") => String::new(),
        (None, name) => format!(", {}", line(name)),
    };
    let worker = match &task.worker {
        Some(Worker::Run { run_id, .. }) => format!(" ({run_id})"),
        Some(Worker::Workflow { workflow_run_id }) => format!(" ({workflow_run_id})"),
        None => String::new(),
    };
    let why = short(&format!("{}: {}", error.kind, error.message), FAILED_CHARACTERS);
    format!("{head} {}{part}: {why}{worker}\n", line(&node.id))
}

fn detail(node: &WorkflowNodeView) -> String {
    let failure = node.error.as_ref().map(|error| format!("{}: {}", error.kind, error.message));
    let output = || node.output.as_ref().map(Value::to_string);
    failure.or_else(|| node.warning.clone()).or_else(output).unwrap_or_default()
}

/// All contradictions of a run, and where looking for them stopped.
pub(crate) fn contradictions(run: &WorkflowRunView) -> String {
    let all = run.nodes.iter().flat_map(|node| {
        let found = node.contradictions.iter().map(|each| contradiction(&node.id, each));
        found.chain([truncations(&node.id, &node.comparison_truncated)])
    });
    all.collect()
}

/// Where comparing stopped, a line for each limit; nothing where everything was compared.
pub(crate) fn truncations(node: &str, truncated: &[Truncation]) -> String {
    let head = Tone::Warning.paint(&format!("comparison before {} stopped:", line(node)));
    let sentence = |each: &Truncation| format!("{head} {}\n", line(&each.message));
    truncated.iter().map(sentence).collect()
}

/// What siblings contradict each other in.
pub(crate) fn contradiction(node: &str, contradiction: &Contradiction) -> String {
    let key: Vec<String> =
        contradiction.key.iter().map(|(name, value)| format!("{} {}", line(name), plain(value))).collect();
    let kind = match contradiction.kind {
        ContradictionKind::DifferentValues => "different_values",
        ContradictionKind::FlaggedAndCleared => "flagged_and_cleared",
    };
    let head = Tone::Warning.paint(&format!("contradiction[{kind}]:"));
    let mut text = format!("{head} {} (before {})\n", key.join(", "), line(node));
    for Side { agent, value, text: detail, .. } in &contradiction.sides {
        let detail = detail
            .as_deref()
            .map(|detail| format!(": {}", short(detail, SAID_CHARACTERS)))
            .unwrap_or_default();
        let field = line(&contradiction.field);
        let _ = writeln!(text, "  {}: {field} {}{detail}", line(agent), plain(value));
    }
    text
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => line(text),
        other => line(&other.to_string()),
    }
}

/// Why a run failed: the run's own words, and each node that did.
pub(crate) fn failure(run: &WorkflowRunView) -> String {
    let mut text = String::new();
    if let Some(error) = &run.error {
        let head = format!("failed[{}]:", line(&error.kind));
        let _ = writeln!(text, "{} {}", Tone::Bad.paint(&head), paragraph(&error.message, "  "));
    }
    let hint = format!("run `accord workflows show {}` to see every node", run.workflow_run_id);
    let _ = writeln!(text, "{} {hint}", "hint:".cyan().bold());
    if let Some(hint) = looked_into(run) {
        let _ = writeln!(text, "{} {hint}", "hint:".cyan().bold());
    }
    text
}

/// Where to look at the first task that failed.
fn looked_into(run: &WorkflowRunView) -> Option<String> {
    let failed = run.nodes.iter().flat_map(|node| &node.tasks).find(|task| task.error.is_some())?;
    Some(match failed.worker.as_ref()? {
        Worker::Run { run_id, .. } => {
            format!("run `accord runs attempts {run_id} --text` to see every answer")
        }
        Worker::Workflow { workflow_run_id } => {
            format!("run `accord workflows show {workflow_run_id}` to see the nested workflow that failed")
        }
    })
}

/// How a run ended, in one line.
pub(crate) fn end(run: &WorkflowRunView) -> String {
    let status = Tone::from(run.status).paint(run.status.as_str());
    let took = Times::here().since(run.created_at, run.finished_at);
    format!("{} {status} in {took}\n", run.workflow_run_id)
}

/// The status of a node as one letter. A node with a warning, such as a check that only warns, is not shown as a success.
pub(crate) fn mark(status: NodeStatus, warning: Option<&str>) -> String {
    match status {
        NodeStatus::Completed if warning.is_some() => "!".yellow().to_string(),
        NodeStatus::Waiting => "·".dimmed().to_string(),
        NodeStatus::Running => "…".cyan().to_string(),
        NodeStatus::Completed => "✓".green().to_string(),
        NodeStatus::Failed => "✗".red().to_string(),
        NodeStatus::Skipped => "-".dimmed().to_string(),
        NodeStatus::Stopped => "■".yellow().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_check_that_only_warns_is_not_a_plain_success() {
        let mut node: WorkflowNodeView = serde_json::from_value(json!({
            "id": "found", "type": "check", "status": "completed", "inputs": null, "output": {"passed": false},
            "contradictions": [], "near_duplicates": [], "agreements": [], "tasks": [], "started_at": null,
            "finished_at": null, "warning": "nobody found anything",
        }))
        .unwrap();
        assert_eq!(state(&node).1, "completed, warning");
        assert!(mark(node.status, node.warning.as_deref()).contains('!'));
        node.warning = None;
        assert_eq!(state(&node).1, "completed");
        assert!(mark(node.status, node.warning.as_deref()).contains('✓'));
    }

    #[test]
    fn failed_items_of_a_map_are_shown() {
        let worker = json!({"kind": "run", "run_id": "run_1", "session_id": "ses_1"});
        let task = |index: usize, status: &str, error: Value| {
            json!({"name": format!("item {index}"), "status": status, "attempts": 1, "worker": worker, "earlier": [],
                "error": error})
        };
        let mut tasks = vec![task(0, "completed", Value::Null)];
        let error = json!({"type": "executor_failed", "message": "exited with code 1"});
        tasks.extend((1..13).map(|index| task(index, "failed", error.clone())));
        let node = json!({
            "id": "each", "type": "map", "status": "completed", "inputs": null, "output": [1, null], "contradictions": [],
            "near_duplicates": [], "agreements": [], "tasks": tasks, "started_at": null, "finished_at": null,
        });
        let run: WorkflowRunView = serde_json::from_value(json!({
            "workflow_run_id": "wfr_1", "workflow_name": "flow", "status": "completed", "parent_workflow_run_id": null,
            "created_at": "2026-11-16T00:00:00Z", "updated_at": "2026-11-16T00:00:00Z", "finished_at": null,
            "input": null, "output": [1, null], "nodes": [node], "edges": [],
        }))
        .unwrap();
        assert_eq!(state(&run.nodes[0]).1, "completed, 12 failed");
        let printed = anstream::adapter::strip_str(&gone_without(&run)).to_string();
        let lines: Vec<&str> = printed.lines().collect();
        assert_eq!(lines[0], "failed: each, item 2: executor_failed: exited with code 1 (run_1)");
        assert_eq!((lines.len(), lines[10]), (11, "and 2 more failures; use --json to see all"));
    }
}
