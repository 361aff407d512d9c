//! Whether two branches lift the same way, so that it does not matter which of them an answer
//! matches.

use std::collections::HashSet;

use crate::limits::MAX_COMPARED_PAIRS;
use crate::lower::fields::LiftContext;
use crate::lower::graph::{Member, NodeId, Presence, Rest, Shape};
use crate::lower::kinds::Kinds;

pub(super) fn same_lift(context: LiftContext<'_>, left: NodeId, right: NodeId) -> bool {
    let mut comparison = Comparison { context, assumed: HashSet::new(), open: Vec::new() };
    comparison.members_of(left, right, true)
}

/// Pairs count as equal until a difference is found, so cycles are equal if nothing on them differs.
struct Comparison<'g> {
    context: LiftContext<'g>,
    assumed: HashSet<(NodeId, NodeId)>,
    open: Vec<(NodeId, NodeId)>,
}

impl Comparison<'_> {
    fn members_of(&mut self, left: NodeId, right: NodeId, top: bool) -> bool {
        if !self.alike(left, right, top) {
            return false;
        }
        while let Some((left, right)) = self.open.pop() {
            if self.assumed.len() > MAX_COMPARED_PAIRS || !self.alike(left, right, false) {
                return false;
            }
        }
        true
    }

    fn later(&mut self, left: NodeId, right: NodeId) {
        if self.assumed.insert((left, right)) {
            self.open.push((left, right));
        }
    }

    fn alike(&mut self, left: NodeId, right: NodeId, top: bool) -> bool {
        let facts = self.context.facts;
        if left == right {
            return true;
        }
        match (facts.transparent(left), facts.transparent(right)) {
            (true, true) => return true,
            (false, false) => {}
            _ => return false,
        }
        match (&self.context.graph.get(left).shape, &self.context.graph.get(right).shape) {
            (Shape::Any, Shape::Any) | (Shape::Literals { .. }, Shape::Literals { .. }) => true,
            (Shape::List { items: left }, Shape::List { items: right }) => {
                self.later(*left, *right);
                true
            }
            (Shape::Map { rest: left }, Shape::Map { rest: right }) => self.rests(left, right),
            (
                Shape::Object { members: left, rest: left_rest },
                Shape::Object { members: right, rest: right_rest },
            ) => {
                let rests = match (left_rest, right_rest) {
                    (None, None) => true,
                    (Some(left), Some(right)) => left.wire == right.wire && self.rests(left, right),
                    _ => false,
                };
                rests && self.members(left, right, top)
            }
            (
                Shape::Tuple { members: left, rest: left_rest },
                Shape::Tuple { members: right, rest: right_rest },
            ) => {
                if let (Some(left), Some(right)) = (left_rest, right_rest) {
                    self.later(*left, *right);
                }
                left_rest.is_some() == right_rest.is_some() && self.members(left, right, top)
            }
            _ => false,
        }
    }

    fn rests(&mut self, left: &Rest, right: &Rest) -> bool {
        match (left.other, right.other) {
            (Some(one), Some(other)) if left.patterns.is_empty() && right.patterns.is_empty() => {
                self.later(one, other);
                true
            }
            _ => false,
        }
    }

    fn members(&mut self, left: &[Member], right: &[Member], top: bool) -> bool {
        left.len() == right.len()
            && left.iter().all(|member| {
                right.iter().find(|other| other.wire == member.wire).is_some_and(|other| {
                    self.later(member.node, other.node);
                    other.name == member.name && self.presences(member, other, top)
                })
            })
    }

    /// At the top, where the choice of a branch looks at each member, one branch may take null for absent where
    /// the other never has null.
    fn presences(&self, left: &Member, right: &Member, top: bool) -> bool {
        let never_null =
            |member: &Member| !self.context.facts.kinds(member.node).meets(Kinds::NULL) && member.required;
        match (left.presence, right.presence) {
            (Presence::Plain, Presence::Nullable) if top => never_null(left),
            (Presence::Nullable, Presence::Plain) if top => never_null(right),
            (left, right) => left == right,
        }
    }
}
