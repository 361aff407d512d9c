//! What came of a review, for people and for programs.

use std::fmt::Write as _;

use accord_api::comparison::{ContradictionKind, Side};
use accord_api::{Contradiction, NodeStatus, WorkflowNodeView, WorkflowRunView, WorkflowStatus};
use serde::Serialize;
use serde_json::{Map, Value};

use super::change::Change;
use super::severity::Severity;
use crate::exit::Exit;
use crate::view::Tone;
use crate::view::text::{counted, line, paragraph, short};

#[derive(Debug, Serialize)]
pub(super) struct Review<'r> {
    workflow_run_id: Option<&'r str>,
    status: Option<WorkflowStatus>,
    title: &'r str,
    summary: Option<&'r str>,
    findings: Vec<Finding>,
    contradictions: Vec<&'r Contradiction>,
    missing: Vec<Missing>,
    binary_files: &'r [String],
    /// How many findings are at least as severe as was asked for.
    failing: usize,
    #[serde(skip)]
    pub(super) has_findings_list: bool,
    /// How many reviewers gave findings.
    #[serde(skip)]
    reviewers: usize,
    /// Whether findings of some severity are to fail the command.
    #[serde(skip)]
    is_check: bool,
}

/// Why a reviewer failed, in a line; `--json` has all of it.
const FAILED_CHARACTERS: usize = 200;

/// A finding with the fields that reviewers usually give, and all others as they are.
#[derive(Debug, Serialize)]
struct Finding {
    file: String,
    line: Value,
    severity: Value,
    description: String,
    #[serde(rename = "raisedBy")]
    raised_by: Vec<String>,
    #[serde(flatten)]
    rest: Map<String, Value>,
}

/// A reviewer whose findings are not in the review.
#[derive(Debug, PartialEq, Eq, Serialize)]
struct Missing {
    reviewer: String,
    error: Option<String>,
}

impl<'r> Review<'r> {
    /// Of a change in which nothing can be reviewed.
    pub(super) fn of_nothing(change: &'r Change) -> Self {
        Self {
            workflow_run_id: None,
            status: None,
            title: &change.title,
            summary: None,
            findings: Vec::new(),
            contradictions: Vec::new(),
            missing: Vec::new(),
            binary_files: &change.binary,
            failing: 0,
            has_findings_list: true,
            reviewers: 0,
            is_check: false,
        }
    }

    /// The review in a run. If the workflow has no output, the findings of each reviewer are still worth reading.
    pub(super) fn of(run: &'r WorkflowRunView, change: &'r Change, fail_on: Option<Severity>) -> Self {
        let listed = run.output.get("findings").and_then(Value::as_array);
        let mut findings: Vec<Finding> = match listed {
            Some(listed) => listed.iter().filter_map(|finding| Finding::of(finding, None)).collect(),
            None => of_nodes(run),
        };
        findings.sort_by(|one, other| one.position().cmp(&other.position()));
        let fails =
            |finding: &&Finding| fail_on.is_some_and(|least| Severity::of(&finding.severity) >= least);
        Self {
            workflow_run_id: Some(run.workflow_run_id.as_str()),
            status: Some(run.status),
            title: &change.title,
            summary: run.output.get("summary").and_then(Value::as_str),
            failing: findings.iter().filter(fails).count(),
            findings,
            contradictions: run.nodes.iter().flat_map(|node| &node.contradictions).collect(),
            missing: missing(run),
            binary_files: &change.binary,
            has_findings_list: listed.is_some(),
            is_check: fail_on.is_some(),
            reviewers: run.nodes.iter().filter_map(findings_of).count(),
        }
    }

    /// The exit code of the review of a run that ended with this one.
    pub(super) fn exit(&self, run: Exit) -> Exit {
        match run {
            Exit::Success if self.failing > 0 => Exit::ContractNotMet,
            // A check must not pass because a reviewer failed.
            Exit::Success if self.is_check && self.is_incomplete() => Exit::Failed,
            // Without any review the writer cannot meet its contract, but the cause is that all reviewers failed.
            Exit::ContractNotMet if self.has_no_reviewer() => Exit::Failed,
            other => other,
        }
    }

    /// Whether all reviewers failed, so that there is no review.
    pub(super) fn has_no_reviewer(&self) -> bool {
        self.status != Some(WorkflowStatus::Completed) && self.reviewers == 0
    }

    /// Whether the findings of a reviewer are missing.
    pub(super) fn is_incomplete(&self) -> bool {
        !self.missing.is_empty()
    }

    /// For people.
    pub(super) fn text(&self) -> String {
        if self.has_no_reviewer() {
            return format!("No review of {}: no reviewer finished.\n{}", line(self.title), self.failures());
        }
        let mut text = format!("Review of {}\n", line(self.title));
        if let Some(summary) = self.summary {
            let _ = writeln!(text, "{}", paragraph(summary, ""));
        }
        let mut file = None;
        for finding in &self.findings {
            if file.replace(&finding.file) != Some(&finding.file) {
                let _ = writeln!(text, "\n{}", line(&finding.file));
            }
            finding.write(&mut text);
        }
        if !self.contradictions.is_empty() {
            let _ = writeln!(text, "\n{}", Tone::Warning.paint("The reviewers disagree:"));
            self.contradictions.iter().for_each(|each| write_contradiction(&mut text, each));
        }
        if !self.missing.is_empty() {
            let _ = writeln!(
                text,
                "\n{}",
                Tone::Warning.paint("This review is incomplete. These reviewers failed:")
            );
            text.push_str(&self.failures());
        }
        let _ = writeln!(text, "\n{}", self.counts());
        text
    }

    /// The failed reviewers, with the reasons.
    fn failures(&self) -> String {
        let failure = |Missing { reviewer, error }: &Missing| {
            let error = error.as_deref().map(|error| format!(": {}", short(error, FAILED_CHARACTERS)));
            format!("  {}{}\n", line(reviewer), error.unwrap_or_default())
        };
        self.missing.iter().map(failure).collect()
    }

    /// How many findings there are of each severity, the most severe first.
    fn counts(&self) -> String {
        let mut counts: Vec<(Severity, String, u64)> = Vec::new();
        for finding in &self.findings {
            let name = plain(&finding.severity);
            match counts.iter_mut().find(|(_, known, _)| *known == name) {
                Some((_, _, count)) => *count += 1,
                None => counts.push((Severity::of(&finding.severity), name, 1)),
            }
        }
        counts.sort_by_key(|count| std::cmp::Reverse(count.0));
        let each: Vec<String> = counts.iter().map(|(_, name, count)| format!("{count} {name}")).collect();
        let total = counted(self.findings.len() as u64, "finding");
        if each.is_empty() { total } else { format!("{total}: {}", each.join(", ")) }
    }
}

impl Finding {
    /// A finding as a model wrote it; nothing if it names no file.
    fn of(value: &Value, raised_by: Option<&str>) -> Option<Self> {
        let mut rest = value.as_object()?.clone();
        let file = rest.shift_remove("file")?.as_str()?.to_owned();
        let mut taken = |name: &str| rest.shift_remove(name).unwrap_or_default();
        let (line, severity) = (taken("line"), taken("severity"));
        let description = taken("description").as_str().map(str::to_owned);
        let named = match taken("raisedBy") {
            Value::String(name) => vec![name],
            Value::Array(names) => names.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
            _ => raised_by.map(str::to_owned).into_iter().collect(),
        };
        let other =
            || ["title", "message"].iter().find_map(|name| value.get(*name)?.as_str()).map(str::to_owned);
        let description = description.or_else(other).unwrap_or_default();
        Some(Self { file, line, severity, description, raised_by: named, rest })
    }

    fn position(&self) -> (&str, u64) {
        (&self.file, self.line.as_u64().unwrap_or_default())
    }

    fn write(&self, text: &mut String) {
        let tone = match Severity::of(&self.severity) {
            Severity::Blocker => Tone::Bad,
            Severity::Major => Tone::Warning,
            Severity::Minor | Severity::Nit => Tone::Plain,
        };
        let severity = tone.paint(&plain(&self.severity));
        let _ = writeln!(
            text,
            "{:>6}  {severity}  {}",
            plain(&self.line),
            paragraph(&self.description, "        ")
        );
        if !self.raised_by.is_empty() {
            let names: Vec<String> = self.raised_by.iter().map(|name| line(name)).collect();
            let _ = writeln!(text, "        raised by {}", names.join(", "));
        }
    }
}

/// What each reviewer found by itself.
fn of_nodes(run: &WorkflowRunView) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (node, listed) in run.nodes.iter().filter_map(|node| Some((node, findings_of(node)?))) {
        findings.extend(listed.iter().filter_map(|finding| Finding::of(finding, Some(&node.id))));
    }
    findings
}

fn findings_of(node: &WorkflowNodeView) -> Option<&Vec<Value>> {
    let output = node.output.as_ref().filter(|_| node.kind == "agent");
    output.and_then(|output| output.get("findings")?.as_array())
}

/// The nodes that failed, and the reviewers that the review itself lists as missing.
fn missing(run: &WorkflowRunView) -> Vec<Missing> {
    let failed = run.nodes.iter().filter(|node| node.status == NodeStatus::Failed);
    let mut missing: Vec<Missing> = failed
        .map(|node| {
            let error = node.error.as_ref().map(|error| format!("{}: {}", error.kind, error.message));
            Missing { reviewer: node.id.clone(), error }
        })
        .collect();
    let named = run.output.get("missing").and_then(Value::as_array).into_iter().flatten();
    for name in named.filter_map(Value::as_str) {
        if !missing.iter().any(|known| known.reviewer == name) {
            missing.push(Missing { reviewer: name.to_owned(), error: None });
        }
    }
    missing
}

fn write_contradiction(text: &mut String, contradiction: &Contradiction) {
    let place: Vec<String> = contradiction.key.values().map(plain).collect();
    let kind = match contradiction.kind {
        ContradictionKind::DifferentValues => format!("different {}", line(&contradiction.field)),
        ContradictionKind::FlaggedAndCleared => "flagged by one, cleared by another".to_owned(),
    };
    let _ = writeln!(text, "  {}  {kind}", place.join(":"));
    for Side { agent, value, text: said, key, .. } in &contradiction.sides {
        let own = key.as_ref().and_then(|key| key.get("line")).map(|line| format!(" (line {})", plain(line)));
        let said =
            said.as_deref().map(|said| format!(": {}", paragraph(said, "        "))).unwrap_or_default();
        let _ = writeln!(text, "    {}{}  {}{said}", line(agent), own.unwrap_or_default(), plain(value));
    }
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => line(text),
        Value::Null => String::new(),
        other => line(&other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn change() -> Change {
        Change { title: "Add it".to_owned(), diff: String::new(), binary: Vec::new() }
    }

    fn run(status: &str, output: Value) -> WorkflowRunView {
        let node = |id: &str, status: &str, output: Value, error: Value| {
            json!({"id": id, "type": "agent", "status": status, "inputs": null, "output": output, "contradictions": [],
                "near_duplicates": [], "agreements": [], "tasks": [], "started_at": null, "finished_at": null,
                "error": error})
        };
        let findings =
            json!({"findings": [{"file": "b.rs", "line": 7, "severity": "major", "description": "Leaks"}]});
        let error = json!({"type": "executor_failed", "message": "exited with code 1"});
        serde_json::from_value(json!({
            "workflow_run_id": "wfr_1", "workflow_name": "flow", "status": status, "parent_workflow_run_id": null,
            "created_at": "2026-11-16T00:00:00Z", "updated_at": "2026-11-16T00:00:00Z", "finished_at": null,
            "input": null, "output": output, "edges": [],
            "nodes": [node("security", "completed", findings, Value::Null), node("tests", "failed", Value::Null, error)],
        }))
        .unwrap()
    }

    #[test]
    fn a_review_names_files_lines_reviewers_and_failures() {
        let output = json!({"summary": "Not yet.", "missing": ["tests", "docs"], "findings": [
            {"file": "b.rs", "line": 12, "severity": "nit", "description": "Name", "raisedBy": "style"},
            {"file": "a.rs", "line": 3, "severity": "blocker", "description": "Leaks", "raisedBy": ["a", "b"]},
            {"file": "b.rs", "line": 2, "severity": "nit", "title": "Typo", "raisedBy": []}]});
        let (run, change) = (run("completed", output), change());
        let review = Review::of(&run, &change, Some(Severity::Major));
        assert_eq!((review.failing, review.exit(Exit::Success)), (1, Exit::ContractNotMet));
        let expected = "Review of Add it
Not yet.

a.rs
     3  blocker  Leaks
        raised by a, b

b.rs
     2  nit  Typo
    12  nit  Name
        raised by style

This review is incomplete. These reviewers failed:
  tests: executor_failed: exited with code 1
  docs

3 findings: 1 blocker, 2 nit
";
        assert_eq!(anstream::adapter::strip_str(&review.text()).to_string(), expected);
        assert_eq!(Review::of(&run, &change, None).exit(Exit::Success), Exit::Success);
    }

    #[test]
    fn a_check_does_not_pass_if_a_reviewer_failed() {
        let nit = json!([{"file": "a.rs", "line": 1, "severity": "nit", "description": "Name"}]);
        let (run, change) = (run("completed", json!({"findings": nit})), change());
        let exit = |fail_on| Review::of(&run, &change, fail_on).exit(Exit::Success);
        assert_eq!((exit(None), exit(Some(Severity::Major))), (Exit::Success, Exit::Failed));
        assert_eq!(exit(Some(Severity::Nit)), Exit::ContractNotMet);
    }

    #[test]
    fn without_an_output_the_reviewers_findings_are_listed() {
        let (run, change) = (run("failed", Value::Null), change());
        let review = serde_json::to_value(Review::of(&run, &change, None)).unwrap();
        let expected = json!([{"file": "b.rs", "line": 7, "severity": "major", "description": "Leaks",
            "raisedBy": ["security"]}]);
        assert_eq!(review["findings"], expected);
        assert_eq!(review["missing"][0]["reviewer"], "tests");
    }
}
