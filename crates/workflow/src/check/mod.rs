//! Checks a graph that could be read: its topology, the agents that it names, its templates and conditions, and whether
//! the output of one node is what the next one accepts.

mod contracts;
mod expressions;
pub(crate) mod fields;
mod output;
#[cfg(test)]
mod tests;
mod topology;

use accord_contract::{JsonPath, Meter};
use accord_domain::nearest;

pub(crate) use contracts::{Upstream, accepts_no_prompt};
pub(crate) use expressions::Scope;
pub use output::output_schema;

use crate::agreement::{Agreement, agreement};
use crate::compare::annotation_problems;
use crate::finding::{Finding, Findings};
use crate::graph::{Graph, Node, OutputSchema, Role, Target, Work};
use crate::limits::MOST_NAMES;
use crate::signature::Known;
use topology::Topology;

pub fn check(graph: &Graph, known: &Known, meter: &Meter) -> Vec<Finding> {
    let mut findings = Findings::new(meter);
    let topology = Topology::new(graph);
    topology.check(&mut findings);
    names(graph, known, &mut findings);
    expressions::check(graph, known, &topology, &mut findings);
    contracts::check(graph, known, &topology, &mut findings);
    annotations(graph, &mut findings);
    findings.into_vec()
}

fn edge_at(index: usize) -> JsonPath {
    JsonPath::root().key("edges").index(index)
}

/// Warns of annotations for comparing that cannot be followed. Agents defined in the graph are checked like others.
fn annotations(graph: &Graph, findings: &mut Findings) {
    for (node, work, role) in graph.works() {
        let place = role.place(&node.id).key("output_schema");
        let schema = work.output_schema.as_ref().and_then(OutputSchema::inline);
        for (inner, message) in schema
            .into_iter()
            .flat_map(|schema| annotation_problems(schema, findings.meter))
            .collect::<Vec<_>>()
        {
            findings.warning(place.join(&inner), message);
        }
    }
}

/// Reports unknown agents and workflows, and output schemas that the agent does not allow.
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
            // A warning, as for agents: it may be registered later.
            let message = format!("schema '{name}' is not registered; this node cannot run until it is");
            findings.warning(place.key("output_schema"), message);
        }
        let fixed = known.of(&node.id, work, role).is_some_and(|signature| signature.fixed);
        if let (true, Some(_)) = (fixed, &work.output_schema) {
            own_schema(node, work, role, known, findings);
        }
    }
    for node in &graph.nodes {
        node.kind.behaviour().check_agents(node, known, findings);
    }
}

/// Reports an output schema that does not accept what the agent's own does: the agent's is enforced.
fn own_schema(node: &Node, work: &Work, role: Role, known: &Known, findings: &mut Findings) {
    let place = role.place(&node.id).key("output_schema");
    let own = known.of(&node.id, work, role).and_then(|signature| signature.gives.as_ref());
    let (Some(own), Some(asked)) = (own, known.gives(&node.id, work, role)) else { return };
    let differs = match agreement(own, asked, findings.meter) {
        Ok(Agreement::Implied) => return,
        Ok(Agreement::Partial(places) | Agreement::Impossible(places)) => places.into_iter().next(),
        Err(_) => None,
    };
    let why = differs.map(|place| format!(" ({place})")).unwrap_or_default();
    let message = format!(
        "the agent has its own output_schema, which this does not accept in full{why}; remove this, or make it as wide"
    );
    findings.misplaced(place, message);
}

/// The message for a name that is unknown or invalid.
pub(crate) fn unusable<'a>(
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
