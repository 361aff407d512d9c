//! Entries with similar texts at nearly the same place.

use accord_domain::comparison::{NearDuplicate, Side};

use super::entry::Entry;
use super::groups;
use super::pairs::Related;

pub(super) fn compare(entries: &[Entry], related: &Related) -> Vec<NearDuplicate> {
    let groups = groups::of(entries, related.alike());
    let several = groups.iter().filter(|group| group.members.len() > 1);
    let near = several.filter_map(|group| {
        let members: Vec<&Entry> = group.members.iter().filter_map(|member| entries.get(*member)).collect();
        near_duplicate(&members, group.lowest)
    });
    near.collect()
}

fn near_duplicate(members: &[&Entry], lowest: f32) -> Option<NearDuplicate> {
    let first = members.first()?;
    let mut key = first.key.clone();
    if let Some(line) = &first.line_name {
        key.shift_remove(line);
    }
    let field = |entry: &Entry| entry.values.first().map(|value| value.field.clone()).unwrap_or_default();
    let mut sides: Vec<Side> = members.iter().map(|entry| entry.side_at(&field(entry), &key)).collect();
    sides.sort_by(|one, other| one.agent.cmp(&other.agent));
    let similarity = (f64::from(lowest.min(1.0)) * 1_000.0).round() / 1_000.0;
    Some(NearDuplicate { key, similarity, sides })
}
