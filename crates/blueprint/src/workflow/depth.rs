//! How deep workflows are nested.
//!
//! Nesting that is too deep is an error if every run would reach the bottom. If a run may avoid it (a condition, an empty list,
//! a failure that is tolerated), it is a warning: the run itself fails when it gets there.

use std::collections::BTreeMap;

use accord_api::{Problem, Severity};
use accord_workflow::limits::DEEPEST_NESTING;
use accord_workflow::{Graph, Node, NodeKind, Target, Then};

use super::{Library, ParsedWorkflow};

/// The longest ways down from a workflow, by the names on it, itself included.
#[derive(Debug, Clone, Default)]
struct Ways {
    possible: Vec<String>,
    /// One that every run takes that does not fail.
    certain: Vec<String>,
}

impl Library {
    /// Reports where workflows would nest too deep.
    pub(super) fn check_depth(&self, graph: &Graph, read: &ParsedWorkflow, problems: &mut Vec<Problem>) {
        let mut known = BTreeMap::new();
        for (node, work, role) in graph.works() {
            let Target::Workflow(name) = &work.target else { continue };
            let ways = self.ways_down(graph, (name.clone(), DEEPEST_NESTING + 1), &mut known);
            let (severity, way) = match is_certain(graph, node) && is_too_deep(&ways.certain) {
                true => (Severity::Error, ways.certain),
                false => (Severity::Warning, ways.possible),
            };
            if is_too_deep(&way) {
                let way = way.join(" → ");
                let message = format!(
                    "workflows are nested deeper than {DEEPEST_NESTING} levels: {} → {way}",
                    graph.name
                );
                problems.push(read.problem(severity, role.place(&node.id).key("workflow"), message));
            }
        }
    }

    /// The ways down from a workflow, up to a number of steps: one more than is allowed is all that has to be known. A way back
    /// to the graph is a cycle, which is reported elsewhere.
    fn ways_down(
        &self,
        graph: &Graph,
        from: (String, u32),
        known: &mut BTreeMap<(String, u32), Ways>,
    ) -> Ways {
        let (name, steps) = &from;
        if *steps == 0 || *name == graph.name {
            return Ways::default();
        }
        if let Some(ways) = known.get(&from) {
            return ways.clone();
        }
        let mut longest = Ways::default();
        if let Some(inner) = self.workflows.get(name).and_then(|found| found.graph.as_ref()) {
            for (node, work, _) in inner.works() {
                let Target::Workflow(deeper) = &work.target else { continue };
                let below = self.ways_down(graph, (deeper.clone(), steps - 1), known);
                if below.possible.len() > longest.possible.len() {
                    longest.possible = below.possible;
                }
                if is_certain(inner, node) && below.certain.len() > longest.certain.len() {
                    longest.certain = below.certain;
                }
            }
        }
        longest.possible.insert(0, name.clone());
        longest.certain.insert(0, name.clone());
        known.insert(from, longest.clone());
        longest
    }
}

fn is_too_deep(way: &[String]) -> bool {
    way.len() > DEEPEST_NESTING as usize
}

/// Whether every run of a graph comes to the work of this node, unless it fails before, and fails with it.
fn is_certain(graph: &Graph, node: &Node) -> bool {
    let goes_on = graph.nodes.iter().any(|node| node.on_failure.then == Then::Continue);
    matches!(node.kind, NodeKind::Agent(_)) && !goes_on && graph.edges.iter().all(|edge| edge.when.is_none())
}
