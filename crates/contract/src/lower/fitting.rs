//! Whether an encoded value has the lowered shape all the way down. Slower than the look that lifting takes,
//! and only for encoding, which must find the branch that leaves nothing over.

use accord_json::Meter;
use serde_json::{Map, Value};

use super::fields::{LiftContext, REST_ITEMS, choice, pair};
use super::graph::{Member, NodeId, Presence, Rest, Shape};
use super::kinds::Kinds;
use super::lift::Inner;
use super::profile::{Maps, Tuples};

/// How many places one check looks at. Beyond it the value is taken to fit.
const MAX_STEPS: usize = 100_000;

impl Inner {
    pub(super) fn fits_deeply(&self, id: NodeId, value: &Value, meter: &Meter) -> bool {
        Fitting { context: self.context(), steps: 0, meter }.value(id, value)
    }
}

struct Fitting<'l> {
    context: LiftContext<'l>,
    steps: usize,
    meter: &'l Meter,
}

impl<'l> Fitting<'l> {
    fn value(&mut self, id: NodeId, value: &Value) -> bool {
        self.steps += 1;
        if self.steps > MAX_STEPS {
            return true;
        }
        if !self.context.fits(id, value, self.meter) {
            return false;
        }
        match (&self.context.graph.get(id).shape, value) {
            (Shape::List { items }, Value::Array(values)) => {
                values.iter().all(|value| self.value(*items, value))
            }
            (Shape::Map { rest }, Value::Array(items)) if self.context.profile.maps == Maps::Pairs => {
                self.pairs(rest, items)
            }
            (Shape::Object { members, rest }, Value::Object(values)) => {
                let pairs = rest.as_ref().filter(|_| self.context.profile.maps == Maps::Pairs);
                self.members(members, values)
                    && pairs.is_none_or(|rest| match values.get(&rest.wire) {
                        Some(Value::Array(items)) => self.pairs(rest, items),
                        _ => false,
                    })
            }
            (Shape::Tuple { members, rest }, Value::Object(values))
                if self.context.profile.tuples == Tuples::Object =>
            {
                self.members(members, values)
                    && rest
                        .is_none_or(|rest| values.get(REST_ITEMS).is_some_and(|more| self.value(rest, more)))
            }
            (Shape::Union { branches, tagged: true, .. }, Value::Object(values)) => {
                let branch = choice(value, branches.len()).and_then(|index| branches.get(index));
                branch
                    .zip(values.values().next())
                    .is_some_and(|(branch, inner)| self.value(branch.node, inner))
            }
            (Shape::Union { branches, .. }, value) => {
                branches.iter().any(|branch| self.value(branch.node, value))
            }
            _ => true,
        }
    }

    fn members(&mut self, members: &'l [Member], values: &Map<String, Value>) -> bool {
        members.iter().all(|member| match (values.get(&member.wire), member.presence) {
            (None, _) => !member.always_there(),
            (Some(Value::Null), Presence::Nullable | Presence::Boxed) => true,
            (Some(value), Presence::Boxed) => {
                value.get("value").is_some_and(|value| self.value(member.node, value))
            }
            (Some(value), Presence::MarkedByObject | Presence::MarkedByText)
                if !self.context.facts.kinds(member.node).meets(Kinds::of(value)) =>
            {
                true
            }
            (Some(value), _) => self.value(member.node, value),
        })
    }

    fn pairs(&mut self, rest: &Rest, items: &[Value]) -> bool {
        items.iter().all(|item| {
            pair(item)
                .is_some_and(|(name, value)| rest.node_of(name).is_some_and(|node| self.value(node, value)))
        })
    }
}
