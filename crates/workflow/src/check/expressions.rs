//! Templates and conditions: whether they compile, and whether what they name exists.

use std::collections::BTreeSet;

use accord_contract::{Condition, JsonPath, Step};
use serde_json::Value;

use super::edge_at;
use super::fields::{Field, field, meant};
use super::topology::Topology;
use crate::finding::Findings;
use crate::flow::{COMPARED, gives};
use crate::graph::{Edge, Graph, Node, Parameters, Then};
use crate::schema_warnings::rule_warnings;
use crate::signature::Known;
use crate::template;

pub(super) fn check(graph: &Graph, known: &Known, topology: &Topology<'_>, findings: &mut Findings) {
    for edge in &graph.edges {
        let Some(when) = &edge.when else { continue };
        let place = edge_at(edge.index).key("when");
        match Condition::compile(when, &["output", "input"]) {
            Err(error) => findings.error(place, error.to_string()),
            Ok(condition) => {
                let output = gives(graph, known, edge.from);
                let schemas = [("output", output.as_ref()), ("input", graph.input_schema())];
                warn_of_unknown_fields(&condition, &schemas, &place, findings);
            }
        }
    }
    let (named, none) = (named(graph), BTreeSet::new());
    for (place, node) in graph.nodes.iter().enumerate() {
        let perhaps = if topology.may_be_fed(place) { &named } else { &none };
        let scope = Scope::of(graph, known, topology, place, perhaps);
        node.kind.behaviour().check_expressions(node, &scope, findings);
    }
}

/// Warns of fields that a rule reads and that the schemas of its variables do not have.
fn warn_of_unknown_fields(
    condition: &Condition,
    schemas: &[(&str, Option<&Value>)],
    place: &JsonPath,
    findings: &mut Findings,
) {
    let schema_of =
        |name: &str| schemas.iter().find(|(known, _)| *known == name).and_then(|(_, schema)| *schema);
    let reads = condition.reads();
    let reads = reads.get(..findings.looks(reads.len())).unwrap_or_default();
    for warning in rule_warnings(reads, schema_of) {
        findings.warning(place.clone(), warning);
    }
}

#[derive(Clone)]
struct Producer<'a> {
    id: &'a str,
    /// The schema of its output, where it is known.
    gives: Option<Value>,
    missing: Option<&'static str>,
}

/// The names that the templates and conditions of a node can use.
pub(crate) struct Scope<'a> {
    graph: &'a Graph,
    id: &'a str,
    producers: Vec<Producer<'a>>,
    others: Vec<&'static str>,
    /// Nodes that an unreadable edge may connect to it.
    perhaps: &'a BTreeSet<&'a str>,
}

/// Why a node with several inputs may start without this one. A map that continues has an output, without some items.
fn missing(producer: &Node, edge: &Edge) -> Option<&'static str> {
    let goes_on = producer.on_failure.then == Then::Continue && !producer.kind.is_per_item();
    match edge.when {
        Some(_) => Some("its edge has a condition"),
        None => goes_on.then_some("the run continues if it fails"),
    }
}

fn named(graph: &Graph) -> BTreeSet<&str> {
    let ends = graph.unread_edges().iter().flat_map(|ends| [&ends.from, &ends.to]).flatten();
    let read = graph.nodes.iter().map(|node| node.id.as_str());
    read.chain(graph.unread_nodes()).chain(ends.map(String::as_str)).collect()
}

impl<'a> Scope<'a> {
    fn of(
        graph: &'a Graph,
        known: &Known,
        topology: &Topology<'_>,
        place: usize,
        perhaps: &'a BTreeSet<&'a str>,
    ) -> Self {
        let edges = topology.edges.incoming(place);
        let producers = edges.iter().filter_map(|edge| graph.edges.get(*edge)).filter_map(|edge| {
            let producer = graph.nodes.get(edge.from)?;
            let missing = missing(producer, edge).filter(|_| edges.len() > 1);
            Some(Producer { id: &producer.id, gives: gives(graph, known, edge.from), missing })
        });
        let id = graph.nodes.get(place).map(|node| node.id.as_str()).unwrap_or_default();
        let others = [&["inputs"][..], &COMPARED].concat();
        Self { graph, id, producers: producers.collect(), others, perhaps }
    }

    pub(crate) fn with(&self, more: &[&'static str]) -> Self {
        let others = [&self.others[..], more].concat();
        Self { others, producers: self.producers.clone(), ..*self }
    }

    pub(crate) fn parameters(&self, parameters: &Parameters, at: &JsonPath, findings: &mut Findings) {
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

    /// Warns of reading a field of a value that may be null.
    fn perhaps_null(&self, id: &str, who: &str, guard: &str, at: &JsonPath, findings: &mut Findings) {
        let producer = self.producers.iter().find(|producer| producer.id == id);
        if let Some(missing) = producer.and_then(|producer| producer.missing) {
            let message = format!(
                "'{id}' may be null here, because {missing}, and {who} reads a field of it; write for example '{guard}'"
            );
            findings.warning(at.clone(), message);
        }
    }

    pub(crate) fn document(&self, value: &Value, at: &JsonPath, findings: &mut Findings) {
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

    pub(crate) fn text(&self, text: &str, at: &JsonPath, findings: &mut Findings) {
        if template::shape(text) == template::Shape::Plain {
            return;
        }
        match template::uses(text) {
            Err(error) => findings.error(at.clone(), format!("invalid template: {error}")),
            Ok(names) => {
                for unknown in template::unknown_names(text) {
                    findings.error(at.clone(), format!("the template cannot be rendered: {unknown}"));
                }
                for name in &names {
                    self.name(name, at, findings);
                    let root = name.split('.').next().unwrap_or_default();
                    if root != name && !names.contains(root) && !template::is_guarded(text) {
                        let guard = format!("{name} if {root} else …");
                        self.perhaps_null(root, "the template", &guard, at, findings);
                    }
                }
            }
        }
    }

    fn name(&self, name: &str, at: &JsonPath, findings: &mut Findings) {
        let path: Vec<&str> = name.split('.').collect();
        let Some((root, fields)) = path.split_first() else { return };
        if self.others.contains(root) {
            return;
        }
        let Some(producer) = self.producers.iter().find(|producer| producer.id == *root) else {
            if self.perhaps.contains(root) {
                return;
            }
            let producers: Vec<&str> = self.producers.iter().map(|producer| producer.id).collect();
            let known = match producers.is_empty() {
                true => "this node has no inputs".to_owned(),
                false => format!("its inputs are {}", producers.join(", ")),
            };
            let remedy =
                self.edge_from(root).map(|edge| format!("; add the edge {edge}")).unwrap_or_default();
            return findings.error(at.clone(), format!("the template uses '{root}', but {known}{remedy}"));
        };
        let Some(schema) = &producer.gives else { return };
        let may_look = findings.looks(1) > 0;
        let so_far = |depth: usize| {
            let before: Vec<&str> = path.iter().take(depth + 1).copied().collect();
            let missing = fields.get(depth).copied().unwrap_or_default();
            let owner: JsonPath =
                fields.iter().take(depth).map(|name| Step::Key((*name).to_owned())).collect();
            let meant = may_look.then(|| meant(schema, owner.steps(), missing)).flatten();
            let hint = meant.map(|meant| format!("; did you mean '{meant}'?")).unwrap_or_default();
            (before.join("."), format!("'{missing}'{hint}"))
        };
        match field(schema, fields) {
            Field::Missing(depth) => {
                let (before, missing) = so_far(depth);
                findings.error(
                    at.clone(),
                    format!("the template uses '{name}', but {before} has no field {missing}"),
                );
            }
            Field::Undeclared(depth) => {
                let (before, missing) = so_far(depth);
                let message = format!(
                    "the template uses '{name}', but the schema of {before} does not declare a field {missing}"
                );
                findings.warning(at.clone(), message);
            }
            Field::Known(_) | Field::Open => {}
        }
    }

    /// The edge to add in order to use another node.
    fn edge_from(&self, id: &str) -> Option<String> {
        let named = self.graph.nodes.iter().find(|node| node.id == id && node.id != self.id)?;
        (!named.kind.is_output()).then(|| format!("{{ from: {id}, to: {} }}", self.id))
    }

    pub(crate) fn condition(&self, text: &str, at: JsonPath, findings: &mut Findings) {
        let names: Vec<&str> =
            self.producers.iter().map(|producer| producer.id).chain(self.others.iter().copied()).collect();
        let more = self.perhaps.iter().copied().filter(|id| !names.contains(id));
        let names: Vec<&str> = names.iter().copied().chain(more).collect();
        match Condition::compile(text, &names) {
            Err(error) => findings.error(at, error.to_string()),
            Ok(condition) => {
                let schemas: Vec<_> =
                    self.producers.iter().map(|each| (each.id, each.gives.as_ref())).collect();
                warn_of_unknown_fields(&condition, &schemas, &at, findings);
                let is_bare = |id: &str| {
                    condition.reads().iter().any(|(name, place)| name == id && *place == JsonPath::root())
                };
                for (id, place) in condition.reads() {
                    if !is_bare(id) && !place.steps().is_empty() {
                        self.perhaps_null(id, "the rule", &format!("{id} != null && …"), &at, findings);
                    }
                }
            }
        }
    }
}
