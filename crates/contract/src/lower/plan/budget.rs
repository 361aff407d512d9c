//! The remaining budget under a provider's limits.

use std::collections::HashSet;

use serde_json::Value;

use crate::lower::graph::{Demand, Graph, NodeId, Shape};
use crate::lower::measure::Counts;
use crate::lower::profile::Profile;

/// Turns the largest enums into plain types until the rest is within the limits. Their values become words.
pub(super) fn shorten_enums(graph: &mut Graph, profile: &Profile) {
    let limits = &profile.limits;
    let mut enums: Vec<(NodeId, u64, bool)> = graph
        .ids()
        .filter_map(|id| match &graph.get(id).shape {
            Shape::Scalar { values: Some(values), .. } | Shape::Literals { values } => {
                let count = values.len() as u64;
                let characters: usize = values.iter().filter_map(Value::as_str).map(str::len).sum();
                let long = limits.long_enum_values.is_some_and(|least| count > least)
                    && limits.long_enum_characters.is_some_and(|most| characters as u64 > most);
                Some((id, count, long))
            }
            _ => None,
        })
        .collect();
    enums.sort_by_key(|(id, count, _)| (*count, *id));
    let mut total: u64 = enums.iter().map(|(_, count, _)| count).sum();
    while let Some((id, count, long)) = enums.pop() {
        if long || limits.enum_values.is_some_and(|most| total > most) {
            total -= count;
            shorten(graph, id);
        }
    }
}

fn shorten(graph: &mut Graph, id: NodeId) {
    let node = graph.get_mut(id);
    let place = node.place.clone();
    let values = match &mut node.shape {
        Shape::Scalar { values, .. } => values.take().unwrap_or_default(),
        Shape::Literals { values } => std::mem::take(values),
        _ => return,
    };
    if matches!(node.shape, Shape::Literals { .. }) {
        node.shape = Shape::Any;
    }
    node.demands.push(Demand { keyword: "enum", value: Value::Array(values), place });
}

/// The optional members that have to be written as required, so that the others stay within the limit. Those
/// come first that are unions already: they cost no further union.
pub(super) fn beyond_limits(
    graph: &Graph,
    profile: &Profile,
    counts: Option<&Counts>,
) -> HashSet<(NodeId, usize)> {
    let mut chosen = HashSet::new();
    let (Some(limit), Some(counts)) = (profile.limits.optional, counts) else { return chosen };
    let mut left = counts.optional;
    let mut members: Vec<(bool, NodeId, usize, u64)> = Vec::new();
    for id in graph.ids() {
        let (Shape::Object { members: list, .. } | Shape::Tuple { members: list, .. }) = &graph.get(id).shape
        else {
            continue;
        };
        for (index, member) in list.iter().enumerate().filter(|(_, member)| !member.required) {
            let costs = !super::super::measure::is_union(graph, member.node);
            members.push((costs, id, index, counts.times(id)));
        }
    }
    members.sort();
    for (_, id, index, times) in members {
        if left <= limit {
            break;
        }
        left = left.saturating_sub(times);
        chosen.insert((id, index));
    }
    chosen
}
