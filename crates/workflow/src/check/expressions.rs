//! Templates and conditions: whether they can be read, and whether what they name is there.

use accord_contract::{Condition, Place};
use serde_json::Value;

use super::fields::{Field, field};
use super::shape::Look;
use super::{edge_at, node_at, work_at};
use crate::finding::Findings;
use crate::flow::{COMPARED, gives};
use crate::graph::{Graph, Kind, Node, Parameters, Role};
use crate::signature::Known;
use crate::template;

pub(super) fn check(graph: &Graph, known: &Known, look: &Look<'_>, findings: &mut Findings) {
    for edge in &graph.edges {
        if let Some(Err(fault)) =
            edge.when.as_ref().map(|when| Condition::compile(when, &["output", "input"]))
        {
            findings.error(edge_at(edge.index).key("when"), fault);
        }
    }
    for (place, node) in graph.nodes.iter().enumerate() {
        let scope = Scope::of(graph, known, look, place);
        scope.check(node, findings);
    }
}

/// What a node can name: who feeds it, with what that gives, and other names.
struct Scope<'a> {
    producers: Vec<(&'a str, Option<Value>)>,
    others: Vec<&'static str>,
    /// Who may feed it too: an edge that could not be read says who.
    perhaps: Vec<&'a str>,
}

impl<'a> Scope<'a> {
    fn of(graph: &'a Graph, known: &Known, look: &Look<'_>, place: usize) -> Self {
        let edges = look.incoming.get(place).map(Vec::as_slice).unwrap_or_default();
        let producers = edges.iter().filter_map(|edge| graph.edges.get(*edge)).filter_map(|edge| {
            let producer = graph.nodes.get(edge.from)?;
            Some((producer.id.as_str(), gives(graph, known, edge.from)))
        });
        let nodes = graph.nodes.iter().map(|node| node.id.as_str());
        let perhaps =
            graph.left_out.iter().flat_map(|ids| ids.iter().map(String::as_str).chain(nodes.clone()));
        Self {
            producers: producers.collect(),
            others: [&["inputs"][..], &COMPARED].concat(),
            perhaps: perhaps.collect(),
        }
    }

    fn with(&self, more: &[&'static str]) -> Self {
        let others = [&self.others[..], more].concat();
        Self { producers: self.producers.clone(), others, perhaps: self.perhaps.clone() }
    }

    fn check(&self, node: &Node, findings: &mut Findings) {
        let at = node_at(&node.id);
        match &node.kind {
            Kind::Input { .. } => {}
            Kind::Output { value } => {
                if let Some(value) = value {
                    self.document(value, &at.key("value"), findings);
                }
            }
            Kind::Check { assert, .. } => self.condition(assert, at.key("assert"), findings),
            Kind::Agent(work) => self.parameters(&work.parameters, &at, findings),
            Kind::Map { over, work, .. } => {
                self.text(over, &at.key("over"), findings);
                if template::shape(over) == template::Shape::Plain {
                    let message = "this is a text and no template: write for example '{{ files.list }}'";
                    findings.error(at.key("over"), message);
                }
                self.with(&["item", "index"]).parameters(&work.parameters, &at, findings);
            }
            Kind::Planner { work, synthesis, .. } => {
                self.parameters(&work.parameters, &at, findings);
                if let Some(synthesis) = synthesis {
                    let at = work_at(&node.id, Role::Synthesis);
                    self.with(&["plan", "results"]).parameters(&synthesis.parameters, &at, findings);
                }
            }
        }
    }

    fn parameters(&self, parameters: &Parameters, at: &Place, findings: &mut Findings) {
        match parameters {
            Parameters::Inputs => {}
            Parameters::Prompt(prompt) => self.text(prompt, &at.key("prompt"), findings),
            Parameters::Fields(fields) => {
                for (name, value) in fields {
                    self.document(value, &at.key("parameters").key(name), findings);
                }
            }
        }
    }

    fn document(&self, value: &Value, at: &Place, findings: &mut Findings) {
        match value {
            Value::String(text) => self.text(text, at, findings),
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    self.document(item, &at.index(index), findings);
                }
            }
            Value::Object(members) => {
                for (name, member) in members {
                    self.document(member, &at.key(name), findings);
                }
            }
            _ => {}
        }
    }

    fn text(&self, text: &str, at: &Place, findings: &mut Findings) {
        if template::shape(text) == template::Shape::Plain {
            return;
        }
        match template::uses(text) {
            Err(fault) => findings.error(at.clone(), format!("the template cannot be read: {fault}")),
            Ok(names) => {
                for fault in template::unknown_names(text) {
                    findings.error(at.clone(), format!("the template cannot be rendered: {fault}"));
                }
                for name in names {
                    self.name(&name, at, findings);
                }
            }
        }
    }

    fn name(&self, name: &str, at: &Place, findings: &mut Findings) {
        let path: Vec<&str> = name.split('.').collect();
        let Some((root, fields)) = path.split_first() else { return };
        if self.others.contains(root) {
            return;
        }
        let Some((_, schema)) = self.producers.iter().find(|(id, _)| id == root) else {
            if self.perhaps.contains(root) {
                return;
            }
            let producers: Vec<&str> = self.producers.iter().map(|(id, _)| *id).collect();
            let known = match producers.is_empty() {
                true => "nothing feeds this node".to_owned(),
                false => format!("this node is fed by {}", producers.join(", ")),
            };
            return findings.error(at.clone(), format!("the template names '{root}', and {known}"));
        };
        let Some(schema) = schema else { return };
        let so_far = |depth: usize| {
            let before: Vec<&str> = path.iter().take(depth + 1).copied().collect();
            (before.join("."), fields.get(depth).copied().unwrap_or_default())
        };
        match field(schema, fields) {
            Field::Missing(depth) => {
                let (before, missing) = so_far(depth);
                findings.error(
                    at.clone(),
                    format!("the template names '{name}', and {before} has no field '{missing}'"),
                );
            }
            Field::Undeclared(depth) => {
                let (before, missing) = so_far(depth);
                let message = format!(
                    "the template names '{name}', and the schema of {before} does not speak of a field '{missing}'"
                );
                findings.warning(at.clone(), message);
            }
            Field::Known(_) | Field::Open => {}
        }
    }

    fn condition(&self, text: &str, at: Place, findings: &mut Findings) {
        let names: Vec<&str> =
            self.producers.iter().map(|(id, _)| *id).chain(self.others.iter().copied()).collect();
        let more = self.perhaps.iter().copied().filter(|id| !names.contains(id));
        let names: Vec<&str> = names.iter().copied().chain(more).collect();
        if let Err(fault) = Condition::compile(text, &names) {
            findings.error(at, fault);
        }
    }
}
