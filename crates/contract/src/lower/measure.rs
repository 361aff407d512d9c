//! Counting after expansion: a definition that is used five times counts five times, because that is how a
//! provider compiles it.

use std::collections::HashSet;

use serde::Serialize;

use super::graph::{Graph, NodeId, Presence, Shape};

/// The sizes of a schema once each reference is replaced by its target.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Properties that may be absent.
    pub optional: u64,
    /// Places that take one of several shapes or types.
    pub unions: u64,
    /// How often each node occurs.
    #[serde(skip)]
    times: Vec<u64>,
}

impl Counts {
    /// The counts of a graph; `None` if it contains itself.
    pub(super) fn of(graph: &Graph) -> Option<Self> {
        let (order, circles) = order(graph);
        if !circles.is_empty() {
            return None;
        }
        let mut times = vec![0u64; graph.len()];
        if let Some(root) = times.get_mut(graph.root().0) {
            *root = 1;
        }
        let (mut optional, mut unions) = (0u64, 0u64);
        // Parents before children: by then each node knows how often it occurs.
        for id in order.into_iter().rev() {
            let count = times.get(id.0).copied().unwrap_or(0);
            let shape = &graph.get(id).shape;
            for child in shape.children() {
                if let Some(times) = times.get_mut(child.0) {
                    *times = times.saturating_add(count);
                }
            }
            let (here, choice) = local(graph, id);
            optional = optional.saturating_add(here.saturating_mul(count));
            unions = unions.saturating_add(choice.saturating_mul(count));
        }
        Some(Self { optional, unions, times })
    }

    /// How often a node occurs.
    pub(super) fn times(&self, id: NodeId) -> u64 {
        self.times.get(id.0).copied().unwrap_or(0)
    }
}

/// The optional members and the unions of one node.
fn local(graph: &Graph, id: NodeId) -> (u64, u64) {
    let mut unions = u64::from(is_union(graph, id));
    if let Shape::Map { rest } | Shape::Object { rest: Some(rest), .. } = &graph.get(id).shape {
        unions += u64::from(rest.nodes().count() > 1);
    }
    let (Shape::Object { members, .. } | Shape::Tuple { members, .. }) = &graph.get(id).shape else {
        return (0, unions);
    };
    let mut optional = 0;
    for member in members {
        if !member.always_there() {
            optional += 1;
        }
        if member.presence != Presence::Plain && !is_union(graph, member.node) {
            unions += 1;
        }
    }
    (optional, unions)
}

/// Whether the lowered schema of a node is a union by itself.
pub(super) fn is_union(graph: &Graph, id: NodeId) -> bool {
    match &graph.get(id).shape {
        Shape::Union { branches, .. } => branches.len() > 1,
        Shape::Scalar { types, .. } => types.len() > 1,
        _ => false,
    }
}

/// All nodes below the root, children before parents, and the nodes at which a circle closes.
pub(super) fn order(graph: &Graph) -> (Vec<NodeId>, HashSet<NodeId>) {
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        Open,
        Done,
    }
    let mut marks = vec![Mark::New; graph.len()];
    let (mut order, mut circles) = (Vec::new(), HashSet::new());
    let mut stack = vec![(graph.root(), false)];
    while let Some((id, leaving)) = stack.pop() {
        let Some(mark) = marks.get_mut(id.0) else { continue };
        if leaving {
            *mark = Mark::Done;
            order.push(id);
            continue;
        }
        if *mark != Mark::New {
            continue;
        }
        *mark = Mark::Open;
        stack.push((id, true));
        for child in graph.get(id).shape.children() {
            match marks.get(child.0) {
                // An open node is an ancestor.
                Some(Mark::Open) => {
                    circles.insert(child);
                }
                Some(Mark::New) => stack.push((child, false)),
                _ => {}
            }
        }
    }
    (order, circles)
}
