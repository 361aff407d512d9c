//! Facts about each node of a graph: the kinds of its lowered values, and whether lifting changes
//! them. Computed for all nodes together, without recursion, because graphs may have cycles.

use super::graph::{Graph, NodeId, Presence, Shape};
use super::kinds::Kinds;
use super::profile::{Anything, Maps, Profile, Tuples};

#[derive(Debug, Clone)]
pub(crate) struct Facts {
    kinds: Vec<Kinds>,
    transparent: Vec<bool>,
    reshaped: bool,
}

impl Facts {
    pub(super) fn of(graph: &Graph, profile: &Profile) -> Self {
        Self {
            kinds: kinds(graph, profile),
            transparent: transparent(graph, profile),
            reshaped: reshaped(graph, profile),
        }
    }

    /// The kinds of the lowered values of a node.
    pub(super) fn kinds(&self, id: NodeId) -> Kinds {
        self.kinds.get(id.0).copied().unwrap_or(Kinds::ALL)
    }

    /// Whether lowered answers are written otherwise, and not only with nulls for what is absent.
    pub(super) fn reshaped(&self) -> bool {
        self.reshaped
    }

    /// Whether lowering leaves the values of a node as they are, all the way down.
    pub(super) fn transparent(&self, id: NodeId) -> bool {
        self.transparent.get(id.0).copied().unwrap_or(true)
    }
}

/// The kinds that a presence adds to those of the member's own values.
pub(super) fn present_as(presence: Presence, kinds: Kinds) -> Kinds {
    match presence {
        Presence::Plain => kinds,
        Presence::Nullable => kinds.with(Kinds::NULL),
        Presence::MarkedByObject => kinds.with(Kinds::OBJECT),
        Presence::MarkedByText => kinds.with(Kinds::STRING),
        Presence::Boxed => Kinds::OBJECT.with(Kinds::NULL),
    }
}

fn kinds(graph: &Graph, profile: &Profile) -> Vec<Kinds> {
    let mut kinds = vec![Kinds::NONE; graph.len()];
    // Branches mostly have higher numbers than their union: backwards, one pass does nearly all.
    loop {
        let mut changed = false;
        for id in graph.ids().rev() {
            let now = match &graph.get(id).shape {
                Shape::Never => Kinds::NULL,
                Shape::Any if profile.anything == Anything::Text => Kinds::STRING,
                Shape::Any => Kinds::ALL,
                Shape::Scalar { types, .. } => {
                    types.iter().fold(Kinds::NONE, |kinds, name| kinds.with(Kinds::of_type(name)))
                }
                Shape::Literals { .. } => Kinds::STRING,
                Shape::List { .. } => Kinds::ARRAY,
                Shape::Object { .. } => Kinds::OBJECT,
                Shape::Map { .. } if profile.maps == Maps::Pairs => Kinds::ARRAY,
                Shape::Map { .. } => Kinds::OBJECT,
                Shape::Tuple { .. } if profile.tuples == Tuples::Object => Kinds::OBJECT,
                Shape::Tuple { .. } => Kinds::ARRAY,
                Shape::Union { tagged: true, .. } => Kinds::OBJECT,
                Shape::Union { branches, .. } => branches.iter().fold(Kinds::NONE, |all, branch| {
                    all.with(kinds.get(branch.node.0).copied().unwrap_or_default())
                }),
            };
            if let Some(known) = kinds.get_mut(id.0).filter(|known| **known != now) {
                *known = now;
                changed = true;
            }
        }
        if !changed {
            return kinds;
        }
    }
}

fn transparent(graph: &Graph, profile: &Profile) -> Vec<bool> {
    let mut parents: Vec<Vec<NodeId>> = vec![Vec::new(); graph.len()];
    let mut stack = Vec::new();
    for id in graph.ids() {
        let shape = &graph.get(id).shape;
        for child in shape.children() {
            if let Some(parents) = parents.get_mut(child.0) {
                parents.push(id);
            }
        }
        if changes(shape, profile) {
            stack.push(id);
        }
    }
    let mut transparent = vec![true; graph.len()];
    while let Some(id) = stack.pop() {
        if let Some(flag) = transparent.get_mut(id.0).filter(|flag| **flag) {
            *flag = false;
            stack.extend(parents.get(id.0).into_iter().flatten());
        }
    }
    transparent
}

/// Whether this node by itself changes values.
/// Whether anything below the root is written otherwise in lowered form.
fn reshaped(graph: &Graph, profile: &Profile) -> bool {
    let mut seen = vec![false; graph.len()];
    let mut stack = vec![graph.root()];
    while let Some(id) = stack.pop() {
        let Some(flag) = seen.get_mut(id.0).filter(|flag| !**flag) else { continue };
        *flag = true;
        let shape = &graph.get(id).shape;
        if rewrites(shape, profile) {
            return true;
        }
        stack.extend(shape.children());
    }
    false
}

/// Whether a shape is another one in lowered form, nulls for absent members aside.
fn rewrites(shape: &Shape, profile: &Profile) -> bool {
    match shape {
        Shape::Object { members, rest } => {
            rest.is_some() && profile.maps == Maps::Pairs
                || members.iter().any(|member| member.wire != member.name)
        }
        shape => changes(shape, profile),
    }
}

fn changes(shape: &Shape, profile: &Profile) -> bool {
    match shape {
        Shape::Any => profile.anything == Anything::Text,
        Shape::Literals { .. } => true,
        Shape::Map { .. } => profile.maps == Maps::Pairs,
        Shape::Tuple { .. } => profile.tuples == Tuples::Object,
        Shape::Union { tagged, .. } => *tagged,
        Shape::Object { members, rest } => {
            rest.is_some() && profile.maps == Maps::Pairs
                || members
                    .iter()
                    .any(|member| member.presence != Presence::Plain || member.wire != member.name)
        }
        Shape::Never | Shape::Scalar { .. } | Shape::List { .. } => false,
    }
}
