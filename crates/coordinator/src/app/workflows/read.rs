//! A workflow's document: the graph, and what is wrong with it by itself.

use accord_api::{Problem, Severity};
use accord_contract::Place;
use accord_workflow::{self as workflow, Graph, Gravity};
use serde_json::Value;

use crate::app::agents::name::{Named, fault_of};
use crate::app::agents::{self, Document, Finding, Format};

/// What became of a document.
#[derive(Debug)]
pub(super) struct Read {
    document: Document,
    /// The graph, as far as it could be read.
    pub(super) graph: Option<Graph>,
    /// What is wrong with it by itself, with its places.
    pub(super) problems: Vec<Problem>,
}

impl Read {
    /// Reads a value that came by itself.
    pub(super) fn value(value: Value) -> Self {
        Self::of(Document::plain(value), None)
    }

    /// Reads a file's text. The workflow must have the file's name.
    pub(super) fn text(text: &str, format: Format, file: &str, stem: &str) -> Self {
        match Document::read(text, format, file) {
            Ok(document) => Self::of(document, Some(stem)),
            Err(problem) => {
                Self { document: Document::plain(Value::Null), graph: None, problems: vec![problem] }
            }
        }
    }

    fn of(document: Document, stem: Option<&str>) -> Self {
        let (graph, mut findings) = workflow::read(&document.value);
        findings.extend(graph.iter().flat_map(workflow::graph_warnings));
        let mut read = Self { document, graph, problems: Vec::new() };
        read.problems = read.told(findings);
        let name = read.value_of("name");
        let wrong_name = fault_of(Named::Workflow, &name).filter(|_| !name.is_empty());
        let other_name = stem.filter(|stem| !name.is_empty() && *stem != name).map(|stem| {
            format!("the workflow is named '{name}', but its file is '{stem}'; use the same name")
        });
        for message in wrong_name.into_iter().chain(other_name) {
            read.problems.push(read.problem(Severity::Error, Place::root().key("name"), message));
        }
        read
    }

    /// The document.
    pub(super) fn document(&self) -> &Value {
        &self.document.value
    }

    /// A text of the document, as far as it is one.
    pub(super) fn value_of(&self, field: &str) -> String {
        self.document.value.get(field).and_then(Value::as_str).unwrap_or_default().to_owned()
    }

    /// Findings as people are told of them: with line and column.
    pub(super) fn told(&self, findings: Vec<workflow::Finding>) -> Vec<Problem> {
        let problem = |finding: workflow::Finding| {
            let severity = match finding.gravity {
                Gravity::Error => Severity::Error,
                Gravity::Warning => Severity::Warning,
            };
            let mark = match finding.mark {
                workflow::Mark::Name => agents::Mark::Name,
                workflow::Mark::Value => agents::Mark::Value,
            };
            let (place, message) = (finding.place, finding.message);
            self.document.problem(Finding { severity, place, mark, message })
        };
        findings.into_iter().map(problem).collect()
    }

    /// One problem at a place.
    pub(super) fn problem(&self, severity: Severity, place: Place, message: String) -> Problem {
        self.document.problem(Finding { severity, place, mark: agents::Mark::Value, message })
    }
}

/// Whether one of them is a mistake.
pub(super) fn has_errors(problems: &[Problem]) -> bool {
    problems.iter().any(|problem| problem.severity == Severity::Error)
}
