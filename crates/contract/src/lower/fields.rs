//! How lowered values are distinguished. The same check that proves two branches of a union disjoint chooses between
//! them when an answer is lifted: one level deep, so it costs little and never disagrees with itself.

use std::collections::HashSet;

use accord_json::Meter;
use serde_json::Value;

use super::facts::{Facts, present_as};
use super::graph::{Graph, Member, NodeId, Presence, Shape};
use super::kinds::{Kinds, fingerprint, same};
use super::profile::{Maps, Profile, Tuples};

/// What it costs to compare one value, member or branch with another one.
const STEPS_A_PAIR: u64 = 10;

#[derive(Clone, Copy)]
pub(super) struct LiftContext<'g> {
    pub(super) graph: &'g Graph,
    pub(super) facts: &'g Facts,
    pub(super) profile: &'g Profile,
}

/// A member of a lowered object.
struct Field<'g> {
    name: &'g str,
    always: bool,
    kinds: Kinds,
    values: Option<&'g [Value]>,
}

struct Fields<'g> {
    list: Vec<Field<'g>>,
    closed: bool,
}

impl<'g> LiftContext<'g> {
    /// Whether no lowered value belongs to both nodes.
    pub(super) fn apart(&self, left: NodeId, right: NodeId, meter: &Meter) -> bool {
        let cost = STEPS_A_PAIR.saturating_mul(self.weight(left) + self.weight(right));
        if meter.steps(cost).is_err() {
            return false;
        }
        if !self.facts.kinds(left).meets(self.facts.kinds(right)) {
            return true;
        }
        if let Some(branches) = self.open_branches(left) {
            return branches.into_iter().all(|branch| self.apart(branch, right, meter));
        }
        if let Some(branches) = self.open_branches(right) {
            return branches.into_iter().all(|branch| self.apart(left, branch, meter));
        }
        match (self.values(left), self.values(right)) {
            (Some(left), Some(right)) => return disjoint(left, right),
            (None, None) => {}
            _ => return false,
        }
        let (Some(left), Some(right)) = (self.fields(left), self.fields(right)) else { return false };
        lacks(&left, &right) || lacks(&right, &left) || left.list.iter().any(|field| differs(field, &right))
    }

    /// Whether a value has the lowered shape of a node, as far as one level shows.
    pub(super) fn fits(&self, id: NodeId, value: &Value, meter: &Meter) -> bool {
        self.surplus(id, value, meter) == Some(0)
    }

    /// How many members a value has beyond the lowered shape of a node; `None` if it does not have the shape.
    pub(super) fn surplus(&self, id: NodeId, value: &Value, meter: &Meter) -> Option<usize> {
        meter.steps(self.weight(id)).ok()?;
        if !self.facts.kinds(id).meets(Kinds::of(value)) {
            return None;
        }
        if let Shape::Union { branches, tagged: false, .. } = &self.graph.get(id).shape {
            return branches.iter().filter_map(|branch| self.surplus(branch.node, value, meter)).min();
        }
        if let Some(values) = self.values(id) {
            return values.iter().any(|each| same(each, value)).then_some(0);
        }
        match (&self.graph.get(id).shape, value) {
            (Shape::Map { .. }, Value::Array(items)) => {
                items.iter().all(|item| pair(item).is_some()).then_some(0)
            }
            (Shape::Union { branches, tagged: true, .. }, value) => choice(value, branches.len()).map(|_| 0),
            (_, Value::Object(members)) => {
                let Some(fields) = self.fields(id) else { return Some(0) };
                let fits = fields.list.iter().all(|field| field_fits(field, members.get(field.name)));
                let names: HashSet<&str> = fields.list.iter().map(|field| field.name).collect();
                let unknown = members.keys().filter(|name| !names.contains(name.as_str())).count();
                fits.then_some(if fields.closed { unknown } else { 0 })
            }
            _ => Some(0),
        }
    }

    /// How much a look at one node is, without those below it.
    fn weight(&self, id: NodeId) -> u64 {
        1 + match &self.graph.get(id).shape {
            Shape::Scalar { values, .. } => values.as_ref().map_or(0, Vec::len) as u64,
            Shape::Literals { values } => values.len() as u64,
            Shape::Object { members, .. } | Shape::Tuple { members, .. } => members.len() as u64,
            Shape::Union { branches, .. } => branches.len() as u64,
            _ => 0,
        }
    }

    fn open_branches(&self, id: NodeId) -> Option<Vec<NodeId>> {
        match &self.graph.get(id).shape {
            Shape::Union { branches, tagged: false, .. } => {
                Some(branches.iter().map(|branch| branch.node).collect())
            }
            _ => None,
        }
    }

    fn values(&self, id: NodeId) -> Option<&'g [Value]> {
        match &self.graph.get(id).shape {
            Shape::Scalar { values, .. } => values.as_deref(),
            _ => None,
        }
    }

    fn fields(&self, id: NodeId) -> Option<Fields<'g>> {
        let graph = self.graph;
        match &graph.get(id).shape {
            Shape::Object { members, rest } => {
                let pairs = rest.as_ref().filter(|_| self.profile.maps == Maps::Pairs);
                let mut list: Vec<Field<'g>> = members.iter().map(|member| self.field(member)).collect();
                list.extend(pairs.map(|rest| pairs_field(&rest.wire)));
                Some(Fields { list, closed: rest.is_none() || pairs.is_some() })
            }
            Shape::Tuple { members, rest } if self.profile.tuples == Tuples::Object => {
                let mut list: Vec<Field<'g>> = members.iter().map(|member| self.field(member)).collect();
                list.extend(rest.map(|_| pairs_field(REST_ITEMS)));
                Some(Fields { list, closed: true })
            }
            _ => None,
        }
    }

    fn field(&self, member: &'g Member) -> Field<'g> {
        Field {
            name: &member.wire,
            always: member.always_there(),
            kinds: present_as(member.presence, self.facts.kinds(member.node)),
            values: self.values(member.node).filter(|_| member.presence == Presence::Plain),
        }
    }
}

/// The member of a lowered tuple that holds the items after the positions.
pub(super) const REST_ITEMS: &str = "rest";

fn pairs_field(name: &str) -> Field<'_> {
    Field { name, always: true, kinds: Kinds::ARRAY, values: None }
}

/// Whether the left always has a member that the right never has.
fn lacks(left: &Fields<'_>, right: &Fields<'_>) -> bool {
    let names: HashSet<&str> = right.list.iter().map(|field| field.name).collect();
    right.closed && left.list.iter().any(|field| field.always && !names.contains(field.name))
}

/// Whether a member that both always have is never the same in both.
fn differs(field: &Field<'_>, others: &Fields<'_>) -> bool {
    others.list.iter().filter(|other| other.name == field.name && other.always && field.always).any(|other| {
        let values = field.values.zip(other.values);
        !field.kinds.meets(other.kinds) || values.is_some_and(|(left, right)| disjoint(left, right))
    })
}

fn field_fits(field: &Field<'_>, value: Option<&Value>) -> bool {
    match value {
        None => !field.always,
        Some(value) => {
            field.kinds.meets(Kinds::of(value))
                && field.values.is_none_or(|values| values.iter().any(|each| same(each, value)))
        }
    }
}

fn disjoint(left: &[Value], right: &[Value]) -> bool {
    let known: HashSet<String> = left.iter().map(fingerprint).collect();
    !right.iter().any(|value| known.contains(&fingerprint(value)))
}

/// The two parts of `{"key": …, "value": …}`.
pub(super) fn pair(item: &Value) -> Option<(&str, &Value)> {
    let members = item.as_object().filter(|members| members.len() == 2)?;
    Some((members.get("key")?.as_str()?, members.get("value")?))
}

/// The name under which a branch of a tagged union is given.
pub(super) fn tag(index: usize) -> String {
    format!("option_{}", index + 1)
}

/// The branch that a tagged value chooses.
pub(super) fn choice(value: &Value, branches: usize) -> Option<usize> {
    let members = value.as_object().filter(|members| members.len() == 1)?;
    let number: usize = members.keys().next()?.strip_prefix("option_")?.parse().ok()?;
    (1..=branches).contains(&number).then(|| number - 1)
}
