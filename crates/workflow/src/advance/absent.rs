//! Why the output of an upstream node is null: for the errors of templates and checks that read a field of it.

use std::collections::BTreeSet;

use accord_contract::EvaluationError;
use accord_domain::workflow::{NodeStatus, WorkflowFailure};
use serde_json::Value;

use super::engine::Engine;
use crate::graph::{Node, Parameters};
use crate::state::Take;
use crate::template::{self, TemplateError};

/// An upstream node whose output is null.
struct Absent<'a> {
    id: &'a str,
    read: String,
    reason: &'static str,
}

impl Engine<'_> {
    /// The error for a template of a node that cannot be rendered.
    pub(crate) fn template_failure(&self, place: usize, error: &TemplateError) -> WorkflowFailure {
        let reads = self.node(place).map(reads).unwrap_or_default();
        let message = match self.absent(place, &reads) {
            None => error.to_string(),
            Some(Absent { id, read, reason }) => format!(
                "{error}; '{id}' is null here, because {reason}: write for example '{read} if {id} else …'"
            ),
        };
        WorkflowFailure::new("template_failed", message)
    }

    pub(crate) fn check_error(&self, place: usize, error: &EvaluationError) -> String {
        let condition = self.flow.assert(place);
        let reads = condition.into_iter().flat_map(|condition| condition.reads());
        let reads = reads.map(|(name, at)| format!("{name}{}", at.path().trim_start_matches('$'))).collect();
        match self.absent(place, &reads) {
            None => error.to_string(),
            Some(Absent { id, reason, .. }) => format!("{error}; '{id}' is null here, because {reason}"),
        }
    }

    /// The first upstream node whose output is null and of which a field is read.
    fn absent(&self, place: usize, reads: &BTreeSet<String>) -> Option<Absent<'_>> {
        let edges = self.flow.incoming(place).iter();
        let mut untaken = edges.filter(|edge| self.take(**edge) == Some(&Take::No));
        untaken.find_map(|edge| {
            let from = self.flow.graph.edges.get(*edge)?.from;
            let id = self.node(from)?.id.as_str();
            let field = format!("{id}.");
            let read = reads.iter().find(|read| read.starts_with(&field))?.clone();
            let reason = match self.state.nodes.get(from)?.status {
                NodeStatus::Failed => "that node failed",
                NodeStatus::Completed => "the condition of its edge is false",
                _ => "that node was skipped",
            };
            Some(Absent { id, read, reason })
        })
    }
}

fn reads(node: &Node) -> BTreeSet<String> {
    let mut reads = BTreeSet::new();
    let kind = node.kind.behaviour();
    for (work, _) in kind.works() {
        match &work.parameters {
            Parameters::Inputs => {}
            Parameters::Prompt(prompt) => in_text(prompt, &mut reads),
            Parameters::Fields(fields) => fields.values().for_each(|field| in_document(field, &mut reads)),
        }
    }
    if let Some(template) = kind.template() {
        in_document(&template, &mut reads);
    }
    reads
}

fn in_document(value: &Value, reads: &mut BTreeSet<String>) {
    match value {
        Value::String(text) => in_text(text, reads),
        Value::Array(items) => items.iter().for_each(|item| in_document(item, reads)),
        Value::Object(members) => members.values().for_each(|member| in_document(member, reads)),
        _ => {}
    }
}

fn in_text(text: &str, reads: &mut BTreeSet<String>) {
    reads.extend(template::uses(text).unwrap_or_default());
}
