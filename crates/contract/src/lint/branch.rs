//! Branches of unions that say the same.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::Finding;
use super::at::At;
use crate::limits::MAX_COMPARED_BRANCHES;
use crate::lower::fingerprint;

pub(super) fn check(at: &At<'_>, findings: &mut Vec<Finding>) {
    for keyword in ["anyOf", "oneOf", "allOf"] {
        let Some(Value::Array(branches)) = at.get(keyword) else { continue };
        let place = at.place.key(keyword);
        let mut known: HashMap<String, usize> = HashMap::new();
        for (index, branch) in branches.iter().enumerate() {
            let Some(first) = known.get(&fingerprint(branch)) else {
                known.insert(fingerprint(branch), index);
                continue;
            };
            let place = place.index(index);
            if keyword == "oneOf" {
                let message = format!(
                    "identical to branch {first}: every matching value matches both, and 'oneOf' then rejects it; remove one"
                );
                findings.push(Finding::error("overlapping-branches", &place, message));
            } else {
                let message = format!("identical to branch {first}; remove it");
                findings.push(Finding::warning("duplicate-branch", &place, message));
            }
        }
        if keyword == "oneOf" && branches.len() <= MAX_COMPARED_BRANCHES {
            overlapping(at, branches, findings);
        }
    }
}

/// Branches that only list values, some of them the same.
fn overlapping(at: &At<'_>, branches: &[Value], findings: &mut Vec<Finding>) {
    let lists: Vec<(usize, HashSet<String>)> =
        branches.iter().enumerate().filter_map(|(index, branch)| Some((index, values(branch)?))).collect();
    for (position, (left, values)) in lists.iter().enumerate() {
        for (right, others) in lists.iter().skip(position + 1) {
            if branches.get(*left) == branches.get(*right) {
                continue;
            }
            if let Some(both) = values.intersection(others).min() {
                let message = format!(
                    "{both} matches branches {left} and {right}, and 'oneOf' then rejects it; list it in one of them, or use 'anyOf'"
                );
                findings.push(Finding::warning(
                    "overlapping-branches",
                    &at.place.key("oneOf").index(*right),
                    message,
                ));
            }
        }
    }
}

fn values(branch: &Value) -> Option<HashSet<String>> {
    let keywords = branch.as_object()?;
    let plain = keywords
        .keys()
        .all(|keyword| matches!(keyword.as_str(), "type" | "enum" | "const" | "title" | "description"));
    if !plain {
        return None;
    }
    match (keywords.get("const"), keywords.get("enum")) {
        (Some(value), None) => Some(HashSet::from([fingerprint(value)])),
        (None, Some(Value::Array(values))) => Some(values.iter().map(fingerprint).collect()),
        _ => None,
    }
}
