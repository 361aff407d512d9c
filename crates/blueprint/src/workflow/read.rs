//! Parses a workflow and checks its graph by itself. Whether the agents and workflows in it exist is not known here.

use accord_api::{Problem, Severity};
use accord_contract::{JsonPath, Meter};
use accord_workflow::{self as workflow, Graph, Gravity};
use serde_json::Value;

use crate::definition::Parsed;
use crate::document::{Document, Format};
use crate::finding::{Finding, Mark};
use crate::name::{Named, new_name_error};

/// A parsed workflow, valid or not.
#[derive(Debug)]
pub struct ParsedWorkflow {
    document: Document,
    /// The graph, as far as it can be read.
    pub graph: Option<Graph>,
    problems: Vec<Problem>,
}

impl Parsed for ParsedWorkflow {
    fn value(&self) -> &Value {
        &self.document.value
    }

    fn problems(&self) -> &[Problem] {
        &self.problems
    }

    fn broken(problem: Problem) -> Self {
        Self { document: Document::without_file(Value::Null), graph: None, problems: vec![problem] }
    }
}

impl ParsedWorkflow {
    pub(crate) fn from_value(value: Value, meter: &Meter) -> Self {
        Self::of(Document::without_file(value), None, meter)
    }

    /// Parses the text of a file. The workflow must have the name of the file.
    pub(crate) fn from_text(text: &str, format: Format, file: &str, stem: &str, meter: &Meter) -> Self {
        match Document::read(text, format, file, meter) {
            Ok(document) => Self::of(document, Some(stem), meter),
            Err(problem) => Self::broken(problem),
        }
    }

    fn of(document: Document, stem: Option<&str>, meter: &Meter) -> Self {
        let (graph, mut findings) = workflow::read(&document.value, meter);
        findings.extend(graph.iter().flat_map(|graph| workflow::graph_warnings(graph, meter)));
        let mut parsed = Self { document, graph, problems: Vec::new() };
        parsed.problems = parsed.located(findings);
        let name = parsed.text_of("name").to_owned();
        let wrong_name = new_name_error(Named::Workflow, &name).filter(|_| !name.is_empty());
        let other_name = stem.filter(|stem| !name.is_empty() && *stem != name).map(|stem| {
            format!("the workflow is named '{name}', but its file is '{stem}'; use the same name")
        });
        for message in wrong_name.into_iter().chain(other_name) {
            parsed.problems.push(parsed.problem(Severity::Error, JsonPath::root().key("name"), message));
        }
        parsed
    }

    /// A string of the document, or an empty one if the field is not a string.
    pub fn text_of(&self, field: &str) -> &str {
        self.document.value.get(field).and_then(Value::as_str).unwrap_or_default()
    }

    /// Findings with line and column.
    pub fn located(&self, findings: Vec<workflow::Finding>) -> Vec<Problem> {
        let problem = |finding: workflow::Finding| {
            let severity = match finding.gravity {
                Gravity::Error => Severity::Error,
                Gravity::Warning => Severity::Warning,
            };
            let mark = match finding.mark {
                workflow::Mark::Name => Mark::Name,
                workflow::Mark::Value => Mark::Value,
            };
            let (place, message) = (finding.place, finding.message);
            self.document.problem(Finding { severity, place, mark, message })
        };
        findings.into_iter().map(problem).collect()
    }

    pub fn problem(&self, severity: Severity, place: JsonPath, message: String) -> Problem {
        self.document.problem(Finding { severity, place, mark: Mark::Value, message })
    }
}

/// Whether one of the problems is a mistake.
pub fn has_errors(problems: &[Problem]) -> bool {
    problems.iter().any(|problem| problem.severity == Severity::Error)
}
