//! Decides what the shapes alone do not: how absence is written, and which unions need a tag so that lifting
//! knows the branch. Each decision can change the facts that others rest on, so they are taken in rounds.

mod budget;
mod same_lift;

use accord_json::{Exceeded, Meter};

use super::discriminator;
use super::facts::Facts;
use super::fields::LiftContext;
use super::graph::{Graph, NodeId, Presence, Shape};
use super::kinds::Kinds;
use super::measure::Counts;
use super::names;
use super::profile::{Optional, Profile};
use super::prune;
use crate::limits::{MAX_COMPARED_BRANCHES, MAX_PLAN_ROUNDS};

pub(super) struct Plan {
    pub(super) facts: Facts,
    pub(super) recursive: bool,
    /// The counts after expansion, before absence was rewritten; `None` if a schema is recursive.
    pub(super) counts: Option<Counts>,
}

pub(super) fn plan(graph: &mut Graph, profile: &Profile, meter: &Meter) -> Result<Plan, Exceeded> {
    prune::prune(graph);
    budget::shorten_enums(graph, profile);
    names::rename(graph, profile, meter);
    discriminator::put_first(graph);
    spare_fallbacks(graph, profile);
    let counts = Counts::of(graph);
    for round in 0.. {
        meter.steps(graph.len() as u64)?;
        let facts = Facts::of(graph, profile);
        let mut changed = write_absence(graph, &facts, profile, counts.as_ref());
        let facts = if changed { Facts::of(graph, profile) } else { facts };
        changed |= tag_unions(graph, &facts, profile, round >= MAX_PLAN_ROUNDS, meter);
        meter.check()?;
        if !changed || round > MAX_PLAN_ROUNDS {
            break;
        }
    }
    let facts = Facts::of(graph, profile);
    write_absence(graph, &facts, profile, counts.as_ref());
    Ok(Plan { facts: Facts::of(graph, profile), recursive: counts.is_none(), counts })
}

/// Finds out where fallbacks are needed, on a draft of the graph: whether lifting changes a branch depends on
/// how absence is written in it, and that in turn on the counts without the fallbacks.
fn spare_fallbacks(graph: &mut Graph, profile: &Profile) {
    let mut draft = graph.clone();
    let facts = Facts::of(&draft, profile);
    let counts = Counts::of(&draft);
    write_absence(&mut draft, &facts, profile, counts.as_ref());
    prune::drop_fallbacks(graph, &Facts::of(&draft, profile));
}

/// Chooses how each member says that it is absent. Gives back whether anything is new.
fn write_absence(graph: &mut Graph, facts: &Facts, profile: &Profile, counts: Option<&Counts>) -> bool {
    let rewritten = match profile.optional {
        Optional::Keep => return false,
        Optional::Nullable => None,
        Optional::WithinLimits => Some(budget::beyond_limits(graph, profile, counts)),
    };
    let mut changed = false;
    for id in graph.ids() {
        let untyped: Vec<bool> = match &graph.get(id).shape {
            Shape::Object { members, .. } | Shape::Tuple { members, .. } => {
                members.iter().map(|member| graph.get(member.node).untyped).collect()
            }
            _ => continue,
        };
        let (Shape::Object { members, .. } | Shape::Tuple { members, .. }) = &mut graph.get_mut(id).shape
        else {
            continue;
        };
        for (index, (member, untyped)) in members.iter_mut().zip(untyped).enumerate() {
            let keep = rewritten.as_ref().is_some_and(|rewritten| !rewritten.contains(&(id, index)));
            let presence = match member.required || keep {
                true => Presence::Plain,
                false => absence(facts.kinds(member.node), untyped),
            };
            changed |= member.presence != presence;
            member.presence = presence;
        }
    }
    changed
}

/// A mark for an absent member that differs from all its values.
fn absence(kinds: Kinds, untyped: bool) -> Presence {
    if !kinds.meets(Kinds::NULL) && !untyped {
        Presence::Nullable
    } else if !kinds.meets(Kinds::OBJECT) && !untyped {
        Presence::MarkedByObject
    } else if !kinds.meets(Kinds::STRING) && !untyped {
        Presence::MarkedByText
    } else {
        Presence::Boxed
    }
}

/// Tags the unions whose branches lift differently and cannot be distinguished. Gives back whether any is new.
fn tag_unions(graph: &mut Graph, facts: &Facts, profile: &Profile, all: bool, meter: &Meter) -> bool {
    let context = LiftContext { graph, facts, profile };
    let unclear: Vec<NodeId> = graph
        .ids()
        .filter(|id| match &graph.get(*id).shape {
            Shape::Union { branches, tagged: false, .. } if branches.len() > 1 => {
                let nodes: Vec<NodeId> = branches.iter().map(|branch| branch.node).collect();
                !facts.transparent(*id) && (all || !are_distinguishable(context, &nodes, meter))
            }
            _ => false,
        })
        .collect();
    for id in &unclear {
        if let Shape::Union { tagged, .. } = &mut graph.get_mut(*id).shape {
            *tagged = true;
        }
    }
    !unclear.is_empty()
}

fn are_distinguishable(context: LiftContext<'_>, nodes: &[NodeId], meter: &Meter) -> bool {
    nodes.len() <= MAX_COMPARED_BRANCHES
        && pairs(nodes).all(|(left, right)| {
            context.facts.transparent(left) && context.facts.transparent(right)
                || context.apart(left, right, meter)
                || same_lift::same_lift(context, left, right)
        })
}

fn pairs(nodes: &[NodeId]) -> impl Iterator<Item = (NodeId, NodeId)> {
    nodes
        .iter()
        .enumerate()
        .flat_map(|(index, left)| nodes.iter().skip(index + 1).map(|right| (*left, *right)))
}

/// Whether at most one branch of a union can hold, as far as lowered values show it.
pub(super) fn is_exclusive(context: LiftContext<'_>, nodes: &[NodeId], meter: &Meter) -> bool {
    nodes.len() <= MAX_COMPARED_BRANCHES
        && pairs(nodes).all(|(left, right)| context.apart(left, right, meter))
}
