//! The graph of a workflow document: nodes and edges.

pub(crate) mod file_schema;
mod node;
mod object_reader;
mod read;
mod work;

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use accord_contract::JsonPath;
use serde_json::{Map, Value};

use crate::kinds::NodeKind;

pub(crate) use object_reader::{ObjectReader, type_name};
pub use read::read;
pub(crate) use work::{concurrency, output_schema, schema, work};

#[derive(Debug, Clone, PartialEq)]
pub struct Graph {
    pub name: String,
    pub description: String,
    /// The nodes, in the order of the document.
    pub nodes: Vec<Node>,
    /// The edges, in the order of the document.
    pub edges: Vec<Edge>,
    /// What is known of the nodes and edges that could not be read. A graph without them can be checked, but not run.
    pub left_out: Option<LeftOut>,
}

/// The nodes and edges that could not be read: what depends on them is not reported as a mistake.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LeftOut {
    pub nodes: BTreeSet<String>,
    pub edges: Vec<EdgeEnds>,
}

/// The ends of an edge that could not be read, if they are strings. They may not be ids of nodes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EdgeEnds {
    pub from: Option<String>,
    pub to: Option<String>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// Its id: the name of its output in templates and conditions.
    pub id: String,
    pub kind: NodeKind,
    pub on_failure: OnFailure,
}

/// What an agent has to do for a node.
#[derive(Debug, Clone, PartialEq)]
pub struct Work {
    pub target: Target,
    pub parameters: Parameters,
    /// The schema of its output, if the agent has none of its own.
    pub output_schema: Option<OutputSchema>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum OutputSchema {
    Inline(Value),
    Named(String),
}

impl OutputSchema {
    pub(crate) fn inline(&self) -> Option<&Value> {
        match self {
            Self::Inline(schema) => Some(schema),
            Self::Named(_) => None,
        }
    }
}

/// The agent or workflow that does a work.
#[derive(Debug, Clone, PartialEq)]
pub enum Target {
    Agent(String),
    /// An agent that is defined in the document.
    Inline(Value),
    Workflow(String),
}

#[derive(Debug, Clone, PartialEq)]
pub enum Parameters {
    Inputs,
    Prompt(String),
    /// Parameters whose strings are templates.
    Fields(Map<String, Value>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OnFailure {
    pub retries: u32,
    pub then: Then,
}

/// What happens when a node has failed for good.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Then {
    #[default]
    Fail,
    /// The run continues without the node's output.
    Continue,
    /// The other items of a map are completed first; then the whole run fails.
    FailAtEnd,
}

/// An edge: the output of one node is an input of another.
#[derive(Debug, Clone, PartialEq)]
pub struct Edge {
    pub from: usize,
    pub to: usize,
    /// Its condition, in CEL over `output` and `input`.
    pub when: Option<String>,
    pub index: usize,
}

impl Graph {
    pub(crate) fn unread_edges(&self) -> &[EdgeEnds] {
        self.left_out.as_ref().map(|left_out| left_out.edges.as_slice()).unwrap_or_default()
    }

    pub(crate) fn unread_nodes(&self) -> impl Iterator<Item = &str> {
        self.left_out.iter().flat_map(|left_out| left_out.nodes.iter().map(String::as_str))
    }

    /// Every work of every node, with the node and what the work is for.
    pub fn works(&self) -> impl Iterator<Item = (&Node, &Work, Role)> {
        self.nodes.iter().flat_map(|node| {
            node.kind.behaviour().works().into_iter().map(move |(work, role)| (node, work, role))
        })
    }

    /// The names of all agents that it uses.
    pub fn agent_names(&self) -> BTreeSet<&str> {
        let named = self.works().filter_map(|(_, work, _)| match &work.target {
            Target::Agent(name) => Some(name.as_str()),
            Target::Inline(_) | Target::Workflow(_) => None,
        });
        let others = self.nodes.iter().flat_map(|node| node.kind.behaviour().other_agents());
        named.chain(others.map(String::as_str)).collect()
    }

    /// The names of all workflows that it uses.
    pub fn workflow_names(&self) -> BTreeSet<&str> {
        let named = self.works().filter_map(|(_, work, _)| match &work.target {
            Target::Workflow(name) => Some(name.as_str()),
            Target::Inline(_) | Target::Agent(_) => None,
        });
        named.collect()
    }

    /// The names of all registered schemas that its nodes use. Agents defined in it may use others.
    pub fn schema_names(&self) -> BTreeSet<&str> {
        let named = self.works().filter_map(|(_, work, _)| match work.output_schema.as_ref()? {
            OutputSchema::Named(name) => Some(name.as_str()),
            OutputSchema::Inline(_) => None,
        });
        named.collect()
    }

    pub fn input_schema(&self) -> Option<&Value> {
        self.nodes.iter().find_map(|node| node.kind.input_schema())
    }
}

/// Which work of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    Own,
    Synthesis,
}

impl Role {
    pub fn place(self, node: &str) -> JsonPath {
        let node = JsonPath::root().key("nodes").key(node);
        match self {
            Self::Own => node,
            Self::Synthesis => node.key("synthesis"),
        }
    }
}

impl Node {
    pub(crate) fn place(&self) -> JsonPath {
        Role::Own.place(&self.id)
    }
}

/// The incoming and outgoing edges of each node, by index.
#[derive(Debug)]
pub(crate) struct Neighbours {
    incoming: Vec<Vec<usize>>,
    outgoing: Vec<Vec<usize>>,
}

impl Neighbours {
    pub(crate) fn of(graph: &Graph) -> Self {
        let none = vec![Vec::new(); graph.nodes.len()];
        let mut neighbours = Self { incoming: none.clone(), outgoing: none };
        for (place, edge) in graph.edges.iter().enumerate() {
            if let Some(edges) = neighbours.incoming.get_mut(edge.to) {
                edges.push(place);
            }
            if let Some(edges) = neighbours.outgoing.get_mut(edge.from) {
                edges.push(place);
            }
        }
        neighbours
    }

    pub(crate) fn incoming(&self, node: usize) -> &[usize] {
        self.incoming.get(node).map(Vec::as_slice).unwrap_or_default()
    }

    pub(crate) fn outgoing(&self, node: usize) -> &[usize] {
        self.outgoing.get(node).map(Vec::as_slice).unwrap_or_default()
    }
}
