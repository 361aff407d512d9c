//! Replaces names that a provider does not accept; lifting restores them.

use std::collections::HashSet;

use accord_json::Meter;
use serde_json::Value;

use super::graph::{Demand, Graph, Matcher, Member, Shape};
use super::profile::Profile;

/// The keyword under which a new name is explained in the description.
pub(super) const RENAMED: &str = "properties";

pub(super) fn rename(graph: &mut Graph, profile: &Profile, meter: &Meter) {
    let Some(pattern) = &profile.property_names else { return };
    let accepted = Matcher::new(pattern, meter);
    for id in graph.ids() {
        let node = graph.get_mut(id);
        let Shape::Object { members, .. } = &mut node.shape else { continue };
        if members.iter().all(|member| accepted.matches(&member.name)) {
            continue;
        }
        let renamed = rename_members(members, &accepted);
        let place = node.place.clone();
        node.demands.push(Demand { keyword: RENAMED, value: Value::Array(renamed), place });
    }
}

/// Gives new names, and back the pairs of new and old.
fn rename_members(members: &mut [Member], accepted: &Matcher) -> Vec<Value> {
    let mut taken: HashSet<String> = members.iter().map(|member| member.name.clone()).collect();
    let mut renamed = Vec::new();
    for member in members.iter_mut().filter(|member| !accepted.matches(&member.name)) {
        let stem: String = member
            .name
            .chars()
            .take(48)
            .map(|each| if each.is_ascii_alphanumeric() || matches!(each, '_' | '-') { each } else { '_' })
            .collect();
        let stem = if stem.is_empty() { "unnamed".to_owned() } else { stem };
        let mut wire = stem.clone();
        for number in 2.. {
            if !taken.contains(&wire) {
                break;
            }
            wire = format!("{stem}_{number}");
        }
        taken.insert(wire.clone());
        renamed.push(Value::from(vec![wire.as_str(), member.name.as_str()]));
        member.wire = wire;
    }
    renamed
}
