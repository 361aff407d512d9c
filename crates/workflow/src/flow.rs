//! A graph that is ready to run: neighbours looked up, conditions compiled.

use std::collections::HashMap;
use std::fmt;

use accord_contract::{Condition, RuleError};
use serde_json::Value;

use crate::graph::{Graph, Neighbours};
use crate::signature::Known;

/// The variables of conditions and templates with the results of comparisons.
pub(crate) const COMPARED: [&str; 3] = ["contradictions", "near_duplicates", "agreements"];

#[derive(Debug)]
pub struct Flow {
    pub(crate) graph: Graph,
    pub(crate) known: Known,
    edges: Neighbours,
    whens: HashMap<usize, Condition>,
    asserts: HashMap<usize, Condition>,
    nodes: HashMap<String, usize>,
}

/// A condition that does not compile. A checked graph has none.
#[derive(Debug, PartialEq, Eq)]
pub struct FlowError {
    location: String,
    error: RuleError,
}

impl std::error::Error for FlowError {}

impl fmt::Display for FlowError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.location, self.error)
    }
}

impl Flow {
    /// Compiles the conditions of a graph.
    pub fn new(graph: Graph, known: Known) -> Result<Self, FlowError> {
        let edges = Neighbours::of(&graph);
        let nodes = graph.nodes.iter().enumerate().map(|(place, node)| (node.id.clone(), place)).collect();
        let (whens, asserts) = (HashMap::new(), HashMap::new());
        let mut flow = Self { graph, known, edges, whens, asserts, nodes };
        flow.compile()?;
        Ok(flow)
    }

    fn compile(&mut self) -> Result<(), FlowError> {
        for (place, edge) in self.graph.edges.iter().enumerate() {
            if let Some(when) = &edge.when {
                let condition = Condition::compile(when, &["output", "input"]);
                let location = || format!("edges[{}].when", edge.index);
                let condition = condition.map_err(|error| FlowError { location: location(), error })?;
                self.whens.insert(place, condition);
            }
        }
        for (place, node) in self.graph.nodes.iter().enumerate() {
            if let Some(condition) = node.kind.behaviour().condition() {
                let condition = Condition::compile(condition, &self.variables(place));
                let location = || format!("nodes.{}.assert", node.id);
                let condition = condition.map_err(|error| FlowError { location: location(), error })?;
                self.asserts.insert(place, condition);
            }
        }
        Ok(())
    }

    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    pub fn node(&self, id: &str) -> Option<usize> {
        self.nodes.get(id).copied()
    }

    pub(crate) fn producers(&self, node: usize) -> impl Iterator<Item = usize> {
        self.incoming(node).iter().filter_map(|edge| self.graph.edges.get(*edge)).map(|edge| edge.from)
    }

    pub(crate) fn incoming(&self, node: usize) -> &[usize] {
        self.edges.incoming(node)
    }

    pub(crate) fn outgoing(&self, node: usize) -> &[usize] {
        self.edges.outgoing(node)
    }

    /// The variables of a node's condition.
    pub(crate) fn variables(&self, node: usize) -> Vec<&str> {
        let producers = self.producers(node).filter_map(|place| self.graph.nodes.get(place));
        producers.map(|node| node.id.as_str()).chain(["inputs"]).chain(COMPARED).collect()
    }

    pub(crate) fn when(&self, edge: usize) -> Option<&Condition> {
        self.whens.get(&edge)
    }

    pub(crate) fn assert(&self, node: usize) -> Option<&Condition> {
        self.asserts.get(&node)
    }

    pub(crate) fn gives(&self, node: usize) -> Option<Value> {
        gives(&self.graph, &self.known, node)
    }
}

/// The schema of a node's output, where it is known.
pub(crate) fn gives(graph: &Graph, known: &Known, node: usize) -> Option<Value> {
    let node = graph.nodes.get(node)?;
    node.kind.behaviour().output_schema(node, known)
}
