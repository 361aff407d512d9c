//! How the state of a run is kept: a record for each node that something has happened to, and for a map one more for each
//! of its items. So the end of an item writes that item, and not all of them again.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use accord_json::read_kept;
use accord_store::{NodeRecord, WorkflowDocuments};
use accord_workflow::{Flow, Head, NodeState, State, Task};
use serde::Serialize;
use serde_json::Value;

use crate::error::Error;
use crate::work::heavy;

/// Documents up to this size are read where they are needed, which takes less than a millisecond.
const SMALL_BYTES: usize = 64 * 1024;

/// Does something with the state of a run, away from the threads that serve requests if there is much to read.
pub(super) async fn with_state<T: Send + 'static>(
    flow: &Arc<Flow>,
    documents: WorkflowDocuments,
    work: impl FnOnce(&Flow, WorkflowDocuments, State) -> T + Send + 'static,
) -> Result<T, Error> {
    let bytes = documents.head.len() + documents.nodes.iter().map(|record| record.body.len()).sum::<usize>();
    let flow = Arc::clone(flow);
    let work = move || {
        let state = state_of(&flow, &documents.head, &documents.nodes)?;
        Ok(work(&flow, documents, state))
    };
    if bytes <= SMALL_BYTES { work() } else { heavy(move |_| work()).await? }
}

/// The records of nodes that are not what they were before.
pub(super) fn changed(
    flow: &Flow,
    before: &[NodeRecord],
    nodes: Vec<NodeState>,
) -> Result<Vec<NodeRecord>, Error> {
    let known: HashMap<&str, &str> =
        before.iter().map(|record| (record.node.as_str(), record.body.as_str())).collect();
    let mut changed = Vec::new();
    for (node, mut state) in flow.graph().nodes.iter().zip(nodes) {
        if state == NodeState::default() && !known.contains_key(node.id.as_str()) {
            continue;
        }
        let items = match node.kind.is_per_item() {
            true => std::mem::take(&mut state.tasks),
            false => Vec::new(),
        };
        changed.push(record(node.id.clone(), &state)?);
        for (index, item) in items.iter().enumerate() {
            changed.push(record(format!("{}[{index}]", node.id), item)?);
        }
    }
    changed.retain(|record| known.get(record.node.as_str()) != Some(&record.body.as_str()));
    Ok(changed)
}

fn record(node: String, state: &impl Serialize) -> Result<NodeRecord, Error> {
    Ok(NodeRecord { node, body: serde_json::to_string(state).map_err(Error::internal)? })
}

/// The state of a run, from its head and its records.
fn state_of(flow: &Flow, head: &str, records: &[NodeRecord]) -> Result<State, Error> {
    let head: Head = read_kept(head).map_err(Error::internal)?;
    let mut state = State { head, ..State::new(flow.graph(), Value::Null) };
    // By their numbers: the store has them by their names.
    let mut items: BTreeMap<(usize, usize), Task> = BTreeMap::new();
    for record in records {
        let (id, item) = match item_of(&record.node) {
            Some((id, index)) => (id, Some(index)),
            None => (record.node.as_str(), None),
        };
        let Some(place) = flow.node(id) else { continue };
        match (item, state.nodes.get_mut(place)) {
            (Some(index), _) => {
                items.insert((place, index), read_kept(&record.body).map_err(Error::internal)?);
            }
            (None, Some(node)) => *node = read_kept(&record.body).map_err(Error::internal)?,
            (None, None) => {}
        }
    }
    for ((place, _), item) in items {
        if let Some(node) = state.nodes.get_mut(place) {
            node.tasks.push(item);
        }
    }
    Ok(state)
}

/// The node and the number of an item that a record is of. No id of a node has a bracket.
fn item_of(record: &str) -> Option<(&str, usize)> {
    let (id, index) = record.strip_suffix(']')?.split_once('[')?;
    Some((id, index.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use accord_contract::Meter;
    use accord_domain::workflow::NodeStatus;
    use accord_workflow::compare::CompareOptions;
    use accord_workflow::{Event, Known, advance, read};
    use jiff::Timestamp;
    use serde_json::json;

    use super::*;

    #[test]
    fn the_end_of_an_item_writes_that_item() {
        let nodes = json!({
            "input": {"type": "input"},
            "each": {"type": "map", "over": "{{ input }}", "agent": "a", "prompt": "x", "concurrency": 12},
            "output": {"type": "output"},
        });
        let edges = json!([{"from": "input", "to": "each"}, {"from": "each", "to": "output"}]);
        let (graph, _) = read(&json!({"name": "x", "nodes": nodes, "edges": edges}), &Meter::default());
        let flow = Flow::new(graph.unwrap(), Known::default()).unwrap();
        let begun = State::new(flow.graph(), (0..12).collect());
        let now = Timestamp::UNIX_EPOCH;
        let (mut state, _) =
            advance(&flow, begun, Event::Begun, now, &CompareOptions::default(), &Meter::default());
        let mut records = changed(&flow, &[], state.nodes.clone()).unwrap();
        assert_eq!(records.len(), 2 + 12, "the input, the map, its items");
        let head = serde_json::to_string(&state.head).unwrap();
        // Some stores sort by name.
        records.sort_by(|one, other| one.node.cmp(&other.node));
        assert_eq!(state_of(&flow, &head, &records).unwrap(), state);

        let item = &mut state.nodes[1].tasks[10];
        (item.status, item.output) = (NodeStatus::Completed, Some(json!("done")));
        let more = changed(&flow, &records, state.nodes.clone()).unwrap();
        assert_eq!(more.iter().map(|record| record.node.as_str()).collect::<Vec<_>>(), ["each[10]"]);
    }
}
