//! The topology of a graph: cycles, dead ends, unreachable nodes.

use std::collections::{BTreeSet, VecDeque};

use accord_contract::JsonPath;

use super::edge_at;
use crate::finding::Findings;
use crate::graph::{Edge, Graph, Neighbours, Role};
use crate::kinds::NodeKind;

pub(super) struct Topology<'a> {
    graph: &'a Graph,
    pub(super) edges: Neighbours,
    /// For each node, whether an unreadable edge may lead to it.
    perhaps_fed: Vec<bool>,
    /// For each node, whether an unreadable edge may lead away from it.
    perhaps_feeding: Vec<bool>,
}

/// For each node, whether one of these ends of unreadable edges may mean it. An end that is not an id may mean any node.
fn perhaps_meant<'a>(graph: &Graph, ends: impl Iterator<Item = Option<&'a String>>) -> Vec<bool> {
    let ends: BTreeSet<Option<&str>> = ends.map(|end| end.map(String::as_str)).collect();
    let ids = graph.nodes.iter().map(|node| node.id.as_str());
    let known: BTreeSet<Option<&str>> = ids.clone().chain(graph.unread_nodes()).map(Some).collect();
    let any = !ends.is_subset(&known);
    ids.map(|id| any || ends.contains(&Some(id))).collect()
}

impl<'a> Topology<'a> {
    pub(super) fn new(graph: &'a Graph) -> Self {
        let unread = graph.unread_edges();
        Self {
            graph,
            edges: Neighbours::of(graph),
            perhaps_fed: perhaps_meant(graph, unread.iter().map(|ends| ends.to.as_ref())),
            perhaps_feeding: perhaps_meant(graph, unread.iter().map(|ends| ends.from.as_ref())),
        }
    }

    fn id(&self, node: usize) -> &'a str {
        self.graph.nodes.get(node).map(|node| node.id.as_str()).unwrap_or_default()
    }

    pub(super) fn of_kind(&self, is_it: fn(&NodeKind) -> bool) -> Vec<usize> {
        let nodes = self.graph.nodes.iter().enumerate();
        nodes.filter(|(_, node)| is_it(&node.kind)).map(|(place, _)| place).collect()
    }

    pub(super) fn may_be_fed(&self, node: usize) -> bool {
        self.perhaps_fed.get(node) == Some(&true)
    }

    pub(super) fn check(&self, findings: &mut Findings) {
        self.ends(findings);
        self.cycles(findings);
        self.reach(findings);
    }

    fn ends(&self, findings: &mut Findings) {
        for extra in self.of_kind(NodeKind::is_input).iter().skip(1) {
            findings
                .error(Role::Own.place(self.id(*extra)), "duplicate input node; a workflow has one input");
        }
        // An unreadable node may be an output.
        if self.graph.unread_nodes().next().is_none() && self.of_kind(NodeKind::is_output).is_empty() {
            let message = "the workflow has no node of type output";
            findings.error(JsonPath::root().key("nodes"), message);
        }
        for edge in &self.graph.edges {
            let is = |node: usize, is_it: fn(&NodeKind) -> bool| {
                self.graph.nodes.get(node).is_some_and(|node| is_it(&node.kind))
            };
            if is(edge.to, NodeKind::is_input) {
                findings.error(edge_at(edge.index).key("to"), "the input node cannot have incoming edges");
            }
            if is(edge.from, NodeKind::is_output) {
                findings.error(edge_at(edge.index).key("from"), "an output node cannot have outgoing edges");
            }
        }
        for (place, node) in self.graph.nodes.iter().enumerate() {
            let is_fed = !self.edges.incoming(place).is_empty();
            if is_fed || !node.kind.behaviour().needs_input() || self.may_be_fed(place) {
                continue;
            }
            let message = format!("no incoming edge; a node of type {} needs one", node.kind.as_str());
            findings.error(node.place(), message);
        }
    }

    /// Reports each cycle once, at the edge that closes it.
    fn cycles(&self, findings: &mut Findings) {
        #[derive(Clone, Copy, PartialEq)]
        enum Seen {
            No,
            OnPath,
            Done,
        }
        let mut seen = vec![Seen::No; self.graph.nodes.len()];
        for root in 0..seen.len() {
            if seen.get(root) != Some(&Seen::No) {
                continue;
            }
            // The path from the root, and for each node on it the next edge to follow.
            let mut path: Vec<(usize, usize)> = vec![(root, 0)];
            if let Some(mark) = seen.get_mut(root) {
                *mark = Seen::OnPath;
            }
            while let Some((node, next)) = path.last_mut() {
                let node = *node;
                let edge = self.edges.outgoing(node).get(*next).copied();
                *next += 1;
                let Some(edge) = edge.and_then(|edge| self.graph.edges.get(edge)) else {
                    if let Some(mark) = seen.get_mut(node) {
                        *mark = Seen::Done;
                    }
                    path.pop();
                    continue;
                };
                match seen.get(edge.to).copied() {
                    Some(Seen::No) => {
                        if let Some(mark) = seen.get_mut(edge.to) {
                            *mark = Seen::OnPath;
                        }
                        path.push((edge.to, 0));
                    }
                    Some(Seen::OnPath) => {
                        let around = path
                            .iter()
                            .skip_while(|(node, _)| *node != edge.to)
                            .map(|(node, _)| self.id(*node));
                        let names: Vec<&str> = around.chain([self.id(edge.to)]).collect();
                        let message = format!("this edge creates a cycle: {}", names.join(" → "));
                        findings.error(edge_at(edge.index), message);
                    }
                    Some(Seen::Done) | None => {}
                }
            }
        }
    }

    /// Reports nodes that cannot be reached, and nodes from which no output can be reached.
    fn reach(&self, findings: &mut Findings) {
        let all = 0..self.graph.nodes.len();
        let inputs = self.of_kind(NodeKind::is_input);
        let mut roots = match inputs.is_empty() {
            false => inputs,
            true => all.clone().filter(|node| self.edges.incoming(*node).is_empty()).collect(),
        };
        roots.extend(all.clone().filter(|node| self.may_be_fed(*node)));
        let reached = self.spread(roots, |node| self.edges.outgoing(node), |edge| edge.to);
        for (place, _) in reached.iter().enumerate().filter(|(_, reached)| !**reached) {
            let message = "not reachable from the input; add an edge, or remove it";
            findings.error(Role::Own.place(self.id(place)), message);
        }
        let mut ends = self.of_kind(NodeKind::is_output);
        ends.extend(all.filter(|node| self.perhaps_feeding.get(*node) == Some(&true)));
        let useful = self.spread(ends, |node| self.edges.incoming(node), |edge| edge.from);
        for (place, _) in useful
            .iter()
            .enumerate()
            .filter(|(place, useful)| !**useful && reached.get(*place) == Some(&true))
        {
            let node = self.graph.nodes.get(place);
            if node.is_some_and(|node| !node.kind.behaviour().may_be_last()) {
                let message = "no path from this node to an output: its output is unused";
                findings.warning(Role::Own.place(self.id(place)), message);
            }
        }
    }

    fn spread<'e>(
        &self,
        from: Vec<usize>,
        edges: impl Fn(usize) -> &'e [usize],
        step: impl Fn(&Edge) -> usize,
    ) -> Vec<bool> {
        let mut reached = vec![false; self.graph.nodes.len()];
        let mut queue = VecDeque::from(from);
        while let Some(node) = queue.pop_front() {
            let Some(mark) = reached.get_mut(node).filter(|mark| !**mark) else { continue };
            *mark = true;
            queue.extend(edges(node).iter().filter_map(|edge| self.graph.edges.get(*edge)).map(&step));
        }
        reached
    }
}
