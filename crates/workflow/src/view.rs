//! What can be said of a run beside what is stored.

use serde_json::{Map, Value};

use crate::advance::inputs;
use crate::flow::Flow;
use crate::state::{State, Take};

impl Flow {
    /// What went into a node, by the ids of those who feed it. Nothing, where it has not begun.
    pub fn inputs(&self, state: &State, node: usize) -> Option<Map<String, Value>> {
        let begun = state.nodes.get(node).is_some_and(|state| state.started_at.is_some());
        begun.then(|| inputs(self, state, node))
    }

    /// Whether an edge is taken; none where that is not decided yet.
    pub fn taken(&self, state: &State, edge: usize) -> Option<bool> {
        crate::advance::take(self, state, edge).map(|take| *take == Take::Yes)
    }
}
