//! Removes nodes without values and nodes that are nested too deeply, before anything is decided on the graph.

use super::facts::Facts;
use super::graph::{Branch, Demand, Graph, Guard, Node, NodeId, Shape};
use crate::json_path::JsonPath;
use crate::limits::MAX_UNION_NESTING;

pub(super) fn prune(graph: &mut Graph) {
    // Children have higher numbers than their parents but on circles: a few passes settle it.
    for _ in 0..MAX_UNION_NESTING {
        if !drop_impossible(graph) {
            break;
        }
    }
    flatten_deep_unions(graph);
}

/// Drops branches that no value conforms to, such as an object with an impossible required member.
fn drop_impossible(graph: &mut Graph) -> bool {
    let mut changed = false;
    for id in graph.ids().rev() {
        let impossible = |node: NodeId| matches!(graph.get(node).shape, Shape::Never);
        let shape = match &graph.get(id).shape {
            Shape::Union { branches, tagged, exactly_one } => {
                let possible: Vec<_> =
                    branches.iter().filter(|branch| !impossible(branch.node)).cloned().collect();
                if possible.len() == branches.len() && !branches.is_empty() {
                    continue;
                }
                match possible.is_empty() {
                    true => Shape::Never,
                    false => Shape::Union { branches: possible, tagged: *tagged, exactly_one: *exactly_one },
                }
            }
            Shape::Object { members, .. }
                if members.iter().any(|member| member.required && impossible(member.node)) =>
            {
                Shape::Never
            }
            Shape::Object { members, rest } if members.iter().any(|member| impossible(member.node)) => {
                let members = members.iter().filter(|member| !impossible(member.node)).cloned().collect();
                Shape::Object { members, rest: rest.clone() }
            }
            _ => continue,
        };
        graph.get_mut(id).shape = shape;
        changed = true;
    }
    changed
}

/// Drops the branches for values without a condition, if lifting does not change the other branches: values that match none
/// of those are left unchanged, and the model has fewer choices. Such a place can have any value, so its absence is
/// written in a way that cannot be mistaken for a value.
pub(super) fn drop_fallbacks(graph: &mut Graph, facts: &Facts) {
    for id in graph.ids() {
        let node = graph.get_mut(id);
        let Shape::Union { branches, .. } = &mut node.shape else { continue };
        let fallback = |branch: &Branch| matches!(branch.guard, Guard::Otherwise);
        let alone = branches.iter().all(fallback);
        let any = branches.iter().any(fallback);
        if any && !alone && branches.iter().all(|branch| fallback(branch) || facts.transparent(branch.node)) {
            branches.retain(|branch| !fallback(branch));
            node.untyped = true;
        }
    }
}

/// No model can follow unions nested hundreds deep. They become any value.
fn flatten_deep_unions(graph: &mut Graph) {
    let mut heights = vec![0usize; graph.len()];
    for _ in 0..=MAX_UNION_NESTING + 1 {
        for id in graph.ids().rev() {
            if let Shape::Union { branches, .. } = &graph.get(id).shape {
                let below = branches.iter().filter_map(|branch| heights.get(branch.node.0)).max();
                let height = below.map_or(1, |below| (below + 1).min(MAX_UNION_NESTING + 1));
                if let Some(known) = heights.get_mut(id.0) {
                    *known = height;
                }
            }
        }
    }
    for id in graph.ids() {
        if heights.get(id.0).is_some_and(|height| *height > MAX_UNION_NESTING) {
            let node = graph.get_mut(id);
            node.shape = Shape::Any;
            node.demands.push(too_deep(node));
        }
    }
}

fn too_deep(node: &Node) -> Demand {
    let place: JsonPath = node.place.clone();
    Demand { keyword: "anyOf", value: serde_json::Value::Null, place }
}
