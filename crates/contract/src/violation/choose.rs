//! Which of many findings are shown: some of each kind rather than twenty of one, in document order.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::explain::{Finding, Findings};
use super::{Violation, Violations};
use crate::json_path::{JsonPath, Step};
use crate::limits::MAX_ERRORS;

pub(super) fn most_useful(findings: Findings, document: &Value) -> Violations {
    let Findings { mut kept, total } = findings;
    kept.sort_by_cached_key(|finding| position(&finding.place, document));
    let mut shown = HashSet::new();
    let before = kept.len();
    kept.retain(|finding| shown.insert((finding.place.clone(), finding.message.clone())));
    let distinct = total.saturating_sub(before - kept.len());
    let errors: Vec<Violation> = if kept.len() > MAX_ERRORS { some_of_each(kept) } else { kept }
        .into_iter()
        .map(|finding| Violation::new(&finding.place, &finding.keyword, finding.message))
        .collect();
    Violations { more: distinct.saturating_sub(errors.len()), errors }
}

/// The first of each kind, then the second of each, until there are enough; in the order they came.
fn some_of_each(findings: Vec<Finding>) -> Vec<Finding> {
    let mut counts: HashMap<usize, usize> = HashMap::new();
    let mut ranked: Vec<(usize, usize)> = findings
        .iter()
        .enumerate()
        .map(|(index, finding)| {
            let count = counts.entry(finding.kind).or_default();
            *count += 1;
            (*count, index)
        })
        .collect();
    ranked.sort_unstable();
    let chosen: HashSet<usize> = ranked.into_iter().take(MAX_ERRORS).map(|(_, index)| index).collect();
    findings
        .into_iter()
        .enumerate()
        .filter(|(index, _)| chosen.contains(index))
        .map(|(_, finding)| finding)
        .collect()
}

/// The position in the document. A container comes before its parts.
fn position(place: &JsonPath, document: &Value) -> Vec<usize> {
    let mut current = Some(document);
    place
        .steps()
        .iter()
        .map(|step| {
            let position = match (step, current) {
                (Step::Index(index), _) => *index,
                (Step::Key(name), Some(Value::Object(members))) => {
                    members.keys().position(|key| key == name).unwrap_or(usize::MAX)
                }
                (Step::Key(_), _) => usize::MAX,
            };
            current = current.and_then(|value| step.within(value));
            position
        })
        .collect()
}
