//! Puts the member that tells the branches of a union apart in front, so that the model chooses the branch
//! before it writes it.

use serde_json::Value;

use super::graph::{Graph, NodeId, Shape};

pub(super) fn put_first(graph: &mut Graph) {
    for id in graph.ids() {
        let Shape::Union { branches, .. } = &graph.get(id).shape else { continue };
        let nodes: Vec<NodeId> = branches.iter().map(|branch| branch.node).collect();
        let Some(name) = find(graph, &nodes) else { continue };
        for node in nodes {
            if let Shape::Object { members, .. } = &mut graph.get_mut(node).shape
                && let Some(index) = members.iter().position(|member| member.name == name)
            {
                let member = members.remove(index);
                members.insert(0, member);
            }
        }
    }
}

/// A required member of every object branch whose values are listed.
fn find(graph: &Graph, nodes: &[NodeId]) -> Option<String> {
    let objects: Vec<_> = nodes
        .iter()
        .filter_map(|node| match &graph.get(*node).shape {
            Shape::Object { members, .. } => Some(members),
            _ => None,
        })
        .collect();
    let (first, others) = objects.split_first().filter(|(_, others)| !others.is_empty())?;
    let listed = |node: NodeId| -> Option<&[Value]> {
        match &graph.get(node).shape {
            Shape::Scalar { values: Some(values), .. } => Some(values),
            _ => None,
        }
    };
    first
        .iter()
        .filter(|member| member.required && listed(member.node).is_some_and(|values| values.len() == 1))
        .find(|member| {
            others.iter().all(|members| {
                members
                    .iter()
                    .any(|other| other.name == member.name && other.required && listed(other.node).is_some())
            })
        })
        .map(|member| member.name.clone())
}
