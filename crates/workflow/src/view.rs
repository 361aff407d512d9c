//! Views of a run that are computed from its state.

use serde_json::{Map, Value};

use crate::advance::{Size, inputs};
use crate::flow::Flow;
use crate::state::{NodeState, State, Take};

impl Flow {
    /// The inputs of each node that has started, by the ids of the upstream nodes. Many nodes may have the same large input: those
    /// from where the inputs would take more than a run may hold are left out.
    pub fn inputs(&self, state: &State) -> Vec<Option<Map<String, Value>>> {
        let size = |node: &NodeState| node.output.as_ref().map(Size::of).unwrap_or_default();
        let sizes: Vec<Size> = state.nodes.iter().map(size).collect();
        let mut shown = Size::default();
        let inputs = state.nodes.iter().enumerate().map(|(place, node)| {
            node.started_at?;
            let of_upstream = self.producers(place).filter_map(|producer| sizes.get(producer)).copied();
            shown = of_upstream.fold(shown, Size::and);
            shown.is_held().then(|| inputs(self, state, place))
        });
        inputs.collect()
    }

    /// Whether an edge is taken; `None` while that is undecided.
    pub fn taken(&self, state: &State, edge: usize) -> Option<bool> {
        crate::advance::take(self, state, edge).map(|take| *take == Take::Yes)
    }
}
