//! Which nodes are written once, under `$defs`, and by which name.

use std::collections::{HashMap, HashSet, VecDeque};

use crate::lower::graph::{Graph, NodeId};
use crate::lower::measure;

pub(super) struct Definitions {
    names: HashMap<NodeId, String>,
    asked: HashSet<NodeId>,
    queue: VecDeque<(NodeId, String)>,
}

impl Definitions {
    /// A node that the source refers to gets a definition when it is reached more than once, and so does each
    /// node at which a circle closes.
    pub(super) fn of(graph: &Graph) -> Self {
        let mut reached = vec![0usize; graph.len()];
        let children = graph.ids().flat_map(|id| graph.get(id).shape.children());
        for child in children.chain([graph.root()]) {
            if let Some(count) = reached.get_mut(child.0) {
                *count += 1;
            }
        }
        let mut taken = HashSet::new();
        let mut names = HashMap::new();
        let (_, circles) = measure::order(graph);
        for id in graph.ids().filter(|id| reached.get(id.0).is_some_and(|count| *count > 1)) {
            match &graph.get(id).name {
                Some(name) => names.insert(id, unique(name, &mut taken)),
                None if circles.contains(&id) => names.insert(id, unique("part", &mut taken)),
                None => None,
            };
        }
        Self { names, asked: HashSet::new(), queue: VecDeque::new() }
    }

    /// The name of a node's definition, which is then written.
    pub(super) fn name(&mut self, id: NodeId) -> Option<String> {
        let name = self.names.get(&id)?.clone();
        if self.asked.insert(id) {
            self.queue.push_back((id, name.clone()));
        }
        Some(name)
    }

    /// The next definition to write.
    pub(super) fn next(&mut self) -> Option<(NodeId, String)> {
        self.queue.pop_front()
    }
}

/// A name that needs no escaping in a reference, and that no other definition has.
fn unique(name: &str, taken: &mut HashSet<String>) -> String {
    let plain =
        |each: char| if each.is_ascii_alphanumeric() || matches!(each, '_' | '-') { each } else { '_' };
    let stem: String = name.chars().take(48).map(plain).collect();
    let stem = if stem.is_empty() { "definition".to_owned() } else { stem };
    let mut candidate = stem.clone();
    for number in 2.. {
        if taken.insert(candidate.clone()) {
            break;
        }
        candidate = format!("{stem}_{number}");
    }
    candidate
}
