//! What is wrong with a graph that could be read: its shape, who it names, what its templates and conditions say, and
//! whether what one node gives is what the next one takes.

mod contracts;
mod expressions;
pub(crate) mod fields;
mod output;
mod shape;
#[cfg(test)]
mod tests;

use accord_contract::Place;
use accord_domain::nearest;

pub use output::output_schema;

use crate::compare::annotation_faults;
use crate::finding::{Finding, Findings};
use crate::graph::{Graph, Kind, Node, OutputSchema, Role, Target};
use crate::limits::MOST_NAMES;
use crate::signature::Known;

/// Looks for everything that is wrong.
pub fn check(graph: &Graph, known: &Known) -> Vec<Finding> {
    let mut findings = Findings::default();
    let look = shape::Look::new(graph);
    look.check(&mut findings);
    names(graph, known, &mut findings);
    expressions::check(graph, known, &look, &mut findings);
    contracts::check(graph, known, &look, &mut findings);
    annotations(graph, &mut findings);
    findings.into_vec()
}

fn edge_at(index: usize) -> Place {
    Place::root().key("edges").index(index)
}

/// What schemas of nodes say about comparing, where that cannot be followed. Agents that stand in the graph are examined
/// like others.
fn annotations(graph: &Graph, findings: &mut Findings) {
    for (node, work, role) in graph.works() {
        let place = role.place(&node.id).key("output_schema");
        let schema = work.output_schema.as_ref().and_then(OutputSchema::inline);
        for (inner, fault) in schema.into_iter().flat_map(annotation_faults) {
            findings.warning(place.join(&inner), fault);
        }
    }
}

/// Agents and workflows that are not there, and contracts that clash.
fn names(graph: &Graph, known: &Known, findings: &mut Findings) {
    for (node, work, role) in graph.works() {
        let place = role.place(&node.id);
        match &work.target {
            Target::Agent(name) if !known.agents.contains_key(name) => {
                let message = unusable("agent", name, known.agents.keys(), findings);
                findings.error(place.key("agent"), message);
            }
            Target::Workflow(name) if *name == graph.name => {
                findings.error(place.key("workflow"), "a workflow cannot contain itself");
            }
            Target::Workflow(name) if !known.workflows.contains_key(name) => {
                let message = unusable("workflow", name, known.workflows.keys(), findings);
                findings.error(place.key("workflow"), message);
            }
            _ => {}
        }
        if let Some(OutputSchema::Named(name)) = &work.output_schema
            && !known.schemas.contains_key(name)
        {
            // A warning, as it is for agents: it may come later.
            let message = format!("schema '{name}' is not registered; this node cannot run until it is");
            findings.warning(place.key("output_schema"), message);
        }
        let fixed = known.of(&node.id, work, role).is_some_and(|signature| signature.fixed);
        if fixed && work.output_schema.is_some() {
            let message = "the agent has its own output_schema, which cannot be overridden; remove this";
            findings.misplaced(place.key("output_schema"), message);
        }
        if fixed && role == Role::Own && matches!(node.kind, Kind::Planner { .. }) {
            let message = "this agent has its own output_schema, but a planner must return a plan; use an agent without one";
            findings.error(place.key("agent"), message);
        }
    }
    for node in &graph.nodes {
        if let Kind::Planner { agents, .. } = &node.kind {
            planned_with(node, agents, known, findings);
        }
    }
}

/// That nobody of this name can be used, and who may be meant.
fn unusable<'a>(
    what: &str,
    name: &str,
    known: impl ExactSizeIterator<Item = &'a String>,
    findings: &mut Findings,
) -> String {
    let looks = known.len() <= MOST_NAMES && findings.looks(1) > 0;
    let meant = looks.then(|| nearest(name, known.map(String::as_str))).flatten();
    let meant = meant.map(|meant| format!("; did you mean '{meant}'?")).unwrap_or_default();
    format!("{what} '{name}' does not exist or is invalid{meant}")
}

/// The agents that a planner may plan with: a subtask is a prompt and nothing else.
fn planned_with(node: &Node, agents: &[String], known: &Known, findings: &mut Findings) {
    let place = node.place().key("agents");
    for (index, name) in agents.iter().enumerate() {
        match known.agents.get(name) {
            None => {
                let message = unusable("agent", name, known.agents.keys(), findings);
                findings.error(place.index(index), message);
            }
            // A warning: who plans may leave such an agent out.
            Some(signature) => {
                if let Some(reason) = contracts::takes_no_prompt(&signature.takes) {
                    let message = format!(
                        "'{name}' does not accept a prompt, which is all a subtask provides: {reason}"
                    );
                    findings.warning(place.index(index), message);
                }
            }
        }
    }
}
