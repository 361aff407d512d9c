//! Views of a run that are computed from its state.

use serde_json::{Map, Value};

use crate::advance::inputs;
use crate::flow::Flow;
use crate::state::{State, Take};

impl Flow {
    /// The inputs of a node that has started, by the ids of the upstream nodes.
    pub fn inputs(&self, state: &State, node: usize) -> Option<Map<String, Value>> {
        let begun = state.nodes.get(node).is_some_and(|state| state.started_at.is_some());
        begun.then(|| inputs(self, state, node))
    }

    /// Whether an edge is taken; `None` while that is undecided.
    pub fn taken(&self, state: &State, edge: usize) -> Option<bool> {
        crate::advance::take(self, state, edge).map(|take| *take == Take::Yes)
    }
}
