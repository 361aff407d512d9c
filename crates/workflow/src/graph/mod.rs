//! The graph: nodes and edges, as a document says them.

pub(crate) mod file_schema;
mod node;
mod object_reader;
mod read;
mod work;

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use accord_contract::Place;
use serde_json::{Map, Value};

use crate::kinds::NodeKind;

pub(crate) use object_reader::{ObjectReader, type_name};
pub use read::read;
pub(crate) use work::{concurrency, schema, work};

/// A workflow.
#[derive(Debug, Clone, PartialEq)]
pub struct Graph {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// The nodes, in the order of the document.
    pub nodes: Vec<Node>,
    /// The edges, in the order of the document.
    pub edges: Vec<Edge>,
    /// Where nodes or edges could not be read: what is known of those. Such a graph is good for looking for more mistakes
    /// and for nothing else.
    pub left_out: Option<LeftOut>,
}

/// What could not be read of a graph, to tell what is wrong from what only follows.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LeftOut {
    /// The ids of the nodes.
    pub nodes: BTreeSet<String>,
    /// The edges, each with what it gives as its ends.
    pub edges: Vec<Ends>,
}

/// The ends of an edge that could not be read, where they are texts. They need not be ids of nodes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Ends {
    /// Who gives.
    pub from: Option<String>,
    /// Who gets.
    pub to: Option<String>,
}

/// A node.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// Its id: the name of its output in templates and conditions.
    pub id: String,
    /// What it does.
    pub kind: NodeKind,
    /// What its failure means.
    pub on_failure: OnFailure,
}

/// Something for an agent to do.
#[derive(Debug, Clone, PartialEq)]
pub struct Work {
    /// Who does it.
    pub target: Target,
    /// What it is told.
    pub parameters: Parameters,
    /// What it must answer, where the agent does not say so itself.
    pub output_schema: Option<OutputSchema>,
}

/// What an agent must answer.
#[derive(Debug, Clone, PartialEq)]
pub enum OutputSchema {
    /// A schema that stands in the document.
    Inline(Value),
    /// The registered schema of this name.
    Named(String),
}

impl OutputSchema {
    /// The schema that stands in the document, if one does.
    pub(crate) fn inline(&self) -> Option<&Value> {
        match self {
            Self::Inline(schema) => Some(schema),
            Self::Named(_) => None,
        }
    }
}

/// Who does something.
#[derive(Debug, Clone, PartialEq)]
pub enum Target {
    /// The agent of this name.
    Agent(String),
    /// An agent that stands in the document.
    Inline(Value),
    /// The workflow of this name.
    Workflow(String),
}

/// What an agent is told.
#[derive(Debug, Clone, PartialEq)]
pub enum Parameters {
    /// The inputs of the node.
    Inputs,
    /// A prompt, by template.
    Prompt(String),
    /// Parameters, whose texts are templates.
    Fields(Map<String, Value>),
}

/// What the failure of a node means, once it was retried so often.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OnFailure {
    /// How often it is tried again.
    pub retries: u32,
    /// What follows then.
    pub then: Then,
}

/// What follows a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Then {
    /// The whole run fails.
    #[default]
    Fail,
    /// The run goes on without the node's output.
    Continue,
    /// The other items of a map are worked on first; then the whole run fails.
    FailAtEnd,
}

/// An edge: what one node gives, another one gets.
#[derive(Debug, Clone, PartialEq)]
pub struct Edge {
    /// Who gives, by its place among the nodes.
    pub from: usize,
    /// Who gets.
    pub to: usize,
    /// The condition under which, in CEL over `output` and `input`.
    pub when: Option<String>,
    /// Its place in the document.
    pub index: usize,
}

impl Graph {
    /// The edges that could not be read.
    pub(crate) fn unread_edges(&self) -> &[Ends] {
        self.left_out.as_ref().map(|left_out| left_out.edges.as_slice()).unwrap_or_default()
    }

    /// The ids of the nodes that could not be read.
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

    /// The names of all registered schemas that its nodes use. The agents that stand in it may use others.
    pub fn schema_names(&self) -> BTreeSet<&str> {
        let named = self.works().filter_map(|(_, work, _)| match work.output_schema.as_ref()? {
            OutputSchema::Named(name) => Some(name.as_str()),
            OutputSchema::Inline(_) => None,
        });
        named.collect()
    }

    /// What the input of a run must be, where the graph says so.
    pub fn input_schema(&self) -> Option<&Value> {
        self.nodes.iter().find_map(|node| match &node.kind {
            NodeKind::Input(input) => input.schema.as_ref(),
            _ => None,
        })
    }
}

/// Which work of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// Its own.
    Own,
    /// The synthesis of a planner.
    Synthesis,
}

impl Role {
    /// Where such a work of a node stands in the document.
    pub fn place(self, node: &str) -> Place {
        let node = Place::root().key("nodes").key(node);
        match self {
            Self::Own => node,
            Self::Synthesis => node.key("synthesis"),
        }
    }
}

impl Node {
    /// Where it stands in the document.
    pub(crate) fn place(&self) -> Place {
        Role::Own.place(&self.id)
    }
}

/// The edges that lead to and away from each node, by their places in the graph.
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
